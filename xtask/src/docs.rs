//! Builds the documentation as docs.rs does: with a badge on each item that needs a feature.

use std::env;
use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::shell;

/// Set when cargo runs this program in place of rustdoc.
const STAND_IN: &str = "XTASK_STANDS_IN_FOR_RUSTDOC";

/// Builds the documentation of the workspace.
///
/// Badges are unstable, so rustdoc needs `RUSTC_BOOTSTRAP`. Only rustdoc gets this variable: build
/// scripts also read it, and would cause a rebuild of all dependencies.
///
/// # Errors
/// Returns an error if rustdoc warns.
pub(crate) fn build() -> Result<()> {
    let mut command = shell::cargo("doc --workspace --no-deps --all-features");
    command.env("RUSTDOCFLAGS", "-D warnings --cfg docsrs");
    shell::run(command.env("RUSTDOC", env::current_exe()?).env(STAND_IN, "1"))
}

/// Whether cargo runs this program in place of rustdoc.
pub(crate) fn is_rustdoc() -> bool {
    env::var_os(STAND_IN).is_some()
}

/// Runs rustdoc with the arguments of this process.
pub(crate) fn run_rustdoc() -> ExitCode {
    let mut command = Command::new("rustdoc");
    command.args(env::args_os().skip(1)).env("RUSTC_BOOTSTRAP", "1");
    match command.status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("`rustdoc` did not start: {error}");
            ExitCode::FAILURE
        }
    }
}
