//! `cargo xtask bench`: compares this project with its peers in turns. The work is in a package of
//! its own, `xtask/benchmarks/`, so that other commands don't build the chart code.

use std::ffi::OsString;

use anyhow::Result;

use crate::shell;

/// Runs the program with its own arguments.
///
/// # Errors
/// Returns an error if the program does not build, or fails.
pub(crate) fn run(arguments: &[OsString]) -> Result<()> {
    let mut command = shell::cargo("run --quiet --package benches --");
    shell::run(command.args(arguments))
}
