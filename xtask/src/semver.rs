//! `cargo xtask semver`: no crate breaks what its last release promised.

use anyhow::{Context as _, Result};
use cargo_metadata::TargetKind;

use crate::{
    metadata::{self, Package},
    shell,
};

/// Compares each library with the tag of its last release, `NAME-v0.1.0`. A crate of macros has no items to compare.
///
/// # Errors
/// If a crate has a break that its version does not allow, with the break and where it is.
pub(crate) fn run() -> Result<()> {
    let packages = metadata::packages()?;
    packages.iter().filter(|package| is_published_library(package)).try_for_each(|package| {
        if let Some(tag) = last_release(&package.name) {
            return compare(&package.name, &tag);
        }
        println!("semver: {} has no release yet", package.name);
        Ok(())
    })
}

fn is_published_library(package: &Package) -> bool {
    let has_items = package.targets.iter().any(|target| target.kind.contains(&TargetKind::Lib));
    has_items && package.publish.is_none()
}

fn last_release(name: &str) -> Option<String> {
    let mut command = std::process::Command::new("git");
    command.args(["describe", "--tags", "--abbrev=0", "--match", &format!("{name}-v*")]);
    let tag = shell::read(command.current_dir(shell::root())).ok()?;
    Some(tag.trim().to_owned())
}

fn compare(name: &str, tag: &str) -> Result<()> {
    let line = format!("semver-checks --package {name} --baseline-rev {tag}");
    shell::run(&mut shell::cargo(&line))
        .context("`cargo install --locked cargo-semver-checks` installs what compares them")
}
