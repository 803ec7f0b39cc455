//! `cargo xtask release check`: checks what would be published.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, bail};
use clap::Args;

use super::archive::Archive;
use super::checkout::Checkout;
use super::family::{Family, Member};
use super::table::table;
use crate::{semver, shell, tidy};

const LICENCES: &[&str] = &["LICENSE-APACHE", "LICENSE-MIT"];

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Skip the build of each package, which takes most of the time
    #[arg(long)]
    pub(crate) no_verify: bool,
}

/// Cheapest failure first.
pub(crate) fn check(checkout: &Checkout, request: &Check) -> Result<()> {
    // Metadata of the registry, READMEs, lists of files.
    tidy::run()?;
    let family = checkout.family()?;
    report(family.iter().filter_map(changelog_complaint).collect())?;
    checkout.require_tags(&family)?;
    package(checkout, &family, request.no_verify)?;
    check_packages(checkout, &family)?;
    semver::run(checkout, None)
}

fn report(complaints: Vec<String>) -> Result<()> {
    if !complaints.is_empty() {
        bail!("{}", complaints.join("\n"));
    }
    Ok(())
}

/// Complains if the newest heading of a release doesn't name the manifest's version. Before the
/// first release, there may be no such heading.
fn changelog_complaint(member: &Member) -> Option<String> {
    let changelog = match member.changelog() {
        Ok(changelog) => changelog,
        Err(error) => return Some(format!("release: {error:#}")),
    };
    match member.unannounced_break() {
        Ok(None) => {}
        Ok(complaint) => return complaint,
        Err(error) => return Some(format!("release: {error:#}")),
    }
    let (version, newest) = (member.version(), changelog.newest_release());
    let is_right = match newest {
        Some(newest) => newest == version,
        None => member.released.is_none(),
    };
    (!is_right).then(|| {
        let path = member.package.file("CHANGELOG.md");
        let newest = newest.map_or_else(|| "none".to_owned(), ToString::to_string);
        format!(
            "release: the newest release in {path} is {newest}, but the manifest says {version}"
        )
    })
}

/// Cargo builds each package against the other packages, not against the workspace, with all
/// features, as docs.rs does.
fn package(checkout: &Checkout, family: &Family, no_verify: bool) -> Result<()> {
    forget_packages(checkout, family)?;
    let mut command = checkout.cargo("package --allow-dirty --all-features");
    command.env("CARGO_TARGET_DIR", checkout.path("target"));
    command.args(family.iter().flat_map(|member| ["--package", member.name()]));
    if no_verify {
        command.arg("--no-verify");
    }
    shell::run(&mut command)
}

/// Deletes what an earlier check unpacked and built. Cargo takes a package of the same version for
/// the same package, and would build the others against its old code.
fn forget_packages(checkout: &Checkout, family: &Family) -> Result<()> {
    let home = checkout.cargo_home();
    // Cargo names the folder of a registry on disk by a dash and a hash.
    let registries = home.iter().flat_map(|home| entries(&home.join("registry/src")));
    let unpacked = registries.filter(|(name, _)| name.starts_with('-'));
    let unpacked = unpacked.flat_map(|(_, registry)| entries(&registry));
    let built = entries(&checkout.path("target/debug/.fingerprint"));
    let is_ours = |(name, _): &(String, PathBuf)| {
        let is_it = |member: &Member| {
            name.strip_prefix(member.name()).is_some_and(|rest| rest.starts_with('-'))
        };
        family.iter().any(is_it)
    };
    for (_, folder) in unpacked.chain(built).filter(is_ours) {
        let deleted = fs::remove_dir_all(&folder);
        deleted.with_context(|| format!("cannot delete {}", folder.display()))?;
    }
    Ok(())
}

/// Returns the names and paths in a folder; none if it doesn't exist.
fn entries(folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path())).collect()
}

fn check_packages(checkout: &Checkout, family: &Family) -> Result<()> {
    let text = |name: &&'static str| {
        let text = fs::read(checkout.path(name)).with_context(|| format!("{name} is missing"));
        Ok((*name, text?))
    };
    let licences = LICENCES.iter().map(text).collect::<Result<Vec<_>>>()?;
    let mut rows = vec![["crate", "version", "files", "kB", "kB packed"].map(str::to_owned)];
    let mut complaints = Vec::new();
    for member in family.iter() {
        let (name, version) = (member.name(), member.version());
        let archive =
            Archive::open(&checkout.path(format!("target/package/{name}-{version}.crate")))?;
        let found = archive.complaints(&licences);
        complaints.extend(found.iter().map(|found| format!("release: {name} {found}")));
        rows.push([
            name.to_owned(),
            version.to_string(),
            archive.files().to_string(),
            kilobytes(archive.unpacked()),
            kilobytes(archive.packed),
        ]);
    }
    print!("{}", table(&rows));
    report(complaints)
}

fn kilobytes(bytes: impl TryInto<u64>) -> String {
    bytes.try_into().unwrap_or(u64::MAX).div_ceil(1000).to_string()
}

#[cfg(test)]
mod tests {
    use cargo_metadata::semver::Version;

    use super::*;
    use crate::release::checkout::tests::{BROKEN_FEATURE, workspace};

    #[test]
    fn packages_are_built_with_all_features() {
        let (_folder, checkout) = workspace(&BROKEN_FEATURE);
        let family = checkout.family().unwrap();
        package(&checkout, &family, true).unwrap();
        let error = package(&checkout, &family, false).unwrap_err().to_string();
        assert!(error.contains("cargo package"), "{error}");
    }

    #[test]
    fn changelog_and_manifest_must_agree() {
        assert_eq!(changelog_complaint(&Member::of("a", &[], "- Fixes `a`.", false)), None);
        assert_eq!(changelog_complaint(&Member::of("a", &[], "- Fixes `a`.", true)), None);
        let mut unlogged = Member::of("a", &[], "- Fixes `a`.", false);
        unlogged.released = Some(Version::new(0, 1, 0));
        assert_eq!(
            changelog_complaint(&unlogged).as_deref(),
            Some(
                "release: the newest release in crates/a/CHANGELOG.md is none, but the manifest says 0.1.0"
            )
        );
    }

    #[test]
    fn a_changelog_without_dates_is_refused() {
        let mut member = Member::of("a", &[], "", false);
        member.changelog = "## 0.1.0\n".to_owned();
        let complaint = changelog_complaint(&member).unwrap();
        assert!(complaint.starts_with("release: crates/a/CHANGELOG.md: `## 0.1.0`"), "{complaint}");
    }
}
