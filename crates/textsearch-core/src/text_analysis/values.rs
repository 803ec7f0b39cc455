//! Texts in the value of a field.

use std::borrow::Cow;

use serde_json::Value;

/// Returns the texts and numbers in a value, at any depth, as full-text search reads them.
///
/// ```
/// use textsearch_core::{serde_json::json, text_analysis::texts_of};
///
/// assert_eq!(texts_of(&json!([{ "name": "Ada" }, 1815, true, null])), ["Ada", "1815"]);
/// ```
pub fn texts_of(value: &Value) -> Vec<Cow<'_, str>> {
    let mut texts = Vec::new();
    collect(value, &mut texts);
    texts
}

fn collect<'a>(value: &'a Value, texts: &mut Vec<Cow<'a, str>>) {
    match value {
        Value::Null | Value::Bool(_) => {}
        Value::Number(number) => texts.push(Cow::Owned(number.to_string())),
        Value::String(text) => texts.push(Cow::Borrowed(text)),
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(fields) => fields.values().for_each(|item| collect(item, texts)),
    }
}
