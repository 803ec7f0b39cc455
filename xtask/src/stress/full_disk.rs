//! Fills a disk of one megabyte while a store is written.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;

use super::program;
use crate::shell;

/// The inner run may mount a disk.
pub(super) const INSIDE: &str = "full-disk-inside";

/// Tells the inner run which program to check.
const PROGRAM: &str = "TEXTSEARCH_STRESS_PROGRAM";

/// In a separate namespace, mounting needs no root privileges, and the disk disappears afterwards.
pub(super) fn run() -> Result<()> {
    let mut inside = Command::new("unshare");
    inside.args(["--map-root-user", "--mount"]).arg(env::current_exe()?);
    shell::run(inside.args(["stress", INSIDE]).env(PROGRAM, program()?))
        .context("this check needs Linux and the right to make namespaces")
}

/// The program has to keep what is stored and report why.
pub(super) fn run_inside() -> Result<()> {
    let scratch = TempDir::new()?;
    let disk = scratch.path().join("disk");
    fs::create_dir(&disk)?;
    shell::run(Command::new("mount").args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"]).arg(&disk))?;
    let checked = check(scratch.path(), &disk);
    // The folder of a mounted disk cannot be removed.
    shell::run(Command::new("umount").arg(&disk))?;
    checked
}

fn check(folder: &Path, disk: &Path) -> Result<()> {
    fs::write(folder.join("small.md"), "# Apples\n\nApples are red.\n")?;
    let lines = (0..20_000).map(|id| format!("{{\"id\":{id},\"text\":\"pears are green\"}}\n"));
    fs::write(folder.join("large.jsonl"), lines.collect::<String>())?;
    let first = textsearch(folder, &["index", "small.md"])?;
    ensure!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));

    let second = textsearch(folder, &["index", "large.jsonl"])?;
    let complaint = String::from_utf8_lossy(&second.stderr).trim_end().to_owned();
    println!("     exit code {}: {complaint}", second.status.code().unwrap_or_default());
    ensure!(second.status.code() == Some(1), "the exit code is not 1");
    ensure!(complaint.contains("No space left"), "it says not why");
    let left: Vec<PathBuf> =
        fs::read_dir(disk)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    ensure!(left.len() == 2, "besides the store and its lock there is something: {left:?}");

    let search = textsearch(folder, &["search", "apples", "--kind", "text"])?;
    let output = String::from_utf8_lossy(&search.stdout);
    ensure!(output.contains("Apples are red."), "the store cannot be searched: {output}");
    println!("     what was stored is found, and nothing lies beside the store");
    Ok(())
}

fn textsearch(folder: &Path, arguments: &[&str]) -> Result<Output> {
    let program = env::var_os(PROGRAM).context("this runs as a part of `cargo xtask stress`")?;
    let mut command = Command::new(program);
    command.current_dir(folder).args(arguments).args(["--store", "disk/index"]);
    Ok(command.output()?)
}
