//! Runs tests under AddressSanitizer, for crates with `unsafe` code or arithmetic on raw registers.

use anyhow::Result;

use crate::shell;

/// With cargo options.
pub(super) const CRATES: &[(&str, &str)] = &[
    ("textsearch-vector-inmemory", "--features hnsw"),
    // Has no `unsafe`, but `pulp` computes on registers for it.
    ("textsearch-embeddings-local", ""),
];

pub(super) fn run(name: Option<&str>) -> Result<()> {
    let is_wanted = |known: &str| name.is_none_or(|name| name == known);
    CRATES.iter().filter(|(known, _)| is_wanted(known)).try_for_each(test)
}

fn test((name, options): &(&str, &str)) -> Result<()> {
    // An explicit `--target` keeps the sanitizer away from build scripts and macros.
    let host = super::host()?;
    let line = format!(
        "test -p {name} {options} --lib --tests --target {host} --target-dir target/sanitize"
    );
    let mut command = shell::cargo(&line);
    // The sanitizer is an unstable option of the stable compiler.
    command.env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", "-Zsanitizer=address");
    shell::run(&mut command)
}
