//! Reads and writes the headings of a `CHANGELOG.md`.

use anyhow::{Result, bail};
use cargo_metadata::semver::Version;

use super::version::{Bump, require_release};

const GROUPS: &[&str] = &["Breaking", "Added", "Changed", "Fixed", "Deprecated"];
const UNRELEASED: &str = "## Unreleased";

/// Text below one `## ` heading.
#[derive(Debug)]
struct Section<'a> {
    /// `None`: *Unreleased*.
    version: Option<Version>,
    body: Vec<&'a str>,
}

#[derive(Debug)]
pub(crate) struct Changelog<'a>(Vec<Section<'a>>);

impl<'a> Changelog<'a> {
    /// Refuses headings that are neither `## Unreleased` nor like `## 0.2.0 - 2026-08-01`, unknown
    /// groups, and releases that are not in order, the newest first.
    pub(crate) fn parse(text: &'a str) -> Result<Self> {
        let mut sections = Vec::<Section<'a>>::new();
        for line in text.lines() {
            if let Some(heading) = line.strip_prefix("## ") {
                let version = version_of(heading)?;
                sections.push(Section { version, body: Vec::new() });
            } else if let Some(section) = sections.last_mut() {
                check_group(line)?;
                section.body.push(line);
            }
        }
        for pair in sections.windows(2) {
            if let [newer, older] = pair {
                check_order(newer, older)?;
            }
        }
        Ok(Self(sections))
    }

    /// Entries under *Unreleased*.
    pub(crate) fn unreleased(&self) -> Vec<&'a str> {
        let section = self.0.first().filter(|section| section.version.is_none());
        let lines = section.into_iter().flat_map(|section| &section.body).copied();
        lines.filter(|line| line.starts_with("- ")).collect()
    }

    /// The newest comes first.
    pub(crate) fn releases(&self) -> impl Iterator<Item = &Version> {
        self.0.iter().filter_map(|section| section.version.as_ref())
    }

    pub(crate) fn newest_release(&self) -> Option<&Version> {
        self.releases().next()
    }

    /// Returns the smallest bump of `version` that the text under *Unreleased* permits.
    pub(crate) fn needed_bump(&self, version: &Version) -> Bump {
        let section = self.0.first().filter(|section| section.version.is_none());
        let lines = || section.into_iter().flat_map(|section| &section.body);
        if lines().any(|line| is_marked(line, "Breaking")) {
            Bump::breaking(version)
        } else if lines().any(|line| is_marked(line, "Added")) {
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

fn version_of(heading: &str) -> Result<Option<Version>> {
    if heading == "Unreleased" {
        return Ok(None);
    }
    let version = heading.split_once(" - ").filter(|(_, date)| is_date(date));
    let Some(version) = version.and_then(|(version, _)| Version::parse(version).ok()) else {
        bail!("`## {heading}` is no heading of a release; write `## 0.2.0 - 2026-08-01`");
    };
    require_release(&version)?;
    Ok(Some(version))
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    lengths == [4, 2, 2] && parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
}

fn check_order(newer: &Section<'_>, older: &Section<'_>) -> Result<()> {
    match (&newer.version, &older.version) {
        (_, None) => bail!("`{UNRELEASED}` is not the first heading"),
        (Some(newer), Some(older)) if newer <= older => {
            bail!("{newer} stands above {older}; the newest release comes first")
        }
        _ => Ok(()),
    }
}

/// `### Breaking` and `- **Breaking:** ...` are marked; a sentence with the word isn't.
fn is_marked(line: &str, word: &str) -> bool {
    let text = line.trim_start_matches(['#', '-', '*', ' ']);
    text.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '*']))
}

/// Replaces *Unreleased* with `version` and `date`.
pub(crate) fn released(text: &str, version: &Version, date: &str) -> Result<String> {
    if !text.lines().any(|line| line == UNRELEASED) {
        bail!("there is no `{UNRELEASED}`");
    }
    Ok(text.replacen(UNRELEASED, &heading(version, date), 1))
}

pub(crate) fn heading(version: &Version, date: &str) -> String {
    format!("## {version} - {date}")
}

/// Adds `entry` as the first one under *Unreleased*.
pub(crate) fn with_entry(text: &str, entry: &str) -> Result<String> {
    if Changelog::parse(text)?.0.first().is_some_and(|section| section.version.is_none()) {
        let (before, after) = text.split_once(UNRELEASED).unwrap_or((text, ""));
        let after = after.trim_start_matches('\n');
        // A heading needs a blank line above.
        let gap = if after.starts_with("- ") || after.is_empty() { "" } else { "\n" };
        return Ok(format!("{before}{UNRELEASED}\n\n- {entry}\n{gap}{after}"));
    }
    let section = format!("{UNRELEASED}\n\n- {entry}\n");
    let Some(first) = text.find("\n## ") else {
        return Ok(format!("{}\n\n{section}", text.trim_end()));
    };
    let (title, releases) = text.split_at(first);
    Ok(format!("{title}\n{section}{releases}"))
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
    fn entries_and_newest_release_are_read() {
        let changelog = Changelog::parse(TEXT).unwrap();
        assert_eq!(changelog.unreleased(), ["- Reads dates.", "- Breaking news is found."]);
        assert_eq!(changelog.newest_release(), Some(&Version::new(0, 1, 1)));
        let released = Changelog::parse("## 0.1.0 - 2026-07-01\n\n- First.\n").unwrap();
        assert!(released.unreleased().is_empty());
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
        let text = released(TEXT, &Version::new(0, 2, 0), "2026-09-01").unwrap();
        let changelog = Changelog::parse(&text).unwrap();
        assert_eq!(changelog.newest_release(), Some(&Version::new(0, 2, 0)));
        assert!(text.contains("## 0.2.0 - 2026-09-01\n\n- Reads dates."), "{text}");
        assert!(released(&text, &Version::new(0, 2, 1), "2026-09-02").is_err());
    }

    #[test]
    fn an_entry_goes_below_unreleased_in_any_form() {
        for (text, expected) in [
            ("## Unreleased\n- Reads dates.\n", "## Unreleased\n\n- New.\n- Reads dates.\n"),
            ("## Unreleased\n\n### Added\n", "## Unreleased\n\n- New.\n\n### Added\n"),
            ("## Unreleased\n", "## Unreleased\n\n- New.\n"),
            ("## Unreleased", "## Unreleased\n\n- New.\n"),
        ] {
            assert_eq!(with_entry(text, "New.").unwrap(), expected);
        }
    }

    #[test]
    fn an_entry_opens_unreleased_if_needed() {
        let text = with_entry(TEXT, "Needs more.").unwrap();
        assert!(text.contains("## Unreleased\n\n- Needs more.\n- Reads dates."), "{text}");
        let text =
            with_entry("# Log\n\n## 0.1.0 - 2026-07-01\n\n- First.\n", "Needs more.").unwrap();
        assert_eq!(
            text,
            "# Log\n\n## Unreleased\n\n- Needs more.\n\n## 0.1.0 - 2026-07-01\n\n- First.\n"
        );
    }
}
