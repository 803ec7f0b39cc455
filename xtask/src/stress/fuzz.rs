//! Runs the fuzz targets under libFuzzer, one after the other, on the stable toolchain.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, bail, ensure};

use crate::{artifacts, shell};

/// Has one folder per target.
const CORPUS: &str = "xtask/fuzz/corpus";

/// Separate, because every crate is instrumented.
const BUILT: &str = "target/fuzz";

/// The flags of `cargo fuzz` without the sanitizer, which needs a nightly compiler.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-trace-compares \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table";

/// In bytes. Longer text adds no new shapes for parsers.
const LONGEST: usize = 4096;

/// Seconds for one input.
const PATIENCE: usize = 25;

/// In megabytes.
const MEMORY: usize = 2048;

pub(super) fn run(target: Option<&str>, seconds: u64) -> Result<()> {
    let mut names = targets()?;
    if let Some(target) = target {
        let known = names.join(", ");
        names.retain(|name| name == target);
        ensure!(!names.is_empty(), "no target `{target}`; the targets are {known}");
    }
    let program = program()?;
    let failed: Vec<String> = names
        .into_iter()
        .filter_map(|name| fuzz(&program, &name, seconds).err().map(|error| format!("{error:#}")))
        .collect();
    if !failed.is_empty() {
        bail!("{}", failed.join("\n"));
    }
    Ok(())
}

/// From the corpus folders.
fn targets() -> Result<Vec<String>> {
    let folder = shell::root().join(CORPUS);
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).with_context(|| format!("cannot list {CORPUS}"))? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

fn program() -> Result<PathBuf> {
    // An explicit `--target` keeps the flags away from build scripts and macros.
    let build = format!(
        "build -p fuzz --bin fuzz --profile fuzz --target {} --target-dir {BUILT}",
        super::host()?
    );
    artifacts::program(shell::cargo(&build).env("RUSTFLAGS", FLAGS))
}

/// New inputs go into a folder below `target`, where later runs start.
fn fuzz(program: &Path, name: &str, seconds: u64) -> Result<()> {
    let grown = shell::root().join(BUILT).join("corpus").join(name);
    let findings = shell::root().join(BUILT).join("findings");
    for folder in [&grown, &findings] {
        fs::create_dir_all(folder)?;
    }
    let mut command = Command::new(program);
    command
        .current_dir(shell::root())
        .env("TEXTSEARCH_FUZZ_TARGET", name)
        .arg(&grown)
        .arg(format!("{CORPUS}/{name}"))
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-max_len={LONGEST}"))
        .arg(format!("-timeout={PATIENCE}"))
        .arg(format!("-rss_limit_mb={MEMORY}"))
        .arg(format!("-artifact_prefix={}/{name}-", findings.display()))
        .args(["-print_final_stats=1", "-verbosity=0"]);
    shell::run(&mut command).with_context(|| {
        format!(
            "{name}: an input broke a promise; it is in {BUILT}/findings. Give it a name in \
             {CORPUS}/{name}, which every `cargo test` replays, and fix what it found"
        )
    })
}
