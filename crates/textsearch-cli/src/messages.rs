//! What is said on standard error: messages, warnings, and what happens inside.

use std::{
    env,
    io::{self, Write as _},
};

use clap::error::ErrorKind;
use tracing_subscriber::{
    filter::{LevelFilter, Targets},
    layer::SubscriberExt as _,
    util::SubscriberInitExt as _,
};

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
    let ours = if verbose { LevelFilter::DEBUG } else { LevelFilter::WARN };
    let usual = Targets::new().with_default(LevelFilter::WARN).with_target("textsearch", ours);
    let asked = env::var("RUST_LOG").ok().filter(|asked| !asked.is_empty());
    let filter = asked.and_then(|asked| asked.parse().ok()).unwrap_or(usual);
    let printed = tracing_subscriber::fmt::layer().with_writer(io::stderr);
    tracing_subscriber::registry().with(printed).with(filter).init();
}
