//! Standard error: messages, warnings and logs.

use std::{
    env,
    io::{self, Write},
    sync::OnceLock,
};

use clap::error::ErrorKind;
use tracing_subscriber::{
    filter::{LevelFilter, Targets, filter_fn},
    fmt::format::FmtSpan,
    layer::{Layer as _, SubscriberExt as _},
    util::SubscriberInitExt as _,
};

use crate::{
    bar,
    output::written_out,
    warnings::{Waits, Warnings},
};

static WARNINGS: OnceLock<Warnings> = OnceLock::new();

/// Prints a line on standard error. Escapes control characters, because strangers may have named
/// the files in it.
pub(crate) fn say(message: &str) {
    // There is nowhere to report a failure.
    let _written = writeln!(Stderr, "textsearch: {}", written_out(message));
}

/// Prints a question on standard error; the answer follows on its line.
pub(crate) fn ask(question: &str) {
    let _written = write!(Stderr, "textsearch: {} ", written_out(question));
}

pub(crate) fn warn(message: &str) {
    say(&format!("warning: {message}"));
}

/// Returns whether clap shows the help because no command is given.
pub(crate) fn is_help(error: &clap::Error) -> bool {
    error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
}

/// Starts logging to standard error. `verbose` logs this project's events from DEBUG on, finished
/// spans, and warnings of others; RUST_LOG overrides that. Without both, a server logs warnings as
/// they come. Other commands print long waits, and collect warnings for [`print_warnings`].
pub(crate) fn start_tracing(verbose: bool, is_server: bool) {
    let asked = env::var("RUST_LOG").ok().filter(|asked| !asked.is_empty());
    let asked: Option<Targets> = asked.and_then(|asked| asked.parse().ok());
    let (registry, warn) = (tracing_subscriber::registry(), LevelFilter::WARN);
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

/// Standard error, written above the progress bar.
struct Stderr;

impl Write for Stderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        bar::write_above(|| io::stderr().write(bytes))
    }

    fn write_fmt(&mut self, text: std::fmt::Arguments<'_>) -> io::Result<()> {
        // One call per line keeps lines whole.
        self.write_all(text.to_string().as_bytes())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
