//! Reads and writes the headings of a `CHANGELOG.md`.

use anyhow::{Result, bail};
use cargo_metadata::semver::Version;

const GROUPS: &[&str] = &["Breaking", "Added", "Changed", "Fixed", "Deprecated"];
const UNRELEASED: &str = "## Unreleased";

#[derive(Debug, Default)]
pub(crate) struct Changelog {
    /// Lines under *Unreleased*.
    unreleased: Vec<String>,
    pub(crate) newest: Option<Version>,
}

impl Changelog {
    /// Refuses headings that are neither `## Unreleased` nor like `## 0.2.0 - 2026-08-01`, unknown
    /// groups, and releases that are not in order, the newest first.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let mut changelog = Self::default();
        let mut is_unreleased = false;
        let mut last = None;
        for line in text.lines() {
            if line == UNRELEASED && last.is_some() {
                bail!("`{UNRELEASED}` is not the first heading");
            } else if line == UNRELEASED {
                is_unreleased = true;
            } else if let Some(heading) = line.strip_prefix("## ") {
                is_unreleased = false;
                let version = version_of(heading)?;
                if let Some(newer) = last.filter(|newer| *newer <= version) {
                    bail!("{newer} stands above {version}; the newest release comes first");
                }
                changelog.newest.get_or_insert_with(|| version.clone());
                last = Some(version);
            } else if is_unreleased {
                check_group(line)?;
                changelog.unreleased.push(line.to_owned());
            }
        }
        Ok(changelog)
    }

    /// Counts the entries under *Unreleased*.
    pub(crate) fn entries(&self) -> usize {
        self.unreleased.iter().filter(|line| line.starts_with("- ")).count()
    }

    /// Returns the smallest version after `released` that the text under *Unreleased* permits, as cargo
    /// reads versions: below 1.0, a new minor number may break users, and a patch may add items.
    pub(crate) fn next_version(&self, released: &Version) -> Version {
        let Version { major, minor, patch, .. } = *released;
        let is_marked = |word| self.unreleased.iter().any(|line| is_marked(line, word));
        match (is_marked("Breaking"), is_marked("Added")) {
            (true, _) if major > 0 => Version::new(major + 1, 0, 0),
            (true, _) => Version::new(major, minor + 1, 0),
            (_, true) if major > 0 => Version::new(major, minor + 1, 0),
            _ => Version::new(major, minor, patch + 1),
        }
    }
}

/// Another group, such as `### Removed`, would count as a fix.
fn check_group(line: &str) -> Result<()> {
    if let Some(group) = line.strip_prefix("### ")
        && !GROUPS.contains(&group)
    {
        bail!("`### {group}` is no group; write one of {}", GROUPS.join(", "));
    }
    Ok(())
}

fn version_of(heading: &str) -> Result<Version> {
    let version = heading.split_once(" - ").filter(|(_, date)| is_date(date));
    let Some(version) = version.and_then(|(version, _)| Version::parse(version).ok()) else {
        bail!("`## {heading}` is no heading of a release; write `## 0.2.0 - 2026-08-01`");
    };
    require_release(&version)?;
    Ok(version)
}

/// # Errors
/// If `version` is a pre-release.
pub(crate) fn require_release(version: &Version) -> Result<()> {
    if !version.pre.is_empty() || !version.build.is_empty() {
        bail!("release: {version} is a pre-release; write three numbers, such as 0.2.0");
    }
    Ok(())
}

fn is_date(text: &str) -> bool {
    text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok()
}

/// `### Breaking` and `- **Breaking:** ...` are marked; a sentence with the word isn't.
fn is_marked(line: &str, word: &str) -> bool {
    let text = line.trim_start_matches(['#', '-', '*', ' ']);
    text.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '*']))
}

/// Replaces *Unreleased* with `version` and `date`.
pub(crate) fn released(text: &str, version: &Version, date: &str) -> String {
    text.replacen(UNRELEASED, &format!("## {version} - {date}"), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Changelog of textsearch-brave\n\n## Unreleased\n\n- Reads dates.\n  Also old ones.\n\
                        - Breaking news is found.\n\n## 0.1.1 - 2026-08-01\n\n- Fixes paging.\n\n\
                        ## 0.1.0 - 2026-07-01\n\n- **Breaking:** first.\n";

    #[test]
    fn entries_and_releases_are_read() {
        let changelog = Changelog::parse(TEXT).unwrap();
        assert_eq!((changelog.entries(), changelog.newest), (2, Some(Version::new(0, 1, 1))));
        let released = Changelog::parse("## 0.1.0 - 2026-07-01\n\n- First.\n").unwrap();
        assert_eq!(released.entries(), 0);
    }

    #[test]
    fn the_next_version_follows_marked_changes() {
        let early = Version::new(0, 1, 4);
        let stable = Version::new(1, 1, 4);
        let next = |unreleased: &str, released| {
            let text =
                format!("## Unreleased\n\n{unreleased}\n\n## 0.1.0 - 2026-07-01\n\n### Breaking\n");
            Changelog::parse(&text).unwrap().next_version(released).to_string()
        };
        for breaking in ["### Breaking\n\n- Renames `a`.", "- **Breaking:** `a`", "- Breaking: `a`"]
        {
            assert_eq!(next(breaking, &early), "0.2.0", "{breaking}");
            assert_eq!(next(breaking, &stable), "2.0.0", "{breaking}");
        }
        assert_eq!(next("### Added\n\n- `b`", &early), "0.1.5");
        assert_eq!(next("### Added\n\n- `b`", &stable), "1.2.0");
        assert_eq!(next("- Breaking news is found.", &early), "0.1.5");
        assert_eq!(next("- Fixes `a`.", &stable), "1.1.5");
    }

    #[test]
    fn malformed_headings_are_refused() {
        for (text, complaint) in [
            ("## 0.1.0\n", "no heading of a release"),
            ("## [0.1.0] - 2026-08-01\n", "no heading of a release"),
            ("## 0.1.0 - 2026-8-1\n", "no heading of a release"),
            ("## 0.2.0-rc.1 - 2026-08-01\n", "is a pre-release"),
            (
                "## Unreleased\n### Removed\n",
                "`### Removed` is no group; write one of Breaking, Added,",
            ),
            ("## Unreleased\n### Breaking changes\n", "is no group"),
            ("## 0.1.0 - 2026-08-01\n## Unreleased\n", "not the first heading"),
            ("## 0.1.0 - 2026-08-01\n## 0.1.1 - 2026-08-02\n", "newest release comes first"),
        ] {
            let error = Changelog::parse(text).unwrap_err().to_string();
            assert!(error.contains(complaint), "{error}");
        }
    }

    #[test]
    fn a_release_gets_version_and_date() {
        let text = released(TEXT, &Version::new(0, 2, 0), "2026-09-01");
        assert_eq!(Changelog::parse(&text).unwrap().newest, Some(Version::new(0, 2, 0)));
        assert!(text.contains("## 0.2.0 - 2026-09-01\n\n- Reads dates."), "{text}");
    }
}
