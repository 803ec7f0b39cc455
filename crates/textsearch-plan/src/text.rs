//! Formats texts of models and results.

use std::fmt::Write as _;

use serde_json::Value;
use textsearch_kernel::prompt::json_line;

const LONGEST: usize = 80;

/// Returns `value` as JSON in one line. Escapes invisible characters and those that reverse text, so
/// that a person sees what they approve.
pub(crate) fn visible(value: &Value) -> String {
    let json = json_line(value);
    if !json.contains(is_hidden) {
        return json;
    }
    let mut line = String::with_capacity(json.len() + 16);
    let mut last = ' ';
    for one in json.chars() {
        // An emoji has one; others could encode a message.
        let is_selected = one == SELECTOR && !last.is_whitespace() && last != '"';
        if is_hidden(one) && (is_hidden(last) || !is_selected) {
            for unit in one.encode_utf16(&mut [0; 2]) {
                // Writing to a text can't fail.
                let _ = write!(line, "\\u{unit:04x}");
            }
        } else {
            line.push(one);
        }
        last = one;
    }
    line
}

/// Selects the colored form of the emoji before it.
const SELECTOR: char = '\u{fe0f}';

/// Returns whether the character is invisible or reverses text.
fn is_hidden(one: char) -> bool {
    matches!(one, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}')
        || matches!(one, '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
        || matches!(one, '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}')
        || matches!(one, '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}')
        || matches!(one, '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Without control characters, since errors reach terminals and prompts.
pub(crate) fn excerpt(text: &str) -> String {
    let is_plain = |one: u8| one.is_ascii_alphanumeric() || b"_-.$[]".contains(&one);
    if text.len() <= LONGEST && text.bytes().all(is_plain) {
        return text.to_owned();
    }
    let quoted = visible(&Value::from(text));
    shorten(quoted.trim_matches('"'))
}

pub(crate) fn excerpt_of(value: &Value) -> String {
    shorten(&visible(value))
}

/// The names, each in backquotes.
pub(crate) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    const MOST: usize = 20;
    let mut names = names.into_iter();
    let first: Vec<String> =
        names.by_ref().take(MOST).map(|name| format!("`{}`", excerpt(name))).collect();
    let more = names.count();
    let list = first.join(", ");
    if more > 0 { format!("{list} and {more} more") } else { list }
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
