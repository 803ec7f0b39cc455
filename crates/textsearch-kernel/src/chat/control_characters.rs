//! Removes control characters, which can hide text in a terminal that shows a log.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// Keeps line feeds and tabs; a carriage return becomes a line feed.
pub(crate) fn clean_text(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unwanted) {
        return Cow::Borrowed(text);
    }
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    Cow::Owned(text.replace(is_unwanted, ""))
}

pub(crate) fn clean(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(cleaned) = clean_text(text) {
                *text = cleaned;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(clean),
        Value::Object(fields) => {
            if fields.keys().any(|name| name.contains(is_unwanted)) {
                *fields = with_clean_names(std::mem::take(fields));
            }
            fields.values_mut().for_each(clean);
        }
        _ => {}
    }
}

/// Drops a field if another already has its clean name.
fn with_clean_names(fields: Map<String, Value>) -> Map<String, Value> {
    let (dirty, mut cleaned): (Map<_, _>, Map<_, _>) =
        fields.into_iter().partition(|(name, _)| name.contains(is_unwanted));
    for (name, value) in dirty {
        cleaned.entry(clean_text(&name)).or_insert(value);
    }
    cleaned
}

fn is_unwanted(character: char) -> bool {
    character.is_control() && !matches!(character, '\n' | '\t')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn removes_control_characters_except_line_feeds_and_tabs() {
        for (text, expected) in [
            ("a\tb\nc", "a\tb\nc"),
            ("a\r\nb\rc", "a\nb\nc"),
            ("\u{1b}[31mred\u{7}\0\u{7f}\u{9b}", "[31mred"),
            ("é👩‍👩‍👧", "é👩‍👩‍👧"),
        ] {
            assert_eq!(clean_text(text), expected);
        }
    }

    #[test]
    fn names_and_texts_are_cleaned_at_every_depth() {
        let mut value = json!([{ "a\u{0}": ["x\u{1b}y", 1, null], "b": { "c": "\u{85}" } }]);
        clean(&mut value);
        assert_eq!(value, json!([{ "a": ["xy", 1, null], "b": { "c": "" } }]));
    }

    #[test]
    fn a_cleaned_name_does_not_replace_a_field() {
        let mut value = json!({ "Lin\u{0}k": "https://evil.example", "Link": "https://a.example" });
        clean(&mut value);
        assert_eq!(value, json!({ "Link": "https://a.example" }));
    }
}
