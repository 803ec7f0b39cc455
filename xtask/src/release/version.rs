//! Bumps of versions, as cargo reads semantic versioning.

use anyhow::{Result, bail};
use cargo_metadata::semver::Version;
use clap::ValueEnum;

/// Which number of a version grows. Ordered: a later one permits more changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Bump {
    Patch,
    Minor,
    Major,
}

impl Bump {
    /// Returns the smallest bump that may break users of `version`: below 1.0, the minor number.
    pub(crate) fn breaking(version: &Version) -> Self {
        if version.major == 0 { Self::Minor } else { Self::Major }
    }

    /// Returns the smallest bump for new items: below 1.0, cargo takes them in a patch.
    pub(crate) fn additive(version: &Version) -> Self {
        if version.major == 0 { Self::Patch } else { Self::Minor }
    }

    pub(crate) fn apply(self, version: &Version) -> Version {
        match self {
            Self::Patch => Version::new(version.major, version.minor, version.patch + 1),
            Self::Minor => Version::new(version.major, version.minor + 1, 0),
            Self::Major => Version::new(version.major + 1, 0, 0),
        }
    }
}

/// # Errors
/// If `version` is a pre-release, which no bump of ours continues.
pub(crate) fn require_release(version: &Version) -> Result<()> {
    if !version.pre.is_empty() || !version.build.is_empty() {
        bail!("release: {version} is a pre-release; write three numbers, such as 0.2.0");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bump_resets_the_smaller_numbers() {
        let version = Version::new(1, 2, 3);
        assert_eq!(Bump::Patch.apply(&version), Version::new(1, 2, 4));
        assert_eq!(Bump::Minor.apply(&version), Version::new(1, 3, 0));
        assert_eq!(Bump::Major.apply(&version), Version::new(2, 0, 0));
    }

    #[test]
    fn a_pre_release_is_refused() {
        require_release(&Version::new(0, 2, 0)).unwrap();
        for version in ["0.2.0-rc.1", "0.2.0+build"] {
            let error = require_release(&Version::parse(version).unwrap()).unwrap_err().to_string();
            assert!(error.starts_with(&format!("release: {version} is a pre-release")), "{error}");
        }
    }

    #[test]
    fn the_minor_number_breaks_users_below_1_0() {
        let (early, stable) = (Version::new(0, 1, 4), Version::new(1, 1, 4));
        assert_eq!(Bump::breaking(&early).apply(&early), Version::new(0, 2, 0));
        assert_eq!(Bump::breaking(&stable).apply(&stable), Version::new(2, 0, 0));
        assert_eq!(Bump::additive(&early).apply(&early), Version::new(0, 1, 5));
        assert_eq!(Bump::additive(&stable).apply(&stable), Version::new(1, 2, 0));
    }
}
