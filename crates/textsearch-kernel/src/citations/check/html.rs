//! What HTML in an answer leads to. It is read as leniently as browsers do: rather one address too many than one too few.

use std::{borrow::Cow, ops::Range};

use super::{css, reference::character_reference};

/// The attributes that hold an address. `url` is the one within `content="0; url=…"`.
const ATTRIBUTES: [&str; 19] = [
    "href",
    "src",
    "srcset",
    "action",
    "formaction",
    "poster",
    "data",
    "background",
    "ping",
    "cite",
    "archive",
    "classid",
    "codebase",
    "imagesrcset",
    "longdesc",
    "lowsrc",
    "manifest",
    "profile",
    "url",
];

/// An address in an attribute, and where it is.
pub(super) struct Address {
    pub(super) text: String,
    pub(super) range: Range<usize>,
    /// Whether it is a program or a page of its own, which may lead anywhere.
    is_program: bool,
}

/// The addresses in attributes, and in all that reads like one: what is in a text, a comment or another attribute's value
/// in truth must not hide what is beside it. Character references in them are read.
pub(super) fn addresses(html: &str) -> Vec<Address> {
    let mut found = Vec::new();
    let mut position = 0;
    while let Some(equals) = html.get(position..).and_then(|rest| rest.find('=')) {
        let equals = position + equals;
        position = equals + 1;
        let before = html.get(..equals).unwrap_or_default().trim_end();
        let is_inside = |one: char| one.is_ascii_alphanumeric() || matches!(one, '-' | '_');
        let name = before.rsplit(|one| !is_inside(one)).next().unwrap_or_default();
        let is_program = is_program(name);
        if is_program || ATTRIBUTES.iter().any(|known| name.eq_ignore_ascii_case(known)) {
            let (range, next) = value_at(html, position);
            position = next;
            let text = decoded(html.get(range.clone()).unwrap_or_default()).into_owned();
            found.push(Address { text, range, is_program });
        }
    }
    found
}

/// Whether an attribute holds a program that an event runs, or a page.
fn is_program(name: &str) -> bool {
    let event = name.get(..2).filter(|start| start.eq_ignore_ascii_case("on"));
    let event = event.and_then(|_| name.get(2..)).filter(|event| !event.is_empty());
    event.is_some_and(|event| event.bytes().all(|one| one.is_ascii_alphabetic()))
        || name.eq_ignore_ascii_case("srcdoc")
}

/// Whether a script begins in the HTML.
pub(super) fn has_script(html: &str) -> bool {
    html.to_ascii_lowercase().contains("<script")
}

/// Whether a tag begins what is read as a style sheet, not as text.
pub(super) fn begins_style(tag: &str) -> bool {
    tag.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("<style"))
}

/// Whether a tag breaks the line, so that what stands around it is not one word.
pub(super) fn is_break(tag: &str) -> bool {
    tag.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("<br"))
}

/// What the HTML reads as with its character references resolved, and then with the escapes of its styles resolved too;
/// without what makes no difference.
pub(super) fn readings(html: &str) -> Vec<String> {
    let mut readings = Vec::new();
    let decoded = decoded(html);
    let unescaped = css::unescaped(&decoded);
    readings.extend((unescaped != decoded).then(|| unescaped.into_owned()));
    readings.extend((decoded != html).then(|| decoded.into_owned()));
    readings
}

/// The text with its character references resolved.
pub(super) fn decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let (mut plain, mut position) = (String::with_capacity(text.len()), 0);
    while let Some(start) = text.get(position..).and_then(|rest| rest.find('&')) {
        let start = position + start;
        plain.push_str(text.get(position..start).unwrap_or_default());
        let rest = text.get(start..).unwrap_or_default();
        let (character, length) = character_reference(rest).unwrap_or(('&', 1));
        plain.push(character);
        position = start + length;
    }
    plain.push_str(text.get(position..).unwrap_or_default());
    Cow::Owned(plain)
}

impl Address {
    /// Whether it can be that of a page, and has not swallowed what comes after it.
    pub(super) fn is_whole(&self) -> bool {
        let is_foreign = |one: char| one.is_whitespace() || matches!(one, '"' | '`' | '<' | '>');
        let part = self.text.split_once('#').map_or("", |(_, part)| part);
        // A page may have an apostrophe in its name, but then the source has it too; after the `#` anything would do.
        !self.is_program && !self.text.contains(is_foreign) && !part.contains('\'')
    }
}

/// The value of an attribute whose equals sign is before `from`, and where to go on.
fn value_at(html: &str, from: usize) -> (Range<usize>, usize) {
    let rest = html.get(from..).unwrap_or_default();
    let value = rest.trim_start();
    let start = from + rest.len() - value.len();
    let Some(quote) = value.chars().next().filter(|first| matches!(first, '"' | '\'')) else {
        let range = start..start + unquoted(value);
        // Nothing within it can end it: it need not be read again.
        return (range.clone(), range.end);
    };
    let inside = value.get(1..).unwrap_or_default();
    let inside = inside.split(quote).next().unwrap_or_default();
    let address = inside.trim();
    let begin = start + 1 + inside.len() - inside.trim_start().len();
    (begin..begin + address.len(), start + 1)
}

/// The length of the value without quotes at the start of `text`, with the character that shows that it is none.
fn unquoted(text: &str) -> usize {
    let end = |one: char| one.is_whitespace() || matches!(one, '>' | '<' | '"' | '\'' | '`');
    text.find(end).map_or(text.len(), |end| {
        let is_foreign =
            text.get(end..).is_some_and(|rest| rest.starts_with(['<', '"', '\'', '`']));
        end + usize::from(is_foreign)
    })
}

/// Where what stands between the tags is.
pub(super) fn texts(html: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    html.split('<').enumerate().filter_map(move |(index, piece)| {
        let (begin, end) = (start, start + piece.len());
        start = end + 1;
        if index == 0 {
            return Some(begin..end);
        }
        let (tag, _) = piece.split_once('>')?;
        Some(begin + tag.len() + 1..end)
    })
}
