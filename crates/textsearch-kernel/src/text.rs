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

pub(crate) fn shorten(name: &str) -> String {
    const LONGEST: usize = 100;
    match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()),
        None => name.to_owned(),
    }
}

fn texts(items: &[Value]) -> Option<Vec<&str>> {
    items.iter().map(Value::as_str).collect()
}
