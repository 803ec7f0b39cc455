//! What HTML in an answer leads to. It is read as leniently as browsers do: rather one address too many than one too few.

use std::ops::Range;

/// The attributes that hold an address.
const ATTRIBUTES: [&str; 10] = [
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
];

/// An address in an attribute, and where it is.
pub(super) struct Address {
    pub(super) text: String,
    pub(super) range: Range<usize>,
}

/// The addresses in attributes, and in all that reads like one: what is in a text, a comment or another attribute's value
/// in truth must not hide what is beside it.
///
/// Of character references only `&amp;` is read, which addresses of pages have: any other leaves an address that nothing
/// found has.
pub(super) fn addresses(html: &str) -> Vec<Address> {
    let mut found = Vec::new();
    let mut position = 0;
    while let Some(equals) = html.get(position..).and_then(|rest| rest.find('=')) {
        let equals = position + equals;
        position = equals + 1;
        let before = html.get(..equals).unwrap_or_default().trim_end();
        let is_inside = |one: char| one.is_ascii_alphanumeric() || matches!(one, '-' | '_');
        let name = before.rsplit(|one| !is_inside(one)).next().unwrap_or_default();
        if ATTRIBUTES.iter().any(|known| name.eq_ignore_ascii_case(known)) {
            let (range, next) = value_at(html, position);
            position = next;
            let text = html.get(range.clone()).unwrap_or_default().replace("&amp;", "&");
            found.push(Address { text, range });
        }
    }
    found
}

impl Address {
    /// Whether it can be that of a page, and has not swallowed what comes after it.
    pub(super) fn is_whole(&self) -> bool {
        let is_foreign = |one: char| one.is_whitespace() || matches!(one, '"' | '`' | '<' | '>');
        let part = self.text.split_once('#').map_or("", |(_, part)| part);
        // A page may have an apostrophe in its name, but then the source has it too; after the `#` anything would do.
        !self.text.contains(is_foreign) && !part.contains('\'')
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
