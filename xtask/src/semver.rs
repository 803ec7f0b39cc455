//! `cargo xtask semver`: checks that no crate breaks the API of its last release.

use anyhow::{Result, bail};
use cargo_metadata::{TargetKind, semver::Version};

use crate::{
    metadata::Package,
    release::{
        checkout::{Checkout, tag},
        family::Member,
        version::Bump,
    },
    shell, tools,
};

/// Compares each library with `revision`, or with the tag of its last release, such as
/// `NAME-v0.1.0`. Skips crates that have no release or didn't change since, and crates that `revision`
/// lacks.
///
/// # Errors
/// If crates break their users, or cannot be compared. The terminal shows the broken items.
pub(crate) fn run(checkout: &Checkout, revision: Option<&str>) -> Result<()> {
    if let Some(revision) = revision {
        let commit = format!("{revision}^{{commit}}");
        shell::read(&mut checkout.git(["rev-parse", "--verify", &commit]))?;
    }
    let family = checkout.family()?;
    if revision.is_none() {
        family.require_tags()?;
    }
    let libraries = family.iter().filter(|member| is_compared(&member.package));
    let comparisons: Vec<Vec<String>> = libraries
        .filter_map(|member| match revision {
            Some(revision) => with_revision(checkout, member, revision),
            None => with_release(member),
        })
        .collect();
    if comparisons.is_empty() {
        println!(
            "semver: no crate with a release has changes that could break it: `cargo xtask semver REVISION` compares \
             with a revision, such as HEAD~1"
        );
        return Ok(());
    }
    tools::ensure(&tools::SEMVER_CHECKS)?;
    let mut broken = Vec::new();
    for arguments in &comparisons {
        let mut command = checkout.cargo("semver-checks --package");
        if shell::run(command.args(arguments)).is_err() {
            broken.extend(arguments.first().cloned());
        }
    }
    if !broken.is_empty() {
        bail!(
            "semver: {} of {} crates break their users, or cannot be compared: {}; undo the change, or describe it as \
             *Breaking* in the changelog",
            broken.len(),
            comparisons.len(),
            broken.join(", ")
        );
    }
    Ok(())
}

/// cargo-semver-checks reads no macros.
fn is_compared(package: &Package) -> bool {
    let is_macros = |kind: &TargetKind| *kind == TargetKind::ProcMacro;
    package.is_library() && !package.targets.iter().any(|target| target.kind.iter().any(is_macros))
}

/// Returns arguments of cargo-semver-checks. It compares the versions in both manifests.
fn with_revision(checkout: &Checkout, member: &Member, revision: &str) -> Option<Vec<String>> {
    let manifest = format!("{revision}:{}", member.package.file("Cargo.toml"));
    shell::read(&mut checkout.git(["cat-file", "-e", &manifest])).ok()?;
    Some([member.name(), "--baseline-rev", revision].map(str::to_owned).into())
}

/// Returns arguments of cargo-semver-checks; `None` if nothing changed or the changelog announces a
/// breaking release.
fn with_release(member: &Member) -> Option<Vec<String>> {
    let released = member.released.as_ref()?;
    if member.changed_files.is_empty() {
        return None;
    }
    let kind = release_type(released, &member.next_version())?;
    let tag = tag(member.name(), released);
    Some([member.name(), "--baseline-rev", &tag, "--release-type", kind].map(str::to_owned).into())
}

/// Returns `None` if `next` may break everything.
fn release_type(released: &Version, next: &Version) -> Option<&'static str> {
    if *next >= Bump::breaking(released).apply(released) {
        return None;
    }
    // Below 1.0, a patch may add items.
    let is_patch = *next < Bump::additive(released).apply(released);
    Some(if is_patch { "patch" } else { "minor" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_version_decides_what_may_change() {
        let release_type = |released: [u64; 3], next: [u64; 3]| {
            let [released, next] =
                [released, next].map(|[major, minor, patch]| Version::new(major, minor, patch));
            release_type(&released, &next)
        };
        assert_eq!(release_type([0, 1, 4], [0, 1, 5]), Some("minor"));
        assert_eq!(release_type([0, 1, 4], [0, 2, 0]), None);
        assert_eq!(release_type([1, 1, 4], [1, 1, 5]), Some("patch"));
        assert_eq!(release_type([1, 1, 4], [1, 2, 0]), Some("minor"));
        assert_eq!(release_type([1, 1, 4], [2, 0, 0]), None);
    }

    #[test]
    fn a_changed_crate_is_compared_with_its_tag() {
        let mut brave = Member::of("brave", &[], "- Fixes `a`.", true);
        assert_eq!(with_release(&brave), None);
        brave.changed_files = vec!["crates/brave/src/lib.rs".to_owned()];
        assert_eq!(
            with_release(&brave).unwrap().join(" "),
            "brave --baseline-rev brave-v0.1.0 --release-type minor"
        );
    }
}
