//! Titles and snippets without highlighting marks.

use std::borrow::Cow;

/// The longest name in `NAMED`, or number of a character reference.
const LONGEST_NAME: usize = 9;

/// The lowest first byte of a private-use character.
const FIRST_OF_PRIVATE: u8 = 0xee;

const NAMED: &[(&str, char)] = &[
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", ' '),
    ("ndash", '–'),
    ("mdash", '—'),
    ("hellip", '…'),
];

/// The marks that an engine puts around the query's words in a text.
///
/// ```
/// use textsearch_core::web::Marks;
///
/// let marks = Marks::Html(&["b", "strong"]);
/// assert_eq!(marks.removed("<b>Vec</b>&lt;String&gt; &amp; more"), "Vec<String> & more");
/// assert_eq!(Marks::Characters.removed("\u{e000}Vec\u{e001} &amp; more"), "Vec &amp; more");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a text is HTML or not")]
pub enum Marks {
    /// Tags of these names, with or without attributes, in texts with character references, and
    /// [`Characters`](Self::Characters), too. Other tags stay: a page about HTML may show them.
    Html(&'static [&'static str]),
    /// Private-use characters in texts that are no HTML, in which `&amp;` stays.
    Characters,
}

impl Marks {
    /// Removes the marks from a text, as [`removed`](Self::removed).
    pub fn remove(self, text: &mut String) {
        if let Cow::Owned(plain) = self.removed(text) {
            *text = plain;
        }
    }

    /// Returns the text without marks. If they are tags, resolves character references.
    pub fn removed(self, text: &str) -> Cow<'_, str> {
        if !may_be_marked(text) {
            return Cow::Borrowed(text);
        }
        let is_html = matches!(self, Self::Html(_)) && text.contains(['<', '&']);
        if !is_html && !text.contains(is_private) {
            return Cow::Borrowed(text);
        }
        let mut plain = match self {
            // References last: a `<b>` shown on a page arrives as `&lt;b&gt;` and must stay.
            Self::Html(tags) => resolved(&without_tags(text, tags)),
            Self::Characters => text.to_owned(),
        };
        plain.retain(|c| !is_private(c));
        Cow::Owned(plain)
    }
}

/// Most texts have no marks. Without an early exit, the compiler can vectorize the loop.
fn may_be_marked(text: &str) -> bool {
    let mut is_marked = false;
    let mut highest = 0;
    for byte in text.bytes() {
        is_marked |= (byte == b'<') | (byte == b'&');
        highest = byte.max(highest);
    }
    is_marked | (highest >= FIRST_OF_PRIVATE)
}

fn is_private(character: char) -> bool {
    ('\u{e000}'..='\u{f8ff}').contains(&character)
}

fn without_tags(text: &str, names: &[&str]) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        plain.push_str(before);
        rest = after;
        // The name first: searching for `>` after every `<` would take quadratic time.
        if !is_tag(after, names) {
            plain.push('<');
        } else if let Some((_, after_tag)) = after.split_once('>') {
            rest = after_tag;
        } else {
            plain.push('<');
            break;
        }
    }
    plain.push_str(rest);
    plain
}

fn is_tag(after: &str, names: &[&str]) -> bool {
    let tag = after.strip_prefix('/').unwrap_or(after);
    names.iter().any(|known| {
        let name = tag.get(..known.len()).filter(|name| name.eq_ignore_ascii_case(known));
        name.and_then(|name| tag.strip_prefix(name)).is_some_and(|rest| {
            rest.starts_with(char::is_whitespace) || rest.trim_start_matches('/').starts_with('>')
        })
    })
}

fn resolved(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        plain.push_str(before);
        match reference(after) {
            Some((character, after)) => {
                plain.push(character);
                rest = after;
            }
            None => {
                plain.push('&');
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    plain
}

fn reference(after: &str) -> Option<(char, &str)> {
    let end = after.bytes().take(LONGEST_NAME + 1).position(|byte| byte == b';')?;
    let (name, rest) = after.split_at_checked(end)?;
    Some((character(name)?, rest.strip_prefix(';')?))
}

fn character(name: &str) -> Option<char> {
    let Some(number) = name.strip_prefix('#') else {
        return NAMED.iter().find(|(known, _)| *known == name).map(|(_, character)| *character);
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => number.parse(),
    };
    char::from_u32(code.ok()?).filter(|character| !character.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKS: Marks = Marks::Html(&["b", "strong", "em", "span", "br"]);

    #[test]
    fn marks_go_and_references_become_characters_once() {
        let cases = [
            ("no marks", "no marks"),
            ("<strong>a</strong> <B>b</B> <em>c</em><br/><br />", "a b c"),
            ("<span class=\"highlight\">C&#43;&#x2b;</span> \u{e000}fast\u{e001}", "C++ fast"),
            ("AT&amp;T &lt;b&gt; &quot;x&quot; it&#x27;s &#8211;&nbsp;", "AT&T <b> \"x\" it's – "),
            ("&amp;lt;", "&lt;"),
            ("&#xe000;", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(MARKS.removed(text), expected);
            let mut changed = text.to_owned();
            MARKS.remove(&mut changed);
            assert_eq!(changed, expected);
        }
    }

    #[test]
    fn text_that_looks_like_markup_stays() {
        for text in [
            "Vec<String> & Option<T>",
            "a < b && b > a",
            "1 < 2 <i>",
            "AT&T; 1 &foo; 2 &",
            "&#0; &#x110000; &#xFFFFFFFF; &#;",
        ] {
            assert_eq!(MARKS.removed(text), text);
        }
    }

    #[test]
    fn unclosed_texts_are_read_in_linear_time() {
        // Searching for an end from each beginning would far exceed this.
        let longest = std::time::Duration::from_secs(8);
        for piece in ["<", "&", "<b", "<b/", "&#"] {
            let started = std::time::Instant::now();
            let text = piece.repeat(400_000);
            assert_eq!(MARKS.removed(&text), text, "{piece}");
            assert!(started.elapsed() < longest, "{piece}");
        }
    }

    #[test]
    fn a_text_that_is_no_html_loses_marking_characters_only() {
        let text = "\u{e000}<b>\u{e001} &amp;";
        assert_eq!(Marks::Characters.removed(text), "<b> &amp;");
    }
}
