//! `cargo xtask bench`: the package `xtask/benchmarks/`, so that other commands don't build the
//! chart code.

use std::ffi::OsString;

use anyhow::Result;

use crate::shell;

pub(crate) fn run(arguments: &[OsString]) -> Result<()> {
    let mut command = shell::cargo("run --quiet --package benches --");
    shell::run(command.args(arguments))
}
