//! Characters that a person doesn't see, though a program reads them.

/// Returns whether `c` is invisible: it has neither width nor ink, or it only reverses text or ends
/// a line.
///
/// Some languages and emoji need such characters (U+200C, U+200D, U+FE0F), so texts of documents
/// keep them. But a person must see them before they approve a text:
/// [UTR #36](https://www.unicode.org/reports/tr36/) describes the attacks.
///
/// Control characters are a different matter: [`char::is_control`].
pub(crate) const fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}')
        || matches!(c, '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}')
        || matches!(c, '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}')
        || matches!(c, '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns each character of `text`, and whether it is hidden: invisible or a control character.
///
/// U+FE0F asks for the colored form of the emoji or symbol before it, so it isn't hidden there.
/// Elsewhere it is, because it could encode a message.
///
/// ```
/// use textsearch_core::invisible::with_hidden;
///
/// let shown = |text: &str| -> String {
///     with_hidden(text).map(|(c, is_hidden)| if is_hidden { '?' } else { c }).collect()
/// };
/// assert_eq!(shown("in\u{200b}voice.md"), "in?voice.md");
/// assert_eq!(shown("❤\u{fe0f}\u{fe0f}"), "❤\u{fe0f}?");
/// ```
pub fn with_hidden(text: &str) -> impl Iterator<Item = (char, bool)> {
    let mut last = ' ';
    let mut rest = text.chars().peekable();
    std::iter::from_fn(move || {
        let character = rest.next()?;
        let before = std::mem::replace(&mut last, character);
        let is_part_of_emoji =
            character == '\u{fe0f}' && takes_selector(before, rest.peek().copied());
        Some((character, is_hidden(character) && !is_part_of_emoji))
    })
}

fn is_hidden(character: char) -> bool {
    character.is_control() || is_invisible(character)
}

/// Whether U+FE0F between the two makes an emoji.
fn takes_selector(before: char, after: Option<char>) -> bool {
    match before {
        // Keycaps.
        '0'..='9' | '#' | '*' => after == Some('\u{20e3}'),
        // The blocks and the single characters of
        // https://www.unicode.org/Public/UCD/latest/ucd/emoji/emoji-variation-sequences.txt
        '\u{2190}'..='\u{23ff}' | '\u{25a0}'..='\u{27bf}' | '\u{2900}'..='\u{297f}' => true,
        '\u{2b00}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}' => true,
        '©' | '®' | '‼' | '⁉' | '™' | 'ℹ' | 'Ⓜ' | '〰' | '〽' | '㊗' | '㊙' => true,
        _ => false,
    }
}

/// Escapes the hidden characters in the strings of `json`, which keep their value. Line breaks between
/// values stay.
///
/// `json` must be valid: it has hidden characters, other than line breaks and tabs, only in strings.
///
/// ```
/// use textsearch_core::invisible::escape_json;
///
/// assert_eq!(escape_json("\"a\u{202e}b\""), r#""a\u202eb""#);
/// ```
pub fn escape_json(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for (character, is_hidden) in with_hidden(json) {
        if is_hidden && !matches!(character, '\n' | '\r' | '\t') {
            for unit in character.encode_utf16(&mut [0; 2]) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            escaped.push(character);
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(text: &str) -> String {
        with_hidden(text).filter(|(_, is_hidden)| *is_hidden).map(|(c, _)| c).collect()
    }

    #[test]
    fn characters_without_width_or_ink_are_hidden() {
        for (first, last) in [
            ('\u{ad}', '\u{ad}'),
            ('\u{34f}', '\u{34f}'),
            ('\u{61c}', '\u{61c}'),
            ('\u{115f}', '\u{1160}'),
            ('\u{17b4}', '\u{17b5}'),
            ('\u{180b}', '\u{180f}'),
            ('\u{200b}', '\u{200f}'),
            ('\u{2028}', '\u{202e}'),
            ('\u{2060}', '\u{206f}'),
            ('\u{2800}', '\u{2800}'),
            ('\u{3164}', '\u{3164}'),
            ('\u{fe00}', '\u{fe0e}'),
            ('\u{feff}', '\u{feff}'),
            ('\u{ffa0}', '\u{ffa0}'),
            ('\u{fff0}', '\u{fffb}'),
            ('\u{1bca0}', '\u{1bca3}'),
            ('\u{1d173}', '\u{1d17a}'),
            ('\u{e0000}', '\u{e0fff}'),
        ] {
            for character in first..=last {
                assert_eq!(hidden(&format!("a{character}b")), character.to_string());
            }
        }
        assert_eq!(hidden("größe 日本.md"), "");
    }

    #[test]
    fn only_the_first_selector_of_an_emoji_is_visible() {
        assert_eq!(hidden("❤\u{fe0f}"), "");
        assert_eq!(hidden("❤\u{fe0f}\u{fe0f}"), "\u{fe0f}");
        for emoji in ['ℹ', 'Ⓜ', '🅰', '🅿', '©', '㊗', '☎'] {
            assert_eq!(hidden(&format!("{emoji}\u{fe0f}")), "", "{emoji}");
        }
        for before in
            ['"', ' ', 'n', '日', '1', '#', '_', '.', '—', '\u{301}', '\u{20e3}', '²', '\u{a0}']
        {
            assert_eq!(hidden(&format!("{before}\u{fe0f}")), "\u{fe0f}");
        }
        assert_eq!(hidden("1\u{fe0f}\u{20e3}"), "");
    }

    #[test]
    fn escaped_json_has_the_same_value() {
        let value = serde_json::json!({ "a": "x\u{1b}\u{7f}\u{9b}\u{202e}\n\u{200b}\u{e0041}y" });
        let json = escape_json(&serde_json::to_string_pretty(&value).unwrap());
        assert!(json.is_ascii() && json.lines().count() == 3, "{json}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&json).unwrap(), value);
    }
}
