//! The published crates: their order, and who exposes whom.

use anyhow::{Context as _, Result, bail};
use cargo_metadata::{DependencyKind, semver::Version};

use super::changelog::Changelog;
use super::version::{Bump, require_release};
use crate::metadata::Package;

/// `(dependent, dependency)`: no public signature of the dependent names a type of the dependency,
/// so that a breaking change of the dependency doesn't reach users of the dependent.
/// `cargo xtask ci foreign-types` checks it.
pub(crate) const PRIVATE: &[(&str, &str)] =
    &[("textsearch-documents", "textsearch-html"), ("textsearch-web-page", "textsearch-html")];

/// `(macros, target)`: code that the macros generate calls the target, though the target depends on
/// the macros. So no manifest requires the version of the target that new macros need.
pub(super) const GENERATES_FOR: &[(&str, &str)] =
    &[("textsearch-macros", "textsearch-core"), ("textsearch-macros", "textsearch-kernel")];

#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) package: Package,
    /// The version of its newest tag.
    pub(crate) released: Option<Version>,
    pub(crate) changelog: String,
    /// Files in its folder that changed since that tag.
    pub(crate) changed_files: Vec<String>,
    /// Breaking changes of the root manifest since that tag.
    pub(crate) breaks: Vec<String>,
    /// Entries of the root manifest that it inherits and that changed since that tag.
    pub(crate) inherited: Vec<String>,
}

impl Member {
    pub(crate) fn name(&self) -> &str {
        &self.package.name
    }

    pub(crate) fn version(&self) -> &Version {
        &self.package.version
    }

    pub(crate) fn changelog(&self) -> Result<Changelog<'_>> {
        Changelog::parse(&self.changelog).context(self.package.file("CHANGELOG.md"))
    }

    /// Says whether the changelog has a heading for the manifest's version, which `prepare` writes.
    pub(crate) fn has_heading(&self) -> Result<bool> {
        Ok(self.changelog()?.newest_release() == Some(self.version()))
    }

    /// Says whether the manifest's version holds all changes that the changelog describes.
    pub(crate) fn is_prepared(&self) -> Result<bool> {
        Ok(self.has_heading()? && self.changelog()?.unreleased().is_empty())
    }

    pub(crate) fn is_released(&self) -> bool {
        self.released.as_ref() == Some(self.version())
    }

    /// Says whether it was prepared and not published, and got entries since.
    pub(crate) fn is_outdated(&self) -> Result<bool> {
        Ok(!self.is_released() && self.has_heading()? && !self.is_prepared()?)
    }

    /// Returns the version of the next release: the manifest's if it was prepared, otherwise the
    /// smallest one that the changelog permits.
    pub(crate) fn next_version(&self) -> Result<Version> {
        match &self.released {
            Some(released) if released == self.version() => {
                Ok(self.changelog()?.needed_bump(released).apply(released))
            }
            _ => Ok(self.version().clone()),
        }
    }

    /// Complains if the root manifest breaks users and the next release is not a breaking one.
    pub(crate) fn unannounced_break(&self) -> Result<Option<String>> {
        let Some(released) = self.released.as_ref().filter(|_| !self.breaks.is_empty()) else {
            return Ok(None);
        };
        let is_announced = self.next_version()? >= Bump::breaking(released).apply(released);
        Ok((!is_announced).then(|| {
            format!(
                "release: users of {} {released} would break: {}; add a *Breaking* entry to {}",
                self.name(),
                self.breaks.join(", "),
                self.package.file("CHANGELOG.md")
            )
        }))
    }

    /// Returns the newest version that the changelog calls released and that has no tag here, unless
    /// it waits to be published.
    pub(crate) fn untagged_release(&self) -> Result<Option<Version>> {
        let changelog = self.changelog()?;
        let waits = self.is_prepared()? && !self.is_released();
        let newest = changelog.releases().nth(usize::from(waits));
        let is_tagged =
            |newest: &&Version| self.released.as_ref().is_some_and(|tag| tag >= *newest);
        Ok(newest.filter(|newest| !is_tagged(newest)).cloned())
    }

    pub(crate) fn depends_on(&self, name: &str) -> bool {
        let mut dependencies = self.package.dependencies.iter();
        dependencies.any(|dependency| {
            dependency.name == name && dependency.kind != DependencyKind::Development
        })
    }

    /// Says whether a breaking change of the crate `name` breaks users of this one.
    pub(crate) fn exposes(&self, name: &str) -> bool {
        self.package.is_library()
            && self.depends_on(name)
            && !PRIVATE.contains(&(self.name(), name))
    }
}

/// Ordered: dependencies before dependents.
#[derive(Debug)]
pub(crate) struct Family(Vec<Member>);

impl Family {
    pub(crate) fn new(mut unordered: Vec<Member>) -> Result<Self> {
        for member in &unordered {
            require_release(member.version()).context(member.package.file("Cargo.toml"))?;
        }
        unordered.sort_by(|one, other| one.name().cmp(other.name()));
        let mut ordered = Vec::new();
        while !unordered.is_empty() {
            let is_ready =
                |member: &Member| !unordered.iter().any(|other| member.depends_on(other.name()));
            let Some(next) = unordered.iter().position(is_ready) else {
                let names: Vec<&str> = unordered.iter().map(Member::name).collect();
                bail!("release: crates depend on each other in a circle: {}", names.join(", "));
            };
            ordered.push(unordered.remove(next));
        }
        Ok(Self(ordered))
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Member> {
        self.0.iter()
    }

    pub(crate) fn member(&self, name: &str) -> Result<&Member> {
        let found = self.iter().find(|member| member.name() == name);
        found.with_context(|| {
            let names: Vec<&str> = self.iter().map(Member::name).collect();
            format!("release: `{name}` is no published crate; those are {}", names.join(", "))
        })
    }

    /// Members that `member` needs at run time or to build.
    pub(crate) fn dependencies_of(&self, member: &Member) -> impl Iterator<Item = &Member> {
        self.iter().filter(|other| member.depends_on(other.name()))
    }
}

#[cfg(test)]
impl Member {
    /// With version 0.1.0, which is released if `is_released`.
    pub(crate) fn of(
        name: &str,
        dependencies: &[&str],
        unreleased: &str,
        is_released: bool,
    ) -> Self {
        let dependencies = dependencies.iter().map(|name| {
            serde_json::json!({
                "name": name, "req": "^0.1.0", "kind": null, "optional": false, "features": [],
                "uses_default_features": true, "target": null, "rename": null, "registry": null,
            })
        });
        let library = serde_json::json!({
            "name": "a", "kind": ["lib"], "crate_types": ["lib"], "src_path": "/project/a.rs",
        });
        let fields = serde_json::json!({
            "dependencies": dependencies.collect::<Vec<_>>(), "targets": [library],
        });
        let mut changelog = format!("# Changelog of {name}\n");
        if !unreleased.is_empty() {
            changelog += &format!("\n## Unreleased\n\n{unreleased}\n");
        }
        if is_released {
            changelog += "\n## 0.1.0 - 2026-07-01\n\n- First.\n";
        }
        let released = is_released.then(|| Version::new(0, 1, 0));
        let package = Package::of(name, fields);
        Self {
            package,
            released,
            changelog,
            changed_files: Vec::new(),
            breaks: Vec::new(),
            inherited: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::checkout::Checkout;

    fn names(family: &Family) -> Vec<&str> {
        family.iter().map(Member::name).collect()
    }

    #[test]
    fn dependencies_come_first_then_the_alphabet() {
        let family = Family::new(vec![
            Member::of("cli", &["core", "brave"], "", true),
            Member::of("brave", &["core", "serde"], "", true),
            Member::of("core", &["macros"], "", true),
            Member::of("html", &[], "", true),
            Member::of("macros", &[], "", true),
        ]);
        let family = family.unwrap();
        assert_eq!(names(&family), ["html", "macros", "core", "brave", "cli"]);
        let cli = family.member("cli").unwrap();
        let needed: Vec<&str> = family.dependencies_of(cli).map(Member::name).collect();
        assert_eq!(needed, ["core", "brave"]);
    }

    #[test]
    fn a_circle_is_refused_with_its_crates() {
        let circle = vec![Member::of("a", &["b"], "", true), Member::of("b", &["a"], "", true)];
        let error = Family::new(circle).unwrap_err().to_string();
        assert!(error.ends_with("in a circle: a, b"), "{error}");
    }

    #[test]
    fn an_unknown_crate_is_refused_with_the_known_ones() {
        let family = Family::new(vec![Member::of("core", &[], "", true)]).unwrap();
        let error = family.member("kore").unwrap_err().to_string();
        assert_eq!(error, "release: `kore` is no published crate; those are core");
    }

    #[test]
    fn the_next_version_follows_manifest_or_changelog() {
        let mut member = Member::of("a", &[], "- **Breaking:** `a`.", true);
        assert_eq!(member.next_version().unwrap(), Version::new(0, 2, 0));
        member.released = Some(Version::new(0, 0, 9));
        assert_eq!(member.next_version().unwrap(), Version::new(0, 1, 0));
    }

    #[test]
    fn a_break_of_the_root_manifest_needs_an_entry() {
        let mut member = Member::of("a", &[], "- Fixes `a`.", true);
        assert_eq!(member.unannounced_break().unwrap(), None);
        member.breaks = vec!["`url` changes".to_owned()];
        assert_eq!(
            member.unannounced_break().unwrap().as_deref(),
            Some(
                "release: users of a 0.1.0 would break: `url` changes; add a *Breaking* entry to \
                 crates/a/CHANGELOG.md"
            )
        );
        member.changelog = member.changelog.replace("- Fixes", "- **Breaking:**");
        assert_eq!(member.unannounced_break().unwrap(), None);
    }

    #[test]
    fn a_release_without_its_tag_is_found() {
        let untagged = |unreleased: &str, released: Option<Version>, older: &str| {
            let mut member = Member::of("a", &[], unreleased, true);
            member.released = released;
            member.changelog += older;
            member.untagged_release().unwrap().map(|version| version.to_string())
        };
        let older = "\n## 0.0.9 - 2026-06-01\n";
        assert_eq!(untagged("", Some(Version::new(0, 1, 0)), older), None);
        assert_eq!(untagged("- Fixes `a`.", Some(Version::new(0, 1, 0)), older), None);
        assert_eq!(untagged("- Fixes `a`.", None, "").as_deref(), Some("0.1.0"));
        // 0.1.0 waits to be published.
        assert_eq!(untagged("", None, ""), None);
        assert_eq!(untagged("", Some(Version::new(0, 0, 9)), older), None);
        assert_eq!(untagged("", None, older).as_deref(), Some("0.0.9"));
    }

    #[test]
    fn a_crate_exposes_its_dependencies_unless_listed() {
        let documents = ["textsearch-core", "textsearch-html"];
        let documents = Member::of("textsearch-documents", &documents, "", true);
        assert!(documents.exposes("textsearch-core"));
        assert!(!documents.exposes("textsearch-html") && !documents.exposes("textsearch-kernel"));
    }

    #[test]
    fn private_dependencies_exist() {
        let family = Checkout::here().family().unwrap();
        for (dependent, dependency) in PRIVATE {
            assert!(family.member(dependent).unwrap().depends_on(dependency), "{dependent}");
        }
    }

    #[test]
    fn targets_of_macros_depend_on_them() {
        let family = Checkout::here().family().unwrap();
        for (macros, target) in GENERATES_FOR {
            assert!(family.member(target).unwrap().depends_on(macros), "{target}");
        }
    }

    #[test]
    fn each_crate_comes_after_its_dependencies() {
        let family = Checkout::here().family().unwrap();
        let names = names(&family);
        assert!(names.len() > 30, "{names:?}");
        for (place, name) in names.iter().enumerate() {
            let member = family.member(name).unwrap();
            let late = names[place..].iter().find(|later| member.depends_on(later));
            assert_eq!(late, None, "{name} depends on it");
        }
    }
}
