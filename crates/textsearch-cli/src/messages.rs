//! What is said on standard error: messages, warnings, and what happens inside.

use std::io::{self, Write as _};

use clap::error::ErrorKind;
use tracing_subscriber::EnvFilter;

use crate::output::written_out;

/// Says something to the person at the terminal, in one line; it may name files that others named.
pub(crate) fn say(message: &str) {
    // Where nobody can be told, nobody can be told that either.
    let _written = writeln!(io::stderr(), "textsearch: {}", written_out(message));
}

/// Says that something is not as it should be, although the work goes on.
pub(crate) fn warn(message: &str) {
    say(&format!("warning: {message}"));
}

/// Whether clap shows the whole help because nothing was asked for.
pub(crate) fn is_help(error: &clap::Error) -> bool {
    error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
}

/// Prints events and spans on standard error: warnings, everything of ours where `verbose`, or what RUST_LOG says.
pub(crate) fn start_tracing(verbose: bool) {
    let usual = if verbose { "warn,textsearch=debug" } else { "warn" };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(usual));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).init();
}
