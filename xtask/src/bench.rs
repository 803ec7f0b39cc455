//! `cargo xtask bench`: this project beside others, in turns. The work is in `xtask/benchmarks/`, a package of its own, so that
//! what draws charts is not built for every other command.

use std::ffi::OsString;

use anyhow::Result;

use crate::shell;

/// Runs the program with its own arguments.
///
/// # Errors
/// If it does not build, or says that it failed.
pub(crate) fn run(arguments: &[OsString]) -> Result<()> {
    let mut command = shell::cargo("run --quiet --package benches --");
    shell::run(command.args(arguments))
}
