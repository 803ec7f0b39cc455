//! The tags of HTML, read in one pass.

/// A tag and how many bytes it takes up.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tag {
    /// The name, in lower case.
    pub(super) name: String,
    pub(super) is_end: bool,
    pub(super) length: usize,
}

/// What begins at a `<`.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Markup {
    Tag(Tag),
    /// A comment, a declaration or the like, of so many bytes.
    Skip(usize),
    /// The sign itself.
    Text,
}

/// Reads what begins at the `<` that `html` begins with. What is not closed goes on to the end.
pub(super) fn read(html: &str) -> Markup {
    let rest = html.get(1..).unwrap_or_default();
    if let Some(comment) = rest.strip_prefix("!--") {
        return Markup::Skip(comment.find("-->").map_or(html.len(), |end| end + 7));
    }
    if rest.starts_with(['!', '?']) {
        return Markup::Skip(html.find('>').map_or(html.len(), |end| end + 1));
    }
    let is_end = rest.starts_with('/');
    let name = rest.get(usize::from(is_end)..).unwrap_or_default();
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return Markup::Text;
    }
    let length = name.find(|c: char| c.is_ascii_whitespace() || c == '/' || c == '>');
    let (name, attributes) = name.split_at(length.unwrap_or(name.len()));
    let length = html.len() - attributes.len() + attributes_length(attributes);
    Markup::Tag(Tag { name: name.to_ascii_lowercase(), is_end, length })
}

/// How long the attributes are, with the `>` after them. A `>` in a quoted value does not end the tag.
fn attributes_length(attributes: &str) -> usize {
    let mut quote = None;
    let mut may_quote = false;
    for (position, byte) in attributes.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'>') => return position + 1,
            (None, b'"' | b'\'') if may_quote => quote = Some(byte),
            (None, _) => may_quote = byte == b'=' || (may_quote && byte.is_ascii_whitespace()),
        }
    }
    attributes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(html: &str, name: &str, is_end: bool, length: usize) {
        assert_eq!(
            read(html),
            Markup::Tag(Tag { name: name.to_owned(), is_end, length }),
            "{html}"
        );
    }

    #[test]
    fn a_tag_ends_outside_of_quotes() {
        check("<P>x", "p", false, 3);
        check("</div >x", "div", true, 7);
        check("<a title='a > b' href = \"x>\">x", "a", false, 29);
        check("<a title=it's>x", "a", false, 14);
        check("<br/>x", "br", false, 5);
        check("<p unclosed", "p", false, 11);
    }

    #[test]
    fn comments_and_declarations_are_skipped() {
        assert_eq!(read("<!-- <p> -->x"), Markup::Skip(12));
        assert_eq!(read("<!doctype html>x"), Markup::Skip(15));
        assert_eq!(read("<!-- open"), Markup::Skip(9));
    }

    #[test]
    fn a_sign_without_a_name_is_text() {
        for text in ["< b", "<3", "<", "<é", "</ "] {
            assert_eq!(read(text), Markup::Text, "{text}");
        }
    }
}
