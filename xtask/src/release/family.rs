//! The published crates: their order, and how far each release is.

use anyhow::{Context as _, Result, bail};
use cargo_metadata::{DependencyKind, semver::Version};

use super::changelog::Changelog;
use super::version::require_release;
use crate::metadata::Package;

/// `(dependent, dependency)`: no public signature of the dependent names a type of the dependency,
/// so that a breaking change of the dependency doesn't reach users of the dependent.
/// `cargo xtask ci foreign-types` checks it.
pub(crate) const PRIVATE: &[(&str, &str)] =
    &[("textsearch-documents", "textsearch-html"), ("textsearch-web-page", "textsearch-html")];

#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) package: Package,
    /// The version of its newest tag.
    pub(crate) released: Option<Version>,
    pub(crate) changelog: Changelog,
    /// Files in its folder that changed since that tag.
    pub(crate) changed_files: Vec<String>,
}

impl Member {
    pub(crate) fn name(&self) -> &str {
        &self.package.name
    }

    pub(crate) fn version(&self) -> &Version {
        &self.package.version
    }

    pub(crate) fn is_released(&self) -> bool {
        self.released.as_ref() == Some(self.version())
    }

    /// Says whether `prepare` wrote the manifest's version, which isn't published yet.
    pub(crate) fn is_prepared(&self) -> bool {
        self.changelog.releases.first() == Some(self.version()) && !self.is_released()
    }

    /// Returns the version of the next release: the manifest's if it was prepared, otherwise the
    /// smallest one that the changelog permits.
    pub(crate) fn next_version(&self) -> Version {
        match &self.released {
            Some(released) if self.is_released() => {
                self.changelog.needed_bump(released).apply(released)
            }
            _ => self.version().clone(),
        }
    }

    /// Returns the newest version that the changelog calls released and that has no tag here, unless
    /// it waits to be published.
    pub(crate) fn untagged_release(&self) -> Option<&Version> {
        let waits = self.is_prepared() && self.changelog.entries() == 0;
        let newest = self.changelog.releases.get(usize::from(waits))?;
        self.released.as_ref().is_none_or(|tag| tag < newest).then_some(newest)
    }

    pub(crate) fn depends_on(&self, name: &str) -> bool {
        let mut dependencies = self.package.dependencies.iter();
        dependencies.any(|dependency| {
            dependency.name == name && dependency.kind != DependencyKind::Development
        })
    }

    /// Says whether a breaking change of the dependency `name` breaks users of this crate.
    pub(crate) fn exposes(&self, name: &str) -> bool {
        self.package.is_library() && !PRIVATE.contains(&(self.name(), name))
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
            let next = unordered.iter().position(is_ready);
            let next = next.context("release: crates depend on each other in a circle")?;
            ordered.push(unordered.remove(next));
        }
        Ok(Self(ordered))
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Member> {
        self.0.iter()
    }

    pub(crate) fn member(&self, name: &str) -> Result<&Member> {
        let member = self.iter().find(|member| member.name() == name);
        member.with_context(|| {
            let names: Vec<&str> = self.iter().map(Member::name).collect();
            format!("release: `{name}` is no published crate; those are {}", names.join(", "))
        })
    }

    /// # Errors
    /// If a release has no tag here: it would be compared with nothing.
    pub(crate) fn require_tags(&self) -> Result<()> {
        let untagged: Vec<String> = self
            .iter()
            .filter_map(|member| Some(format!("{} {}", member.name(), member.untagged_release()?)))
            .collect();
        if !untagged.is_empty() {
            bail!(
                "release: the changelogs name releases without a tag: {}; run `git fetch --tags`, or publish them \
                 from the commits that prepared them",
                untagged.join(", ")
            );
        }
        Ok(())
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
        let mut changelog = format!("## Unreleased\n\n{unreleased}\n");
        if is_released {
            changelog += "\n## 0.1.0 - 2026-07-01\n\n- First.\n";
        }
        Self {
            package: Package::of(name, fields),
            released: is_released.then(|| Version::new(0, 1, 0)),
            changelog: Changelog::parse(&changelog).unwrap(),
            changed_files: Vec::new(),
        }
    }

    /// With version 0.1.0, which is prepared and not published.
    pub(crate) fn prepared(name: &str, unreleased: &str, released: Option<Version>) -> Self {
        Self { released, ..Self::of(name, &[], unreleased, true) }
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
        assert_eq!(names(&family.unwrap()), ["html", "macros", "core", "brave", "cli"]);
    }

    #[test]
    fn a_circle_is_refused() {
        let circle = vec![Member::of("a", &["b"], "", true), Member::of("b", &["a"], "", true)];
        let error = Family::new(circle).unwrap_err().to_string();
        assert_eq!(error, "release: crates depend on each other in a circle");
    }

    #[test]
    fn an_unknown_crate_is_refused_with_the_known_ones() {
        let family = Family::new(vec![Member::of("core", &[], "", true)]).unwrap();
        let error = family.member("kore").unwrap_err().to_string();
        assert_eq!(error, "release: `kore` is no published crate; those are core");
    }

    #[test]
    fn the_next_version_follows_manifest_or_changelog() {
        let break_ = "- **Breaking:** `a`.";
        assert_eq!(Member::of("a", &[], break_, true).next_version(), Version::new(0, 2, 0));
        let prepared = Member::prepared("a", break_, Some(Version::new(0, 0, 9)));
        assert_eq!(prepared.next_version(), Version::new(0, 1, 0));
    }

    #[test]
    fn a_release_without_its_tag_is_named() {
        let error = |unreleased: &str, released: Option<Version>, older: Option<Version>| {
            let mut member = Member::prepared("a", unreleased, released);
            member.changelog.releases.extend(older);
            Family::new(vec![member]).unwrap().require_tags().map_err(|error| error.to_string())
        };
        let older = Some(Version::new(0, 0, 9));
        assert_eq!(error("", Some(Version::new(0, 1, 0)), older.clone()), Ok(()));
        assert_eq!(error("- Fixes `a`.", Some(Version::new(0, 1, 0)), older.clone()), Ok(()));
        // 0.1.0 waits to be published.
        assert_eq!(error("", None, None), Ok(()));
        assert_eq!(error("", older.clone(), older.clone()), Ok(()));
        let complaint = error("- Fixes `a`.", None, None).unwrap_err();
        assert!(
            complaint.contains("without a tag: a 0.1.0; run `git fetch --tags`"),
            "{complaint}"
        );
        let complaint = error("", None, older).unwrap_err();
        assert!(complaint.contains("without a tag: a 0.0.9;"), "{complaint}");
    }

    #[test]
    fn a_library_exposes_its_dependencies_unless_listed() {
        let documents = Member::of("textsearch-documents", &[], "", true);
        assert!(documents.exposes("textsearch-core"));
        assert!(!documents.exposes("textsearch-html"));
    }

    #[test]
    fn private_dependencies_exist() {
        let family = Checkout::here().family().unwrap();
        for (dependent, dependency) in PRIVATE {
            assert!(family.member(dependent).unwrap().depends_on(dependency), "{dependent}");
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
