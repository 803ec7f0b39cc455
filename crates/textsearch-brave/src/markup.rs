//! Text without the marks of highlighted words and without character references.

use std::borrow::Cow;

/// The marks that Brave puts around words of the query.
const MARKS: &[&str] = &["<strong>", "</strong>", "<b>", "</b>", "<em>", "</em>"];

/// The longest character reference that is looked for, with its `&` and `;`.
const LONGEST_REFERENCE: usize = 10;

/// The text as it is meant to be read.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(['<', '&']) {
        return Cow::Borrowed(text);
    }
    // References last: what a page shows as `<b>` comes as `&lt;b&gt;` and stays.
    let unmarked = MARKS.iter().fold(text.to_owned(), |text, mark| text.replace(mark, ""));
    Cow::Owned(resolved(&unmarked))
}

fn resolved(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, reference)) = rest.split_once('&') {
        plain.push_str(before);
        match character(reference) {
            Some((character, after)) => {
                plain.push(character);
                rest = after;
            }
            None => {
                plain.push('&');
                rest = reference;
            }
        }
    }
    plain.push_str(rest);
    plain
}

/// The character that a reference stands for, and what comes after it.
fn character(reference: &str) -> Option<(char, &str)> {
    let (name, after) = reference.split_once(';')?;
    let character = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => '\u{a0}',
        "ndash" => '–',
        "mdash" => '—',
        "hellip" => '…',
        _ if name.len() < LONGEST_REFERENCE => numbered(name.strip_prefix('#')?)?,
        _ => return None,
    };
    Some((character, after))
}

fn numbered(number: &str) -> Option<char> {
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => number.parse(),
    };
    char::from_u32(code.ok()?).filter(|character| !character.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_go_and_references_become_characters_once() {
        let cases = [
            ("no marks", "no marks"),
            ("<strong>a</strong> <b>b</b> <em>c</em>", "a b c"),
            (
                "AT&amp;T &lt;b&gt; &quot;x&quot; it&#x27;s &#8211; &nbsp;",
                "AT&T <b> \"x\" it's – \u{a0}",
            ),
            ("&amp;lt;", "&lt;"),
            ("a & b; &unknown; &#xFFFFFFFF; &#0; &", "a & b; &unknown; &#xFFFFFFFF; &#0; &"),
            ("1 < 2 <i>", "1 < 2 <i>"),
        ];
        for (text, expected) in cases {
            assert_eq!(plain(text), expected);
        }
    }
}
