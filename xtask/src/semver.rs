//! `cargo xtask semver`: checks that no crate breaks the API of its last release.

use anyhow::{Result, bail};
use cargo_metadata::{TargetKind, semver::Version};

use crate::{
    metadata::Package,
    release::{
        checkout::{Checkout, tag},
        version::Bump,
    },
    shell, tools,
};

/// Compares each library with `revision`, or with the tag of its last release, such as
/// `NAME-v0.1.0`. Skips crates that have no release or didn't change since, crates that `revision`
/// lacks, and macro crates, which have no items to compare.
pub(crate) fn run(revision: Option<&str>) -> Result<()> {
    let checkout = Checkout::here();
    if let Some(revision) = revision {
        let commit = format!("{revision}^{{commit}}");
        shell::read(&mut checkout.git(["rev-parse", "--verify", &commit]))?;
    }
    let mut comparisons = Vec::new();
    for member in checkout.family()?.iter().filter(|member| has_items(&member.package)) {
        if let Some(baseline) = baseline(&checkout, &member.package, revision)? {
            comparisons.push((member.name().to_owned(), member.version().clone(), baseline));
        }
    }
    if comparisons.is_empty() {
        println!(
            "semver: no crate with a release has changed, so nothing can break: `cargo xtask semver REVISION` \
             compares with a revision, such as HEAD~1"
        );
        return Ok(());
    }
    tools::ensure(&tools::SEMVER_CHECKS)?;
    let mut broken = Vec::new();
    for (name, version, baseline) in &comparisons {
        if let Some(needed) = needed_version(&checkout, name, version, baseline)? {
            broken.push(format!("{name} needs {needed}"));
        }
    }
    if !broken.is_empty() {
        bail!(
            "semver: {} of {} crates cannot keep their version: {}",
            broken.len(),
            comparisons.len(),
            broken.join(", ")
        );
    }
    Ok(())
}

fn has_items(package: &Package) -> bool {
    package.targets.iter().any(|target| target.kind.contains(&TargetKind::Lib))
}

fn baseline(
    checkout: &Checkout,
    package: &Package,
    revision: Option<&str>,
) -> Result<Option<String>> {
    if let Some(revision) = revision {
        let manifest = format!("{revision}:{}", package.file("Cargo.toml"));
        let is_there = shell::read(&mut checkout.git(["cat-file", "-e", &manifest])).is_ok();
        return Ok(is_there.then(|| revision.to_owned()));
    }
    let Some(released) = checkout.last_release(&package.name)? else {
        return Ok(None);
    };
    let tag = tag(&package.name, &released);
    let is_changed = !checkout.changed_files(&package.folder, &tag)?.is_empty();
    Ok(is_changed.then_some(tag))
}

/// Returns the smallest version that permits the changes of the crate's API since `baseline`, or
/// `None` if `version`, which its manifest says, does.
///
/// # Errors
/// If the crates cannot be compared.
pub(crate) fn needed_version(
    checkout: &Checkout,
    name: &str,
    version: &Version,
    baseline: &str,
) -> Result<Option<Version>> {
    let line = format!("semver-checks --color never --package {name} --baseline-rev {baseline}");
    println!("     cargo {line}");
    let output = checkout.cargo(&line).output()?;
    let report = [output.stdout, output.stderr].concat();
    let report = String::from_utf8_lossy(&report);
    println!("{report}");
    if output.status.success() {
        return Ok(None);
    }
    match needed_bump(&report, version) {
        Some(bump) => Ok(Some(bump.apply(version))),
        None => bail!("semver: {name} was not compared with {baseline}"),
    }
}

/// `report` names bumps as they are from 1.0 on.
fn needed_bump(report: &str, version: &Version) -> Option<Bump> {
    if report.contains("semver requires new major version") {
        Some(Bump::breaking(version))
    } else if report.contains("semver requires new minor version") {
        Some(Bump::additive(version))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_says_which_bump_is_needed() {
        let report = |bump| {
            format!("Summary semver requires new {bump} version: 1 major and 0 minor checks failed")
        };
        let (early, stable) = (Version::new(0, 1, 0), Version::new(1, 0, 0));
        assert_eq!(needed_bump(&report("major"), &early), Some(Bump::Minor));
        assert_eq!(needed_bump(&report("major"), &stable), Some(Bump::Major));
        assert_eq!(needed_bump(&report("minor"), &stable), Some(Bump::Minor));
        assert_eq!(needed_bump("error: no such package", &early), None);
    }
}
