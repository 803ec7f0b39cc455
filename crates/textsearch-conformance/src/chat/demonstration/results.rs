//! Finds results in tool messages: in JSON of any shape.

use serde_json::{Map, Value};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SearchResult {
    name: String,
    text: String,
    link: String,
}

const NAMES: &[&str] = &["name", "title"];
const TEXTS: &[&str] = &["value", "snippet", "content", "text", "description"];
const LINKS: &[&str] = &["link", "url"];

pub(super) fn results_in(text: &str) -> Vec<SearchResult> {
    let mut results = Vec::new();
    if let Ok(value @ (Value::Array(_) | Value::Object(_))) = serde_json::from_str(text) {
        collect(&value, &mut results);
    }
    results
}

fn collect(value: &Value, results: &mut Vec<SearchResult>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, results)),
        Value::Object(fields) => match of_fields(fields) {
            Some(result) => results.push(result),
            None => fields.values().for_each(|field| collect(field, results)),
        },
        // Some functions return JSON as text.
        Value::String(text) if text.trim_start().starts_with(['[', '{']) => {
            results.extend(results_in(text));
        }
        _ => {}
    }
}

fn of_fields(fields: &Map<String, Value>) -> Option<SearchResult> {
    let text_of = |names: &[&str]| {
        let named = |name: &&str| {
            fields.iter().find(|(field, _)| field.eq_ignore_ascii_case(name))?.1.as_str()
        };
        names.iter().find_map(named).map(str::to_owned)
    };
    let link = text_of(LINKS)?;
    let name = text_of(NAMES).unwrap_or_else(|| link.clone());
    Some(SearchResult { name, text: text_of(TEXTS).unwrap_or_default(), link })
}

impl SearchResult {
    pub(super) fn sentence(&self) -> String {
        let text = self.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let sentence = text.find(". ").map_or(&*text, |dot| text.split_at(dot + 1).0);
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
        results_in(text).into_iter().map(|result| result.link).collect()
    }

    #[test]
    fn results_are_found_in_json_of_any_shape() {
        let record = r#"{"Name":"A","Value":"It is. Or not.","Link":"https://a.example/"}"#;
        assert_eq!(links(&format!("[{record}]")), ["https://a.example/"]);
        assert_eq!(links(&format!(r#"{{"results":[{record},{record}]}}"#)).len(), 2);
        assert_eq!(links(&Value::from(record).to_string()), Vec::<String>::new());
        let result = results_in(record).remove(0);
        assert_eq!(result.sentence(), "It is.");
        assert_eq!(result.citation(), "[A](https://a.example/)");
    }
}
