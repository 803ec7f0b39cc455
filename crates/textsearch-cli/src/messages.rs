//! Messages on standard error.

use std::io::{self, Write};

use clap::error::ErrorKind;
use console::Style;

use crate::{bar, output::written_out};

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

/// Prints a line dimly, if standard error is a terminal with colours.
pub(crate) fn note(message: &str) {
    let dim = Style::new().for_stderr().dim();
    let _written = writeln!(Stderr, "{}", dim.apply_to(written_out(message)));
}

pub(crate) fn warn(message: &str) {
    say(&format!("warning: {message}"));
}

/// Returns whether clap shows the help because no command is given.
pub(crate) fn is_help(error: &clap::Error) -> bool {
    error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
}

/// Standard error, written above the progress bar.
pub(crate) struct Stderr;

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
