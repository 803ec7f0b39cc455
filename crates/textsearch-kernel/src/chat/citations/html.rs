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

/// The addresses in attributes, and where their values are.
///
/// Of character references only `&amp;` is read, which addresses of pages have: any other leaves an address that nothing
/// found has.
pub(super) fn addresses(html: &str) -> Vec<(String, Range<usize>)> {
    let mut found = Vec::new();
    let mut position = 0;
    while let Some(equals) = html.get(position..).and_then(|rest| rest.find('=')) {
        let equals = position + equals;
        position = equals + 1;
        let before = html.get(..equals).unwrap_or_default().trim_end();
        let is_inside = |one: char| one.is_ascii_alphanumeric() || matches!(one, '-' | '_');
        let name = before.rsplit(|one| !is_inside(one)).next().unwrap_or_default();
        if ATTRIBUTES.iter().any(|known| name.eq_ignore_ascii_case(known)) {
            let value = value_at(html, position);
            let address = html.get(value.clone()).unwrap_or_default().replace("&amp;", "&");
            position = value.end;
            found.push((address, value));
        }
    }
    found
}

/// The value of an attribute, with or without quotes, whose equals sign is before `from`.
fn value_at(html: &str, from: usize) -> Range<usize> {
    let rest = html.get(from..).unwrap_or_default();
    let value = rest.trim_start();
    let start = from + rest.len() - value.len();
    let quote = value.chars().next().filter(|first| matches!(first, '"' | '\''));
    let (start, end) = match quote {
        Some(quote) => (start + 1, value.get(1..).unwrap_or_default().find(quote)),
        None => (start, value.find(|one: char| one.is_whitespace() || one == '>')),
    };
    start..end.map_or(html.len(), |end| start + end)
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
