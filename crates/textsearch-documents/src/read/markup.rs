//! Headings of light markup, whose text stays as it is.

use crate::{Section, SectionHeading};

/// Returns the headings of reStructuredText, AsciiDoc, Org and LaTeX, by the file's extension.
pub(super) fn headings(extension: &str, text: &str) -> Vec<Section> {
    match extension {
        "rst" => underlined(text),
        "adoc" | "asciidoc" => marked(text, '='),
        "org" => marked(text, '*'),
        "tex" | "latex" => commands(text),
        _ => Vec::new(),
    }
}

/// See [sections](https://docutils.sourceforge.io/docs/ref/rst/restructuredtext.html#sections): an
/// underline at least as long as the title. Each new sign is one level deeper.
fn underlined(text: &str) -> Vec<Section> {
    let mut signs: Vec<(char, bool)> = Vec::new();
    let mut sections = Vec::new();
    let mut before = "";
    let mut title = (0, "");
    for (start, line) in lines(text) {
        if let Some(sign) = underline(line)
            && !title.1.is_empty()
            && underline(title.1).is_none()
            && !title.1.starts_with(' ')
            && title.1.chars().count() <= line.chars().count()
        {
            let style = (sign, underline(before) == Some(sign));
            let known = signs.iter().position(|known| *known == style);
            let level = known.unwrap_or_else(|| {
                signs.push(style);
                signs.len() - 1
            });
            sections.push(section(title.0, level + 1, title.1));
        }
        before = title.1;
        title = (start, line);
    }
    sections
}

fn underline(line: &str) -> Option<char> {
    let first = line.chars().next().filter(char::is_ascii_punctuation)?;
    (line.len() >= 3 && line.chars().all(|c| c == first)).then_some(first)
}

/// Signs before the title, as many as its level.
fn marked(text: &str, sign: char) -> Vec<Section> {
    let headings = lines(text).filter_map(|(start, line)| {
        let title = line.trim_start_matches(sign);
        let level = line.len() - title.len();
        let is_heading = level > 0 && title.starts_with(' ') && !title.trim().is_empty();
        is_heading.then(|| section(start, level, title))
    });
    headings.collect()
}

fn commands(text: &str) -> Vec<Section> {
    const LEVELS: [&str; 5] =
        ["\\chapter", "\\section", "\\subsection", "\\subsubsection", "\\paragraph"];
    let headings = lines(text).filter_map(|(start, line)| {
        let command = line.trim_start();
        let level = LEVELS.iter().position(|name| {
            command.strip_prefix(name).is_some_and(|rest| rest.starts_with(['{', '*', '[']))
        })?;
        let (_, title) = command.split_once('{')?;
        Some(section(start, level + 1, up_to_brace(title)))
    });
    headings.collect()
}

/// Up to the brace that ends the argument.
fn up_to_brace(argument: &str) -> &str {
    let mut depth = 0_usize;
    let end = argument.find(|c| {
        let is_end = c == '}' && depth == 0;
        depth = depth.saturating_add(usize::from(c == '{')).saturating_sub(usize::from(c == '}'));
        is_end
    });
    end.map_or(argument, |end| argument.split_at(end).0)
}

fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let place = start;
        start += line.len();
        (place, line.trim_end())
    })
}

fn section(start: usize, level: usize, title: &str) -> Section {
    let heading = SectionHeading { level, text: title.trim().to_owned() };
    Section { start, heading: Some(heading), locator: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headings_of(extension: &str, text: &str) -> Vec<(usize, usize, String)> {
        let sections = headings(extension, text).into_iter().filter_map(|section| {
            section.heading.map(|heading| (section.start, heading.level, heading.text))
        });
        sections.collect()
    }

    fn expected(headings: &[(usize, usize, &str)]) -> Vec<(usize, usize, String)> {
        headings.iter().map(|(start, level, text)| (*start, *level, (*text).to_owned())).collect()
    }

    #[test]
    fn restructured_text_levels_follow_the_signs() {
        let text = "=====\nTitle\n=====\n\nOne\n---\n\n| a |\n\nDeep\n~~~~\n\nTwo\n---\n";
        let headings = [(6, 1, "Title"), (19, 2, "One"), (35, 3, "Deep"), (46, 2, "Two")];
        assert_eq!(headings_of("rst", text), expected(&headings));
    }

    #[test]
    fn other_markup_has_its_own_signs() {
        assert_eq!(headings_of("adoc", "= A\ntext\n== B\n"), expected(&[(0, 1, "A"), (9, 2, "B")]));
        assert_eq!(
            headings_of("org", "* A\n** B\n*bold* text\n"),
            expected(&[(0, 1, "A"), (4, 2, "B")])
        );
        let tex = "\\section{A}\\label{x}\n\\subsection*{B}\n\\sectionmark{C}\n";
        assert_eq!(headings_of("tex", tex), expected(&[(0, 2, "A"), (21, 3, "B")]));
    }
}
