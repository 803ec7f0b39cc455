//! Handles source syntax that the engine's parser treats differently from Handlebars.js.

use std::borrow::Cow;

use super::mistakes;

/// Replaces a dot that is a whole path, since the parser accepts it as a letter. It is one
/// character wide, like a dot, so error positions stay correct.
const DOT: char = '\u{E000}';

pub(super) struct Source<'s> {
    pub(super) text: &'s str,
    /// The source for the parser, with letters for `{{.}}` and `{{..}}`, which it does not support.
    pub(super) parsed: Cow<'s, str>,
}

impl<'s> Source<'s> {
    pub(super) fn new(text: &'s str) -> Self {
        let mut parsed = String::new();
        let mut rest = text;
        let has_letters = text.contains(DOT);
        while let Some((before, inside, after)) = next_tag(rest).filter(|_| !has_letters) {
            parsed.push_str(before);
            push_tag(&mut parsed, inside);
            rest = after;
        }
        let is_changed = parsed.contains(DOT);
        Self {
            text,
            parsed: if is_changed { Cow::Owned(parsed + rest) } else { Cow::Borrowed(text) },
        }
    }

    pub(super) fn text_of(&self, parsed: &str) -> String {
        match self.parsed {
            Cow::Owned(_) => parsed.replace(DOT, "."),
            Cow::Borrowed(_) => parsed.to_owned(),
        }
    }
}

fn next_tag(source: &str) -> Option<(&str, &str, &str)> {
    let start = source.find("{{")? + 2;
    let (before, rest) = source.split_at(start);
    let (inside, after) = rest.split_at(rest.find("}}")?);
    Some((before, inside, after))
}

fn push_tag(changed: &mut String, inside: &str) {
    let is_end = |character: Option<char>, ends: &str| {
        character.is_none_or(|character| character.is_whitespace() || ends.contains(character))
    };
    let mut before = None;
    let mut characters = inside.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '.' || !is_end(before, "({~&=#") {
            changed.push(character);
            before = Some(character);
            continue;
        }
        let is_double = characters.next_if_eq(&'.').is_some();
        let letter = if is_end(characters.peek().copied(), ")}~") { DOT } else { '.' };
        changed.extend(std::iter::repeat_n(letter, if is_double { 2 } else { 1 }));
        before = Some(letter);
    }
}

pub(super) fn dots_as_path(raw: &str) -> Option<&'static str> {
    let mut characters = raw.chars();
    match (characters.next(), characters.next(), characters.next()) {
        (Some(DOT), None, None) => Some("this"),
        (Some(DOT), Some(DOT), None) => Some("../this"),
        _ => None,
    }
}

pub(super) fn is_alone(source: &str, position: (usize, usize)) -> bool {
    let inside = |(before, tag): (&str, &str)| {
        let end = mistakes::end_of_tag(tag.get(2..)?)? + 4;
        let line_before = before.trim_end_matches([' ', '\t']);
        let after = tag.get(end..)?;
        let ends_line = after.trim_start_matches([' ', '\t']).starts_with(['\n', '\r']);
        let begins_line = line_before.is_empty() || line_before.ends_with(['\n', '\r']);
        Some(begins_line && (ends_line || after.is_empty()))
    };
    let start = offset(source, position);
    start.and_then(|start| source.split_at_checked(start)).and_then(inside).unwrap_or(false)
}

/// The parser drops it. The text after it starts at `position`.
pub(super) fn white_space_of_raw_block(source: &str, position: (usize, usize)) -> Option<&str> {
    let before = source.get(..offset(source, position)?)?;
    let inside = before.trim_end();
    let white_space = before.get(inside.len()..)?;
    let tag = inside.strip_suffix("}}}}").and_then(|tag| tag.rfind("{{{{"))?;
    let line_before = inside.get(..tag)?.rsplit('\n').next()?;
    let (line_after, rest) = white_space.split_once('\n').unwrap_or((white_space, white_space));
    let is_alone = line_before.trim().is_empty() && line_after.len() < white_space.len();
    Some(if is_alone { rest } else { white_space })
}

fn offset(source: &str, (line, column): (usize, usize)) -> Option<usize> {
    let start = match line {
        0 | 1 => 0,
        _ => source.match_indices('\n').nth(line - 2)?.0 + 1,
    };
    let width = |text: &str| text.char_indices().nth(column.saturating_sub(1)).map(|(at, _)| at);
    let rest = source.get(start..)?;
    Some(start + width(rest).unwrap_or(rest.len()))
}

#[cfg(test)]
mod tests {
    use super::{DOT, Source};

    #[test]
    fn only_dots_that_are_paths_are_changed() {
        let source =
            "a. {{.}} {{#each .}} {{f ..}} {{a.b}} {{../c}} {{./d}} {{{.}}} (.) {{f (g .)}}";
        let expected = source
            .replace("{.}", &format!("{{{DOT}}}"))
            .replace("each .}", &format!("each {DOT}}}"))
            .replace("f ..}", &format!("f {DOT}{DOT}}}"))
            .replace("g .)", &format!("g {DOT})"));
        assert_eq!(Source::new(source).parsed, expected);
    }
}
