//! Finds results in tool messages and prompts: as JSON, or as lines `Name:`, `Value:`, `Link:`.

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
    match serde_json::from_str::<Value>(text) {
        Ok(value @ (Value::Array(_) | Value::Object(_))) => {
            let mut found = Vec::new();
            collect(&value, &mut found);
            found
        }
        _ => in_lines(text),
    }
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

/// A result ends with its link, or with the name of the next one.
fn in_lines(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut fields: Map<String, Value> = Map::new();
    for line in text.lines() {
        let Some((label, rest)) = line.split_once(':') else { continue };
        let label = label.trim().trim_matches(['*', '-', ' ']).to_lowercase();
        let rest = rest.trim();
        if NAMES.contains(&label.as_str()) {
            fields.clear();
        }
        if [NAMES, TEXTS, LINKS].concat().contains(&label.as_str()) {
            fields.insert(label.clone(), Value::from(rest));
        }
        if LINKS.contains(&label.as_str()) && rest.contains("://") {
            found.extend(of_fields(&std::mem::take(&mut fields)));
        }
    }
    found
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

    #[test]
    fn results_are_found_in_a_rendered_prompt() {
        let prompt = "Name: A\nValue: It is.\nLink: https://a.example/\n-----\nName: B\nLink: https://b.example/\n\nWhat is it?";
        assert_eq!(links(prompt), ["https://a.example/", "https://b.example/"]);
    }
}
