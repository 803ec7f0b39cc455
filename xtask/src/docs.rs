//! Builds the documentation as docs.rs does: with a badge on each item that needs a feature.

use std::env;
use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::shell;

/// Set when cargo runs this program in place of rustdoc.
const STAND_IN: &str = "XTASK_STANDS_IN_FOR_RUSTDOC";

/// Badges are unstable, so rustdoc needs `RUSTC_BOOTSTRAP`. Build scripts also read it and would
/// rebuild all dependencies, so only rustdoc gets it.
pub(crate) fn build() -> Result<()> {
    document("-D warnings --cfg docsrs")
}

/// Writes `target/doc/CRATE.json` for each crate. That is unstable, too.
pub(crate) fn build_json() -> Result<()> {
    document("-Z unstable-options --output-format json")
}

fn document(flags: &str) -> Result<()> {
    let mut command = shell::cargo("doc --workspace --no-deps --all-features");
    command.env("RUSTDOCFLAGS", flags);
    shell::run(command.env("RUSTDOC", env::current_exe()?).env(STAND_IN, "1"))
}

pub(crate) fn is_rustdoc() -> bool {
    env::var_os(STAND_IN).is_some()
}

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
