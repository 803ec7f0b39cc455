//! Finds results in tool messages: in JSON of any shape.

use serde_json::{Map, Value};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    name: String,
    text: String,
    link: String,
}

const NAMES: &[&str] = &["name", "title"];
const TEXTS: &[&str] = &["value", "snippet", "content", "text", "description"];
const LINKS: &[&str] = &["link", "url"];

pub(super) fn found_in(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    if let Ok(value @ (Value::Array(_) | Value::Object(_))) = serde_json::from_str(text) {
        collect(&value, &mut found);
    }
    found
}

fn collect(value: &Value, found: &mut Vec<Found>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Object(fields) => match of_fields(fields) {
            Some(one) => found.push(one),
            None => fields.values().for_each(|field| collect(field, found)),
        },
        // Some functions return JSON as text.
        Value::String(text) if text.trim_start().starts_with(['[', '{']) => {
            found.extend(found_in(text));
        }
        _ => {}
    }
}

fn of_fields(fields: &Map<String, Value>) -> Option<Found> {
    let text_of = |names: &[&str]| {
        let named = |name: &&str| {
            fields.iter().find(|(field, _)| field.eq_ignore_ascii_case(name))?.1.as_str()
        };
        names.iter().find_map(named).map(str::to_owned)
    };
    let link = text_of(LINKS)?;
    let name = text_of(NAMES).unwrap_or_else(|| link.clone());
    Some(Found { name, text: text_of(TEXTS).unwrap_or_default(), link })
}

impl Found {
    pub(super) fn sentence(&self) -> String {
        let text = self.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let end = text.match_indices(". ").map(|(at, _)| at + 1).next();
        let sentence = end.and_then(|end| text.get(..end)).unwrap_or(&text);
        let shown = if sentence.is_empty() { &self.name } else { sentence };
        shown.chars().take(300).collect()
    }

    pub(super) fn citation(&self) -> String {
        let name = self.name.replace(['[', ']'], " ");
        let is_plain = !self.link.contains(['(', ')', ' ']);
        let link = if is_plain { self.link.clone() } else { format!("<{}>", self.link) };
        format!("[{}]({link})", name.trim())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(text: &str) -> Vec<String> {
        found_in(text).into_iter().map(|found| found.link).collect()
    }

    #[test]
    fn results_are_found_in_json_of_any_shape() {
        let one = r#"{"Name":"A","Value":"It is. Or not.","Link":"https://a.example/"}"#;
        assert_eq!(links(&format!("[{one}]")), ["https://a.example/"]);
        assert_eq!(links(&format!(r#"{{"results":[{one},{one}]}}"#)).len(), 2);
        assert_eq!(links(&Value::from(one).to_string()), Vec::<String>::new());
        let found = found_in(one).remove(0);
        assert_eq!(found.sentence(), "It is.");
        assert_eq!(found.citation(), "[A](https://a.example/)");
    }
}
