//! What is said on standard error: messages, warnings, and what happens inside.

use std::{
    env,
    io::{self, Write},
    sync::OnceLock,
};

use clap::error::ErrorKind;
use tracing_subscriber::{
    filter::{LevelFilter, Targets},
    fmt::format::FmtSpan,
    layer::SubscriberExt as _,
    util::SubscriberInitExt as _,
};

use crate::{output::written_out, progress, warnings::Warnings};

/// What the libraries warned of since [`print_warnings`] was called last.
static WARNINGS: OnceLock<Warnings> = OnceLock::new();

/// Says something to the person at the terminal, in one line; it may name files that others named.
pub(crate) fn say(message: &str) {
    // Where nobody can be told, nobody can be told that either.
    let _written = writeln!(Stderr, "textsearch: {}", written_out(message));
}

/// Says that something is not as it should be, although the work goes on.
pub(crate) fn warn(message: &str) {
    say(&format!("warning: {message}"));
}

/// Whether clap shows the whole help because nothing was asked for.
pub(crate) fn is_help(error: &clap::Error) -> bool {
    error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
}

/// Starts the log on standard error: every event and finished span of ours where `verbose`, or what RUST_LOG says. Without both, warnings
/// alone, which [`print_warnings`] prints.
pub(crate) fn start_tracing(verbose: bool) {
    let asked = env::var("RUST_LOG").ok().filter(|asked| !asked.is_empty());
    let asked: Option<Targets> = asked.and_then(|asked| asked.parse().ok());
    let (registry, warn) = (tracing_subscriber::registry(), LevelFilter::WARN);
    if asked.is_none() && !verbose {
        registry.with(WARNINGS.get_or_init(Warnings::default).clone()).with(warn).init();
        return;
    }
    let usual = Targets::new().with_default(warn).with_target("textsearch", LevelFilter::DEBUG);
    let printed =
        tracing_subscriber::fmt::layer().with_writer(|| Stderr).with_span_events(FmtSpan::CLOSE);
    registry.with(printed).with(asked.unwrap_or(usual)).init();
}

/// Prints what the libraries warned of, once each.
pub(crate) fn print_warnings() {
    WARNINGS.get().map(Warnings::take).unwrap_or_default().iter().for_each(|line| warn(line));
}

/// Standard error, above the bar of a run.
struct Stderr;

impl Write for Stderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        progress::above_bar(|| io::stderr().write(bytes))
    }

    fn write_fmt(&mut self, text: std::fmt::Arguments<'_>) -> io::Result<()> {
        // One line is one write.
        self.write_all(text.to_string().as_bytes())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
