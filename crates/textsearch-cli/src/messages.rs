//! Standard error: messages, warnings and logs.

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

/// The libraries' warnings since the last call of [`print_warnings`].
static WARNINGS: OnceLock<Warnings> = OnceLock::new();

/// Prints a one-line message on standard error. Escapes control characters, because a message may
/// name files that strangers named.
pub(crate) fn say(message: &str) {
    // If standard error is closed, there is nowhere to report it.
    let _written = writeln!(Stderr, "textsearch: {}", written_out(message));
}

/// Prints a warning. The work goes on.
pub(crate) fn warn(message: &str) {
    say(&format!("warning: {message}"));
}

/// Returns whether clap shows the whole help because the command line requests nothing.
pub(crate) fn is_help(error: &clap::Error) -> bool {
    error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
}

/// Starts logging to standard error. `verbose` logs every event and finished span of this project;
/// RUST_LOG overrides the selection. Without both, only warnings are collected, and
/// [`print_warnings`] prints them.
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

/// Prints the libraries' warnings, once each.
pub(crate) fn print_warnings() {
    WARNINGS.get().map(Warnings::take).unwrap_or_default().iter().for_each(|line| warn(line));
}

/// Standard error, written above the progress bar.
struct Stderr;

impl Write for Stderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        progress::above_bar(|| io::stderr().write(bytes))
    }

    fn write_fmt(&mut self, text: std::fmt::Arguments<'_>) -> io::Result<()> {
        // Write each line with one call.
        self.write_all(text.to_string().as_bytes())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
