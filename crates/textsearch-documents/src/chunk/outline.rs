//! The sections of a text, from its headings.

use std::ops::Range;

/// Of the headings above a text. HTML has six.
const MAX_OPEN: usize = 10;

/// Between headings.
pub(crate) const SEPARATOR: &str = " > ";

/// Of a title or a heading.
const MAX_CHARACTERS: usize = 500;

/// A heading that begins a section. Positions are bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Heading {
    /// From the start of its line.
    pub(crate) range: Range<usize>,
    /// 1 for the highest.
    pub(crate) level: usize,
    /// Without markup.
    pub(crate) text: String,
    pub(crate) anchor: Option<String>,
}

/// The text below one heading, or before the first. Positions are bytes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Section {
    /// Includes its heading.
    pub(crate) range: Range<usize>,
    /// From the highest heading to its own.
    pub(crate) path: Vec<String>,
    pub(crate) anchor: Option<String>,
}

/// Returns the sections of `text`, from byte `from` on, that contain text.
///
/// An empty heading is merged into the following section if that section is below it: the heading
/// describes it. Other empty sections are left out. Headings marked by an underline are kept: most
/// are paragraphs followed by a rule.
pub(crate) fn sections(text: &str, from: usize, headings: &[Heading]) -> Vec<Section> {
    let mut sections = Vec::new();
    let first = headings.first().map_or(text.len(), |heading| heading.range.start);
    if has_text(text, from..first) {
        sections.push(Section { range: from..first, path: Vec::new(), anchor: None });
    }
    let mut open: Vec<&Heading> = Vec::new();
    let mut empty_ancestor = None;
    for (position, heading) in headings.iter().enumerate() {
        if open.last().is_some_and(|last| last.level >= heading.level) {
            empty_ancestor = None;
        }
        open.retain(|ancestor| ancestor.level < heading.level);
        open.truncate(MAX_OPEN - 1);
        open.push(heading);
        let end = headings.get(position + 1).map_or(text.len(), |next| next.range.start);
        let start = empty_ancestor.unwrap_or(heading.range.start);
        let is_paragraph = !text.get(start..end).unwrap_or_default().trim_start().starts_with('#');
        if is_paragraph || has_text(text, heading.range.end..end) {
            let texts = open.iter().map(|heading| short(&heading.text));
            let path = texts.filter(|text| !text.is_empty()).collect();
            sections.push(Section { range: start..end, path, anchor: heading.anchor.clone() });
            empty_ancestor = None;
        } else {
            empty_ancestor = Some(start);
        }
    }
    sections
}

/// Returns the name of a section: title and headings. Omits the first heading if it equals the title.
pub(crate) fn full_name(title: &str, headings: &[String]) -> String {
    let repeated = headings.first().is_some_and(|first| first == title);
    let headings = headings.iter().skip(usize::from(repeated)).map(String::as_str);
    std::iter::once(title).chain(headings).collect::<Vec<_>>().join(SEPARATOR)
}

/// Each chunk holds its headings, so a long one would be stored many times.
pub(super) fn short(text: &str) -> String {
    text.chars().take(MAX_CHARACTERS).collect()
}

fn has_text(text: &str, range: Range<usize>) -> bool {
    text.get(range).is_some_and(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[&str], expected: &[(&str, &[&str])]) {
        let text = lines.join("\n");
        let mut headings = Vec::new();
        let mut start = 0;
        for line in lines {
            let level = line.chars().take_while(|c| *c == '#').count();
            if level > 0 {
                let range = start..start + line.len();
                let text = line[level..].trim().to_owned();
                headings.push(Heading { range, level, text, anchor: None });
            }
            start += line.len() + 1;
        }
        let sections = sections(&text, 0, &headings);
        let outline: Vec<(&str, Vec<&str>)> = sections
            .iter()
            .map(|section| {
                let path = section.path.iter().map(String::as_str).collect();
                (text[section.range.clone()].trim(), path)
            })
            .collect();
        let expected: Vec<_> = expected.iter().map(|(text, path)| (*text, path.to_vec())).collect();
        assert_eq!(outline, expected);
    }

    #[test]
    fn each_heading_begins_a_section_below_the_higher_ones() {
        check(
            &["before", "# A", "a", "## B", "b", "### C", "c", "## D", "d", "# E", "e"],
            &[
                ("before", &[]),
                ("# A\na", &["A"]),
                ("## B\nb", &["A", "B"]),
                ("### C\nc", &["A", "B", "C"]),
                ("## D\nd", &["A", "D"]),
                ("# E\ne", &["E"]),
            ],
        );
    }

    #[test]
    fn skipped_heading_levels_keep_the_hierarchy() {
        check(
            &["# A", "a", "### B", "b", "## C", "c"],
            &[("# A\na", &["A"]), ("### B\nb", &["A", "B"]), ("## C\nc", &["A", "C"])],
        );
    }

    #[test]
    fn empty_heading_joins_only_the_section_below_it() {
        check(&["# A", "", "## B", "b"], &[("# A\n\n## B\nb", &["A", "B"])]);
        check(&["# A", "## B", "## C", "c"], &[("## C\nc", &["A", "C"])]);
        check(&["# A", "# B", "b", "# C"], &[("# B\nb", &["B"])]);
    }

    #[test]
    fn blank_text_has_no_sections() {
        check(&["", "  ", ""], &[]);
    }
}
