//! `cargo xtask semver`: checks that no crate breaks the API of its last release.

mod macros;

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
/// `NAME-v0.1.0`. Skips crates that have no release or didn't change since, crates that `revision`
/// lacks. Of macro crates, only the names of macros and of their attributes are compared.
///
/// # Errors
/// If crates break their users. The message names the broken items.
pub(crate) fn run(checkout: &Checkout, revision: Option<&str>) -> Result<()> {
    if let Some(revision) = revision {
        let commit = format!("{revision}^{{commit}}");
        shell::read(&mut checkout.git(["rev-parse", "--verify", &commit]))?;
    }
    let family = checkout.family()?;
    if revision.is_none() {
        checkout.require_tags(&family)?;
    }
    let libraries = family.iter().filter(|member| member.package.is_library());
    let mut comparisons = Vec::new();
    for member in libraries {
        comparisons.extend(match revision {
            Some(revision) => with_revision(checkout, member, revision),
            None => with_release(member)?,
        });
    }
    if comparisons.is_empty() {
        println!(
            "semver: no crate with a release has changes that could break it: `cargo xtask semver REVISION` compares \
             with a revision, such as HEAD~1"
        );
        return Ok(());
    }
    if comparisons.iter().any(|comparison| comparison.macros.is_none()) {
        tools::ensure(&tools::SEMVER_CHECKS)?;
    }
    let mut broken = Vec::new();
    for comparison in &comparisons {
        if let Some(Break { needed, items }) = comparison.run(checkout)? {
            broken.push(format!("{} needs {needed} ({})", comparison.name, items.join(", ")));
        }
    }
    if !broken.is_empty() {
        bail!(
            "semver: {} of {} crates break their users: {}; undo the change, or describe it as *Breaking* in the \
             changelog",
            broken.len(),
            comparisons.len(),
            broken.join(", ")
        );
    }
    Ok(())
}

/// Returns the root file of a crate of macros.
fn macros_of(package: &Package) -> Option<String> {
    let mut targets = package.targets.iter();
    let has_macros = targets.any(|target| target.kind.contains(&TargetKind::ProcMacro));
    has_macros.then(|| package.file("src/lib.rs"))
}

fn with_revision(checkout: &Checkout, member: &Member, revision: &str) -> Option<Comparison> {
    let manifest = format!("{revision}:{}", member.package.file("Cargo.toml"));
    shell::read(&mut checkout.git(["cat-file", "-e", &manifest])).ok()?;
    let name = member.name().to_owned();
    let version = member.version().clone();
    let (baseline, macros) = (revision.to_owned(), macros_of(&member.package));
    Some(Comparison { name, version, baseline, release_type: None, macros })
}

/// Nothing is compared if the changelog announces a breaking release.
fn with_release(member: &Member) -> Result<Option<Comparison>> {
    let Some(released) = &member.released else {
        return Ok(None);
    };
    let comparison = Comparison::with_release(member.name(), released, &member.next_version()?);
    let changed = comparison.filter(|_| !member.changed_files.is_empty());
    Ok(changed.map(|comparison| Comparison { macros: macros_of(&member.package), ..comparison }))
}

struct Comparison {
    name: String,
    /// The last release; compared with a revision, the version in the manifest.
    version: Version,
    baseline: String,
    /// Without it, cargo-semver-checks compares the versions in both manifests.
    release_type: Option<&'static str>,
    /// The root file of a crate of macros, which cargo-semver-checks skips.
    macros: Option<String>,
}

/// Changes that the planned version doesn't permit.
#[derive(Debug, PartialEq, Eq)]
struct Break {
    /// The smallest version that permits them.
    needed: Version,
    items: Vec<String>,
}

impl Comparison {
    /// Returns `None` if `next` may break everything.
    fn with_release(name: &str, released: &Version, next: &Version) -> Option<Self> {
        if *next >= Bump::breaking(released).apply(released) {
            return None;
        }
        // Below 1.0, a patch may add items.
        let is_patch = *next < Bump::additive(released).apply(released);
        Some(Self {
            name: name.to_owned(),
            version: released.clone(),
            baseline: tag(name, released),
            release_type: Some(if is_patch { "patch" } else { "minor" }),
            macros: None,
        })
    }

    /// Returns `None` if the planned version permits the changes.
    ///
    /// # Errors
    /// If the crates cannot be compared.
    fn run(&self, checkout: &Checkout) -> Result<Option<Break>> {
        println!("semver: {} and {} ...", self.name, self.baseline);
        if let Some(library) = &self.macros {
            return self.run_macros(checkout, library);
        }
        let mut command = checkout.cargo("semver-checks --color never");
        command.args(["--package", &self.name, "--baseline-rev", &self.baseline]);
        command.args(self.release_type.iter().flat_map(|kind| ["--release-type", kind]));
        let output = command.output()?;
        let failures = String::from_utf8_lossy(&output.stdout);
        let report = format!("{failures}{}", String::from_utf8_lossy(&output.stderr));
        println!("{report}");
        if output.status.success() {
            return Ok(None);
        }
        match needed_bump(&report, &self.version) {
            Some(bump) => Ok(Some(self.broken(bump, items(&failures)))),
            None => bail!("semver: {} was not compared with {}", self.name, self.baseline),
        }
    }

    fn broken(&self, bump: Bump, items: Vec<String>) -> Break {
        Break { needed: bump.apply(&self.version), items }
    }

    fn run_macros(&self, checkout: &Checkout, library: &str) -> Result<Option<Break>> {
        let file = format!("{}:{library}", self.baseline);
        let before = shell::read(&mut checkout.git(["show", &file]))?;
        let removed = macros::removed(&before, &checkout.read(library)?)?;
        if removed.is_empty() {
            return Ok(None);
        }
        println!("semver: {} lacks {}", self.name, removed.join(", "));
        Ok(Some(self.broken(Bump::breaking(&self.version), removed)))
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

/// Returns the items that cargo-semver-checks lists, without their places. Each failed check has a list
/// below `Failed in:`, with lines such as `  Limits::a, previously in file a.rs:1`.
fn items(failures: &str) -> Vec<String> {
    let lists = failures.split("\nFailed in:\n").skip(1);
    let lines = lists.flat_map(|list| list.lines().take_while(|line| line.starts_with("  ")));
    let item = |line: &str| {
        let place = [", previously in ", ", in "].iter().find_map(|place| line.find(place));
        line[..place.unwrap_or(line.len())].trim().to_owned()
    };
    lines.map(item).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::release::checkout::tests::workspace;

    fn release_type(released: [u64; 3], next: [u64; 3]) -> Option<&'static str> {
        let [released, next] =
            [released, next].map(|[major, minor, patch]| Version::new(major, minor, patch));
        Comparison::with_release("a", &released, &next)?.release_type
    }

    #[test]
    fn the_next_version_decides_what_may_change() {
        assert_eq!(release_type([0, 1, 4], [0, 1, 5]), Some("minor"));
        assert_eq!(release_type([0, 1, 4], [0, 2, 0]), None);
        assert_eq!(release_type([1, 1, 4], [1, 1, 5]), Some("patch"));
        assert_eq!(release_type([1, 1, 4], [1, 2, 0]), Some("minor"));
        assert_eq!(release_type([1, 1, 4], [2, 0, 0]), None);
    }

    #[test]
    fn a_removed_macro_needs_a_breaking_release() {
        let manifest = "[package]\nname = \"a\"\nversion = \"0.1.0\"\n\n[lib]\nproc-macro = true\n";
        let library = "#[proc_macro] pub fn record(_: TokenStream) -> TokenStream {}\n";
        let (_folder, checkout) =
            workspace(&[("crates/a/Cargo.toml", manifest), ("crates/a/src/lib.rs", library)]);
        let needed = |library: &str| {
            fs::write(checkout.path("crates/a/src/lib.rs"), library).unwrap();
            let family = checkout.family().unwrap();
            let comparison = with_release(family.member("a").unwrap()).unwrap();
            comparison.unwrap().run(&checkout).unwrap()
        };
        let items = vec!["record!".to_owned()];
        let broken = Break { needed: Version::new(0, 2, 0), items };
        assert_eq!(needed(&library.replace("record", "row")), Some(broken));
        assert_eq!(needed(&format!("{library}fn helper() {{}}\n")), None);
    }

    #[test]
    fn a_break_fails_with_crate_and_item() {
        let manifest = "[package]\nname = \"a\"\nversion = \"0.1.0\"\n\n[lib]\nproc-macro = true\n";
        let library = "#[proc_macro] pub fn record(_: TokenStream) -> TokenStream {}\n";
        let (_folder, checkout) =
            workspace(&[("crates/a/Cargo.toml", manifest), ("crates/a/src/lib.rs", library)]);
        run(&checkout, None).unwrap();
        fs::write(checkout.path("crates/a/src/lib.rs"), library.replace("record", "row")).unwrap();
        assert_eq!(
            run(&checkout, None).unwrap_err().to_string(),
            "semver: 1 of 1 crates break their users: a needs 0.2.0 (record!); undo the change, or describe it as \
             *Breaking* in the changelog"
        );
    }

    #[test]
    fn the_report_names_the_broken_items() {
        let failures = "--- failure a: removed ---\n\nDescription:\nA method is gone.\n\nFailed in:\n  \
                      Limits::a, previously in file /src/limits.rs:30\n  Limits::b now takes 2, in /src/a.rs:3\n\n\
                      --- failure b: added ---\n\nFailed in:\n  trait C\n";
        assert_eq!(items(failures), ["Limits::a", "Limits::b now takes 2", "trait C"]);
    }

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
