//! Logs, and warnings that are printed at the end.

use std::{env, sync::OnceLock};

use tracing_subscriber::{
    filter::{LevelFilter, Targets, filter_fn},
    fmt::format::FmtSpan,
    layer::{Layer as _, SubscriberExt as _},
    util::SubscriberInitExt as _,
};

use crate::{
    messages::{Stderr, warn},
    warnings::{Waits, Warnings},
};

static WARNINGS: OnceLock<Warnings> = OnceLock::new();

/// Starts logging to standard error. `verbose` logs this project's events from DEBUG on, finished
/// spans, and warnings of others; RUST_LOG overrides that. Without both, a server logs warnings as
/// they come. Other commands print long waits, and collect warnings for [`print_warnings`].
pub(crate) fn start_tracing(verbose: bool, is_server: bool) {
    let asked = env::var("RUST_LOG").ok().filter(|asked| !asked.is_empty());
    let asked: Option<Targets> = asked.and_then(|asked| asked.parse().ok());
    let registry = tracing_subscriber::registry();
    let warn = LevelFilter::WARN;
    if asked.is_none() && !verbose && !is_server {
        let warnings = WARNINGS.get_or_init(Warnings::default).clone().with_filter(warn);
        let are_waits = filter_fn(Waits::is_one).with_max_level_hint(LevelFilter::INFO);
        registry.with(warnings).with(Waits.with_filter(are_waits)).init();
        return;
    }
    let own = if verbose { LevelFilter::DEBUG } else { warn };
    let usual = Targets::new().with_default(warn).with_target("textsearch", own);
    let printed =
        tracing_subscriber::fmt::layer().with_writer(|| Stderr).with_span_events(FmtSpan::CLOSE);
    registry.with(printed).with(asked.unwrap_or(usual)).init();
}

/// Prints the collected warnings.
pub(crate) fn print_warnings() {
    WARNINGS.get().map(Warnings::take).unwrap_or_default().iter().for_each(|line| warn(line));
}
