//! The YAML block at the beginning of a Markdown document.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::Facts;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FrontMatter {
    pub(super) title: Option<String>,
    /// Byte offset of the text after it.
    pub(super) end: usize,
}

#[derive(Deserialize)]
struct Fields {
    title: Option<String>,
}

/// Reads the block between `---` lines at the very beginning. If its first line isn't a YAML key,
/// `---` is a rule of Markdown.
pub(super) fn read(text: &str) -> FrontMatter {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mark = text.len() - body.len();
    match block(body) {
        Some((yaml, length)) => FrontMatter { title: title(yaml), end: mark + length },
        None => FrontMatter { title: None, end: mark },
    }
}

/// Takes the facts in the block. Invalid YAML has none.
pub(crate) fn take_facts(text: &str, facts: &mut Facts) {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some((yaml, _)) = block(body) else { return };
    let fields: BTreeMap<String, Value> = serde_saphyr::from_str(yaml).unwrap_or_default();
    for (name, value) in &fields {
        take_fact(&name.to_lowercase(), value, facts);
    }
}

/// A list has several values, and an author may have a name among other properties.
fn take_fact(name: &str, value: &Value, facts: &mut Facts) {
    match value {
        Value::String(text) => facts.take(name, text),
        Value::Number(number) => facts.take(name, &number.to_string()),
        Value::Array(values) => values.iter().for_each(|value| take_fact(name, value, facts)),
        Value::Object(properties) => {
            if let Some(Value::String(text)) = properties.get("name") {
                facts.take(name, text);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// Returns the YAML, and the length in bytes with its marker lines.
fn block(text: &str) -> Option<(&str, usize)> {
    let mut lines = text.split_inclusive('\n');
    let opening = lines.next().filter(|line| line.trim_end() == "---")?;
    let mut end = opening.len();
    for line in lines {
        let is_closing = matches!(line.trim_end(), "---" | "...");
        if is_closing {
            let yaml = text.get(opening.len()..end)?;
            return begins_with_key(yaml).then_some((yaml, end + line.len()));
        }
        end += line.len();
    }
    None
}

fn begins_with_key(yaml: &str) -> bool {
    let first = yaml.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let Some((key, value)) = first.and_then(|line| line.split_once(':')) else {
        // An empty block is still one.
        return first.is_none();
    };
    let is_word = |c: char| c.is_alphanumeric() || "_-.\"'".contains(c);
    key.chars().all(is_word) && (value.is_empty() || value.starts_with([' ', '\t']))
}

fn title(yaml: &str) -> Option<String> {
    let fields: Result<Fields, _> = serde_saphyr::from_str(yaml);
    let title = match fields {
        Ok(fields) => fields.title,
        // Generators are less strict than YAML: one odd line must not cost the title.
        Err(_) => {
            let line = yaml.lines().find_map(|line| line.strip_prefix("title:"));
            line.map(|title| title.trim().trim_matches(['"', '\'']).to_owned())
        }
    };
    title.map(|title| title.trim().to_owned()).filter(|title| !title.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, title: Option<&str>, rest: &str) {
        let matter = read(text);
        assert_eq!((matter.title.as_deref(), &text[matter.end..]), (title, rest), "{text:?}");
    }

    #[test]
    fn front_matter_supplies_the_title_and_is_not_text() {
        check("---\ntitle: The guide\ntags: [a, b]\n---\n# Text\n", Some("The guide"), "# Text\n");
        check("---\r\ntitle: \"A: b\"\r\n---\r\nText", Some("A: b"), "Text");
        check("\u{feff}---\ntitle: >\n  long\n  title\n...\nText", Some("long title"), "Text");
        check("---\ndraft: true\n---\nText", None, "Text");
        check("---\n---\nText", None, "Text");
    }

    #[test]
    fn title_is_found_in_invalid_yaml() {
        check(
            "---\ntitle: C: the language\nauthor: @me\n---\nText",
            Some("C: the language"),
            "Text",
        );
    }

    #[test]
    fn a_rule_is_not_front_matter() {
        for text in
            ["---\nSome words.\n---\n", "---\ntitle: never closed\n", "# A\n---\na: b\n---\n"]
        {
            check(text, None, text);
        }
    }
}
