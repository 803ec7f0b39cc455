//! `cargo xtask semver`: checks that no crate breaks the API of its last release.

use anyhow::{Result, bail};
use cargo_metadata::TargetKind;

use crate::{
    metadata::{self, Package},
    shell, tools,
};

struct Comparison {
    name: String,
    baseline: String,
}

/// Compares each library with `revision`, or with the tag of its last release, such as
/// `NAME-v0.1.0`. Skips crates that have no release or that `revision` lacks, and macro crates,
/// which have no items to compare.
pub(crate) fn run(revision: Option<&str>) -> Result<()> {
    if let Some(revision) = revision {
        shell::read(&mut git(&["rev-parse", "--verify", &format!("{revision}^{{commit}}")]))?;
    }
    let packages = metadata::packages()?;
    let libraries = packages.iter().filter(|package| is_published_library(package));
    let comparisons: Vec<Comparison> =
        libraries.filter_map(|package| comparison(&package.name, revision)).collect();
    if comparisons.is_empty() {
        println!(
            "semver: nothing is released yet, so nothing can break: `cargo xtask semver REVISION` compares with a \
             revision, such as HEAD~1"
        );
        return Ok(());
    }
    tools::ensure(&tools::SEMVER_CHECKS)?;
    let broken = comparisons.iter().filter(|comparison| compare(comparison).is_err());
    let broken: Vec<&str> = broken.map(|comparison| comparison.name.as_str()).collect();
    if !broken.is_empty() {
        bail!(
            "semver: {} of {} crates cannot keep their version or were not compared: {}",
            broken.len(),
            comparisons.len(),
            broken.join(", ")
        );
    }
    Ok(())
}

fn is_published_library(package: &Package) -> bool {
    let has_items = package.targets.iter().any(|target| target.kind.contains(&TargetKind::Lib));
    has_items && package.publish.is_none()
}

fn comparison(name: &str, revision: Option<&str>) -> Option<Comparison> {
    let baseline = match revision {
        Some(revision) => {
            let manifest = format!("{revision}:crates/{name}/Cargo.toml");
            shell::read(&mut git(&["cat-file", "-e", &manifest])).ok()?;
            revision.to_owned()
        }
        None => last_release(name)?,
    };
    Some(Comparison { name: name.to_owned(), baseline })
}

fn last_release(name: &str) -> Option<String> {
    let releases = format!("{name}-v*");
    let tag = shell::read(&mut git(&["describe", "--tags", "--abbrev=0", "--match", &releases]));
    Some(tag.ok()?.trim().to_owned())
}

fn git(arguments: &[&str]) -> std::process::Command {
    let mut command = std::process::Command::new("git");
    command.args(arguments).current_dir(shell::root());
    command
}

fn compare(Comparison { name, baseline }: &Comparison) -> Result<()> {
    let line = format!("semver-checks --package {name} --baseline-rev {baseline}");
    shell::run(&mut shell::cargo(&line))
}
