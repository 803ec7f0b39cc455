//! Reads HTML tags and their attributes in one pass.

/// A tag of the page.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tag<'html> {
    /// Name, in lower case.
    pub name: String,
    /// Attributes with their values as written, including character references.
    pub attributes: Vec<(String, &'html str)>,
    pub(crate) is_end: bool,
    /// Length of the tag in bytes.
    pub(crate) length: usize,
}

impl<'html> Tag<'html> {
    /// Returns an attribute's value as written, or an empty text if it has none. Returns `None` if
    /// the tag lacks the attribute.
    pub fn attribute(&self, name: &str) -> Option<&'html str> {
        self.attributes.iter().find(|(own, _)| own == name).map(|(_, value)| *value)
    }
}

/// The markup that starts at a `<`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Markup<'html> {
    Tag(Tag<'html>),
    /// A comment, declaration or similar, with its length in bytes.
    Skip(usize),
    /// A literal `<`.
    Text,
}

/// Reads the markup at the start of `html`, which begins with `<`. Unclosed markup extends to the
/// end.
pub(crate) fn read(html: &str) -> Markup<'_> {
    let rest = html.get(1..).unwrap_or_default();
    if let Some(comment) = rest.strip_prefix("!--") {
        return Markup::Skip(comment.find("-->").map_or(html.len(), |end| end + 7));
    }
    let is_end = rest.starts_with('/');
    let name = rest.get(usize::from(is_end)..).unwrap_or_default();
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return Markup::Tag(tag(html.len(), name, is_end));
    }
    if is_end || rest.starts_with(['!', '?']) {
        return Markup::Skip(html.find('>').map_or(html.len(), |end| end + 1));
    }
    Markup::Text
}

fn tag(length: usize, rest: &str, is_end: bool) -> Tag<'_> {
    let (name, mut rest) = split_at(rest, |c| is_space(c) || matches!(c, '/' | '>'));
    let mut attributes = Vec::new();
    loop {
        rest = rest.trim_start_matches(|c| is_space(c) || c == '/');
        if rest.is_empty() || rest.starts_with('>') {
            break;
        }
        let (name, value, after) = attribute(rest);
        attributes.push((name.to_ascii_lowercase(), value));
        rest = after;
    }
    let rest = rest.strip_prefix('>').unwrap_or(rest);
    Tag { name: name.to_ascii_lowercase(), attributes, is_end, length: length - rest.len() }
}

/// Reads one attribute. Returns its name, its value and the rest.
fn attribute(text: &str) -> (&str, &str, &str) {
    // A name may start with `=`, so the first character is always part of it.
    let first = text.chars().next().map_or(0, char::len_utf8);
    let (_, after_first) = text.split_at(first);
    let (more, after) = split_at(after_first, |c| is_space(c) || matches!(c, '/' | '>' | '='));
    let name = text.get(..first + more.len()).unwrap_or_default();
    let Some(value) = after.trim_start_matches(is_space).strip_prefix('=') else {
        return (name, "", after);
    };
    let value = value.trim_start_matches(is_space);
    for quote in ['"', '\''] {
        if let Some(quoted) = value.strip_prefix(quote) {
            let (value, after) = quoted.split_once(quote).unwrap_or((quoted, ""));
            return (name, value, after);
        }
    }
    let (value, after) = split_at(value, |c| is_space(c) || c == '>');
    (name, value, after)
}

fn split_at(text: &str, is_end: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(is_end).unwrap_or(text.len()))
}

fn is_space(c: char) -> bool {
    c.is_ascii_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(html: &str, name: &str, attributes: &[(&str, &str)], length: usize) {
        let Markup::Tag(tag) = read(html) else { panic!("{html}") };
        let read: Vec<_> =
            tag.attributes.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        assert_eq!(
            (tag.name.as_str(), read.as_slice(), tag.length),
            (name, attributes, length),
            "{html}"
        );
    }

    #[test]
    fn attributes_are_read_with_any_quoting() {
        check("<P>x", "p", &[], 3);
        check(
            "<a HREF=/x/y title='a > b' hidden>x",
            "a",
            &[("href", "/x/y"), ("title", "a > b"), ("hidden", "")],
            34,
        );
        check("<a x = \"1>\" / y=it's>x", "a", &[("x", "1>"), ("y", "it's")], 21);
        check("<br/>x", "br", &[], 5);
        check("<p =x>y", "p", &[("=x", "")], 6);
    }

    #[test]
    fn unclosed_markup_extends_to_the_end() {
        check("<p unclosed", "p", &[("unclosed", "")], 11);
        check("<p title='x>y", "p", &[("title", "x>y")], 13);
        assert_eq!(read("<!-- open"), Markup::Skip(9));
    }

    #[test]
    fn comments_and_declarations_are_skipped() {
        assert_eq!(read("<!-- <p> -->x"), Markup::Skip(12));
        assert_eq!(read("<!doctype html>x"), Markup::Skip(15));
        assert_eq!(read("</ x>y"), Markup::Skip(5));
    }

    #[test]
    fn a_less_than_sign_without_a_name_is_text() {
        for text in ["< b", "<3", "<", "<é"] {
            assert_eq!(read(text), Markup::Text, "{text}");
        }
    }
}
