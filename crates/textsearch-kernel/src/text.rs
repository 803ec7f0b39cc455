//! Formats values and names.

use std::borrow::Cow;

use serde_json::Value;

/// Returns the text of `value` in a prompt. A string is unchanged, a list of strings is joined by
/// newlines, null is empty, and anything else is JSON.
///
/// ```
/// use serde_json::json;
/// use textsearch_kernel::function::value_to_text;
///
/// assert_eq!(value_to_text(&json!(["one", "two"])), "one\ntwo");
/// assert_eq!(value_to_text(&json!({ "a": 1 })), r#"{"a":1}"#);
/// ```
pub fn value_to_text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => Cow::Borrowed(""),
        Value::String(text) => Cow::Borrowed(text),
        Value::Array(items) => match texts(items) {
            Some(texts) => Cow::Owned(texts.join("\n")),
            None => Cow::Owned(value.to_string()),
        },
        _ => Cow::Owned(value.to_string()),
    }
}

/// Returns `value` as JSON without any line break, so that no text can imitate a line of a prompt.
///
/// Also escapes U+0085, U+2028 and U+2029, which some readers take for line breaks, and the control
/// characters that JSON doesn't escape.
///
/// ```
/// use serde_json::json;
/// use textsearch_kernel::prompt::json_line;
///
/// assert_eq!(json_line(&json!("a\n\u{2028}b")), r#""a\n\u2028b""#);
/// ```
pub fn json_line(value: &Value) -> String {
    without_line_breaks(&value.to_string())
}

/// `json` must be valid: it has these characters only in strings.
pub(crate) fn without_line_breaks(json: &str) -> String {
    let mut line = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            // JSON itself escapes the other control characters.
            '\u{7F}'..='\u{9F}' | '\u{2028}' | '\u{2029}' => {
                line.push_str(&format!("\\u{:04x}", u32::from(character)));
            }
            other => line.push(other),
        }
    }
    line
}

/// Removes what filters put before a question: another search must not get the results of the first as its query.
pub(crate) fn without_context<'t>(text: &'t str, context: &str) -> &'t str {
    if context.is_empty() {
        return text;
    }
    text.strip_prefix(context).map_or(text, str::trim_start)
}

/// Joins the words of `text`, without control characters. Rust counts U+0085, U+2028 and U+2029 as white
/// space.
pub(crate) fn one_line(text: &str) -> String {
    let words = text.split_whitespace().map(|word| word.replace(char::is_control, ""));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

pub(crate) fn shorten(name: &str) -> String {
    shorten_to(name, 100)
}

/// The names after `before`, or `none` if there are no names.
pub(crate) fn names_or<N: std::borrow::Borrow<str>>(
    names: &[N],
    before: &str,
    none: &str,
) -> String {
    if names.is_empty() { none.to_owned() } else { format!("{before} {}", names.join(", ")) }
}

/// At most `max` characters, and `…` if it was longer.
pub(crate) fn shorten_to(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", text.split_at(end).0),
        None => text.to_owned(),
    }
}

fn texts(items: &[Value]) -> Option<Vec<&str>> {
    items.iter().map(Value::as_str).collect()
}
