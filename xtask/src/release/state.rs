//! The published crates, the version that they share, and how far its release is.

use cargo_metadata::semver::Version;

use super::changelog::Changelog;
use crate::metadata::Package;

#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) package: Package,
    pub(crate) changelog: Changelog,
}

#[derive(Debug)]
pub(crate) struct State {
    pub(crate) members: Vec<Member>,
    /// The version in the manifests.
    pub(crate) version: Version,
    /// The version of the newest tag.
    pub(crate) released: Option<Version>,
}

impl State {
    /// Returns whether `prepare` wrote the manifests' version, which isn't published yet.
    pub(crate) fn is_prepared(&self) -> bool {
        self.newest_heading() == Some(&self.version)
            && self.released.as_ref() != Some(&self.version)
    }

    /// Returns the newest version that a changelog calls released.
    pub(crate) fn newest_heading(&self) -> Option<&Version> {
        self.members.iter().filter_map(|member| member.changelog.newest.as_ref()).max()
    }

    /// Returns the crates with entries under *Unreleased*.
    pub(crate) fn changed(&self) -> impl Iterator<Item = &Member> {
        self.members.iter().filter(|member| member.changelog.entries() > 0)
    }

    /// Returns the version of the manifests if it is prepared or the first, otherwise the smallest one that
    /// the changelogs permit.
    pub(crate) fn next_version(&self) -> Version {
        let released = self.released.as_ref().filter(|_| !self.is_prepared());
        let Some(released) = released else { return self.version.clone() };
        let versions = self.changed().map(|member| member.changelog.next_version(released));
        versions.max().unwrap_or_else(|| released.clone())
    }
}

#[cfg(test)]
impl State {
    /// At version 0.1.0, with the entries of each crate.
    pub(crate) fn new(released: Option<Version>, members: &[(&str, &str)]) -> Self {
        let members = members.iter().map(|(name, unreleased)| Member {
            package: Package::new(name, serde_json::json!({})),
            changelog: Changelog::parse(unreleased).unwrap(),
        });
        Self { members: members.collect(), version: Version::new(0, 1, 0), released }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BREAKING: &str = "## Unreleased\n\n- **Breaking:** `a`.\n";
    const FIX: &str = "## Unreleased\n\n- Fixes `a`.\n";

    #[test]
    fn the_largest_change_decides_the_version() {
        let released = || Some(Version::new(0, 1, 0));
        let state = State::new(released(), &[("brave", FIX), ("core", BREAKING), ("html", "")]);
        assert_eq!(state.next_version(), Version::new(0, 2, 0));
        assert_eq!(State::new(released(), &[("brave", FIX)]).next_version(), Version::new(0, 1, 1));
        assert_eq!(State::new(released(), &[("brave", "")]).next_version(), Version::new(0, 1, 0));
    }

    #[test]
    fn the_first_release_keeps_its_version() {
        assert_eq!(State::new(None, &[("core", BREAKING)]).next_version(), Version::new(0, 1, 0));
    }

    #[test]
    fn a_heading_without_a_tag_is_prepared() {
        let members = [("brave", "## 0.1.0 - 2026-07-01\n"), ("core", "")];
        assert!(State::new(None, &members).is_prepared());
        assert!(!State::new(Some(Version::new(0, 1, 0)), &members).is_prepared());
        assert!(!State::new(None, &[("brave", FIX)]).is_prepared());
    }
}
