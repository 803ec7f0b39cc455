//! Reads and writes the headings of a `CHANGELOG.md`.

use anyhow::{Result, bail};
use cargo_metadata::semver::Version;

use super::version::{Bump, require_release};

const GROUPS: &[&str] = &["Breaking", "Added", "Changed", "Fixed", "Deprecated"];
const UNRELEASED: &str = "## Unreleased";

#[derive(Debug, Default)]
pub(crate) struct Changelog {
    /// Lines under *Unreleased*.
    unreleased: Vec<String>,
    /// The newest comes first.
    pub(crate) releases: Vec<Version>,
}

impl Changelog {
    /// Refuses headings that are neither `## Unreleased` nor like `## 0.2.0 - 2026-08-01`, unknown
    /// groups, and releases that are not in order, the newest first.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let mut changelog = Self::default();
        let mut is_unreleased = false;
        for line in text.lines() {
            if line == UNRELEASED && !changelog.releases.is_empty() {
                bail!("`{UNRELEASED}` is not the first heading");
            } else if line == UNRELEASED {
                is_unreleased = true;
            } else if let Some(heading) = line.strip_prefix("## ") {
                is_unreleased = false;
                changelog.add_release(version_of(heading)?)?;
            } else if is_unreleased {
                check_group(line)?;
                changelog.unreleased.push(line.to_owned());
            }
        }
        Ok(changelog)
    }

    fn add_release(&mut self, version: Version) -> Result<()> {
        if let Some(newer) = self.releases.last().filter(|newer| **newer <= version) {
            bail!("{newer} stands above {version}; the newest release comes first");
        }
        self.releases.push(version);
        Ok(())
    }

    /// Counts the entries under *Unreleased*.
    pub(crate) fn entries(&self) -> usize {
        self.unreleased.iter().filter(|line| line.starts_with("- ")).count()
    }

    /// Returns the smallest bump of `version` that the text under *Unreleased* permits.
    pub(crate) fn needed_bump(&self, version: &Version) -> Bump {
        let is_marked = |word| self.unreleased.iter().any(|line| is_marked(line, word));
        if is_marked("Breaking") {
            Bump::breaking(version)
        } else if is_marked("Added") {
            Bump::additive(version)
        } else {
            Bump::Patch
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
    text.replacen(UNRELEASED, &heading(version, date), 1)
}

pub(crate) fn heading(version: &Version, date: &str) -> String {
    format!("## {version} - {date}")
}

/// Adds `entry` as the first one under *Unreleased*.
pub(crate) fn with_entry(text: &str, entry: &str) -> String {
    if let Some((before, after)) = text.split_once(UNRELEASED) {
        let after = after.trim_start_matches('\n');
        // A heading needs a blank line above.
        let gap = if after.starts_with("- ") || after.is_empty() { "" } else { "\n" };
        return format!("{before}{UNRELEASED}\n\n- {entry}\n{gap}{after}");
    }
    let title = text.find("\n## ").unwrap_or(text.len());
    let (title, releases) = text.split_at(title);
    format!("{}\n\n{UNRELEASED}\n\n- {entry}\n{releases}", title.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Changelog of textsearch-brave\n\n## Unreleased\n\n- Reads dates.\n  Also old ones.\n\
                        - Breaking news is found.\n\n## 0.1.1 - 2026-08-01\n\n- Fixes paging.\n\n\
                        ## 0.1.0 - 2026-07-01\n\n- **Breaking:** first.\n";

    fn needed(unreleased: &str, version: Version) -> Bump {
        let text =
            format!("## Unreleased\n\n{unreleased}\n\n## 0.1.0 - 2026-07-01\n\n### Breaking\n");
        Changelog::parse(&text).unwrap().needed_bump(&version)
    }

    #[test]
    fn entries_and_releases_are_read() {
        let changelog = Changelog::parse(TEXT).unwrap();
        assert_eq!(changelog.entries(), 2);
        assert_eq!(changelog.releases, [Version::new(0, 1, 1), Version::new(0, 1, 0)]);
        let released = Changelog::parse("## 0.1.0 - 2026-07-01\n\n- First.\n").unwrap();
        assert_eq!(released.entries(), 0);
    }

    #[test]
    fn the_needed_bump_follows_marked_changes() {
        let (early, stable) = (Version::new(0, 1, 0), Version::new(1, 0, 0));
        for breaking in ["### Breaking\n\n- Renames `a`.", "- **Breaking:** `a`", "- Breaking: `a`"]
        {
            assert_eq!(needed(breaking, early.clone()), Bump::Minor, "{breaking}");
            assert_eq!(needed(breaking, stable.clone()), Bump::Major, "{breaking}");
        }
        assert_eq!(needed("### Added\n\n- `b`", early.clone()), Bump::Patch);
        assert_eq!(needed("### Added\n\n- `b`", stable), Bump::Minor);
        assert_eq!(needed("- Breaking news is found.", early), Bump::Patch);
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
        assert_eq!(Changelog::parse(&text).unwrap().releases[0], Version::new(0, 2, 0));
        assert!(text.contains("## 0.2.0 - 2026-09-01\n\n- Reads dates."), "{text}");
    }

    #[test]
    fn an_entry_goes_below_unreleased_in_any_form() {
        for (text, expected) in [
            ("## Unreleased\n- Reads dates.\n", "## Unreleased\n\n- New.\n- Reads dates.\n"),
            ("## Unreleased\n\n### Added\n", "## Unreleased\n\n- New.\n\n### Added\n"),
            ("## Unreleased\n", "## Unreleased\n\n- New.\n"),
            ("## Unreleased", "## Unreleased\n\n- New.\n"),
        ] {
            assert_eq!(with_entry(text, "New."), expected);
        }
    }

    #[test]
    fn an_entry_opens_unreleased_if_needed() {
        let text = with_entry(TEXT, "Needs more.");
        assert!(text.contains("## Unreleased\n\n- Needs more.\n- Reads dates."), "{text}");
        let text = with_entry("# Log\n\n## 0.1.0 - 2026-07-01\n\n- First.\n", "Needs more.");
        assert_eq!(
            text,
            "# Log\n\n## Unreleased\n\n- Needs more.\n\n## 0.1.0 - 2026-07-01\n\n- First.\n"
        );
    }
}
