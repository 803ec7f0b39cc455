//! The roles of a record's fields.

use serde_json::{Map, Value};
use textsearch_core::filter::lookup;

use crate::{
    ingest::{
        PATH,
        record_error::{FieldRole, RecordError},
    },
    store::RESERVED,
};

const IDS: &[&str] = &["id", "_id"];
const NAMES: &[&str] = &["name", "title"];
const LINKS: &[&str] = &["link", "url"];

/// Added to names that chunks use, too.
const PREFIX: &str = "record_";

type Result<T> = std::result::Result<T, RecordError>;

/// A record of a file of JSON Lines.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct JsonRecord {
    /// Its line, from 1. Of CSV, the row.
    pub line: u64,
    /// Identifies the record in its file.
    pub id: String,
    /// The text to search.
    pub text: String,
    /// Whether `text` comes from a text field and not from the name.
    pub has_text: bool,
    /// Its name.
    pub name: Option<String>,
    /// Its link.
    pub link: Option<String>,
    /// All fields but the text and excluded ones. A field with the name of a chunk's field, such as
    /// `id`, becomes `record_id`.
    pub fields: Map<String, Value>,
}

/// The roles of a record's fields. Names may be paths into objects, such as `paper.abstract`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct JsonLinesConfig {
    /// The id. Default: `id` or `_id`, or else the number of the line.
    pub id_field: Option<String>,
    /// The searched text. Default: the first of [`TEXT_FIELDS`](Self::TEXT_FIELDS) that holds text.
    pub text_field: Option<String>,
    /// The name of a result. Default: `name` or `title`.
    pub name_field: Option<String>,
    /// The link of a result. Default: `link` or `url`, or else the path of the file and the id.
    pub link_field: Option<String>,
    /// Fields that aren't stored, such as vectors.
    pub excluded_fields: Vec<String>,
}

impl JsonLinesConfig {
    /// The default text fields.
    pub const TEXT_FIELDS: [&str; 6] =
        ["text", "body", "content", "abstract", "description", "passage"];

    pub(super) fn read(&self, mut fields: Map<String, Value>, line: u64) -> Result<JsonRecord> {
        let id = self.id(&fields, line)?;
        let name = optional_text(&fields, self.name_field.as_deref(), FieldRole::Name, NAMES)?;
        let link = optional_text(&fields, self.link_field.as_deref(), FieldRole::Link, LINKS)?;
        let text = self.text(&mut fields)?;
        let has_text = text.is_some();
        let no_text = || RecordError::NoText(Self::TEXT_FIELDS.join(", "));
        // A blank field is a record without text. No field at all needs another `--text-field`.
        // `text` has refused a configured field that is missing.
        let is_blank = || {
            self.text_field.is_some()
                || Self::TEXT_FIELDS.iter().any(|field| lookup(&fields, field).is_some())
        };
        let text = text.or_else(|| name.clone()).or_else(|| is_blank().then(String::new));
        let text = text.ok_or_else(no_text)?;
        self.excluded_fields.iter().for_each(|field| remove(&mut fields, field));
        let fields = with_names_of_their_own(fields);
        Ok(JsonRecord { line, id, text, has_text, name, link, fields })
    }

    fn id(&self, fields: &Map<String, Value>, line: u64) -> Result<String> {
        let named = self.id_field.as_deref();
        let value = match named {
            Some(name) => required(fields, name, FieldRole::Id)?,
            None => IDS.iter().find_map(|name| present(fields, name)),
        };
        match value {
            None if named.is_none() => Ok(format!("L{line}")),
            Some(Value::String(id)) if !id.is_empty() => Ok(id.clone()),
            Some(Value::Number(id)) => Ok(id.to_string()),
            value => Err(RecordError::InvalidId(describe(value))),
        }
    }

    /// Removes the text, so that it isn't stored twice. Returns `None` for a blank text.
    fn text(&self, fields: &mut Map<String, Value>) -> Result<Option<String>> {
        let field = match self.text_field.as_deref() {
            Some(field) => {
                let value = required(fields, field, FieldRole::Text)?;
                if value.is_some_and(|value| as_text(value).is_none()) {
                    let field = field.to_owned();
                    let kind = describe(value);
                    return Err(RecordError::TextIsNoText { field, kind });
                }
                Some(field)
            }
            None => Self::TEXT_FIELDS.into_iter().find(|field| has_text(fields, field)),
        };
        let text = field.and_then(|field| lookup(fields, field)).and_then(as_text);
        if let Some(field) = field {
            fields.remove(field);
        }
        Ok(text.filter(|text| !text.trim().is_empty()))
    }
}

fn optional_text(
    fields: &Map<String, Value>,
    named: Option<&str>,
    role: FieldRole,
    usual: &[&str],
) -> Result<Option<String>> {
    let is_filled = |text: &String| !text.trim().is_empty();
    if let Some(field) = named {
        return Ok(required(fields, field, role)?.and_then(as_text).filter(is_filled));
    }
    Ok(usual.iter().find_map(|field| present(fields, field).and_then(as_text).filter(is_filled)))
}

/// `path` is a name, or a path into objects.
fn remove(fields: &mut Map<String, Value>, path: &str) {
    if fields.remove(path).is_some() {
        return;
    }
    if let Some((object, rest)) = path.split_once('.')
        && let Some(Value::Object(inner)) = fields.get_mut(object)
    {
        remove(inner, rest);
    }
}

/// Returns `None` for null. A missing field is an error.
fn required<'a>(
    fields: &'a Map<String, Value>,
    field: &str,
    role: FieldRole,
) -> Result<Option<&'a Value>> {
    let missing = || {
        let known = fields.keys().cloned().collect();
        RecordError::MissingField { role, field: field.to_owned(), known }
    };
    let value = lookup(fields, field).ok_or_else(missing)?;
    Ok(Some(value).filter(|value| !value.is_null()))
}

fn present<'a>(fields: &'a Map<String, Value>, field: &str) -> Option<&'a Value> {
    fields.get(field).filter(|value| !value.is_null())
}

fn has_text(fields: &Map<String, Value>, field: &str) -> bool {
    present(fields, field).and_then(as_text).is_some_and(|text| !text.trim().is_empty())
}

/// Renames `id` to `record_id`, for example.
fn with_names_of_their_own(fields: Map<String, Value>) -> Map<String, Value> {
    if !fields.keys().any(|name| is_taken(name)) {
        return fields;
    }
    let (taken, kept): (Vec<_>, Vec<_>) = fields.into_iter().partition(|(name, _)| is_taken(name));
    let mut kept: Map<String, Value> = kept.into_iter().collect();
    for (name, value) in taken {
        let mut free = format!("{PREFIX}{name}");
        while kept.contains_key(&free) {
            free.insert_str(0, PREFIX);
        }
        kept.insert(free, value);
    }
    kept
}

/// A field of chunks may have the name, or it may be empty: some programs write a column of row
/// numbers without a name.
fn is_taken(name: &str) -> bool {
    name.is_empty() || name == PATH || RESERVED.contains(&name)
}

/// Joins the texts of a list by lines.
fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => {
            let texts: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
            Some(texts?.join("\n"))
        }
        _ => None,
    }
}

fn describe(value: Option<&Value>) -> &'static str {
    match value {
        None | Some(Value::Null) => "nothing",
        Some(Value::Bool(_)) => "true or false",
        Some(Value::Number(_)) => "a number",
        Some(Value::String(_)) => "an empty text",
        Some(Value::Array(_)) => "a list",
        Some(Value::Object(_)) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(names: JsonLinesConfig, object: Value) -> Result<JsonRecord> {
        let Value::Object(fields) = object else { panic!("an object") };
        names.read(fields, 4)
    }

    #[test]
    fn default_fields_are_found_and_all_but_text_kept() {
        let object = json!({ "_id": "p1", "title": "T", "text": "body", "url": "u", "year": 2020 });
        let record = read(JsonLinesConfig::default(), object).unwrap();
        assert_eq!((record.id.as_str(), record.text.as_str()), ("p1", "body"));
        assert_eq!((record.name.as_deref(), record.link.as_deref()), (Some("T"), Some("u")));
        let kept = json!({ "_id": "p1", "title": "T", "url": "u", "year": 2020 });
        assert_eq!(Value::Object(record.fields), kept);
    }

    #[test]
    fn reserved_field_names_get_a_prefix() {
        let object = json!({ "id": 1, "text": "x", "path": "p", "record_path": "q", "year": 2 });
        let record = read(JsonLinesConfig::default(), object).unwrap();
        let kept =
            json!({ "record_id": 1, "record_record_path": "p", "record_path": "q", "year": 2 });
        assert_eq!(Value::Object(record.fields), kept);
    }

    #[test]
    fn unnamed_field_gets_a_name() {
        let object = json!({ "": 7, "text": "x" });
        let record = read(JsonLinesConfig::default(), object).unwrap();
        assert_eq!(Value::Object(record.fields), json!({ "record_": 7 }));
    }

    #[test]
    fn excluded_fields_are_dropped_but_may_identify_a_record() {
        let excluded = ["id", "vector", "author.born", "author.missing", "missing"];
        let names = JsonLinesConfig {
            excluded_fields: excluded.map(str::to_owned).to_vec(),
            ..JsonLinesConfig::default()
        };
        let author = json!({ "name": "Ada", "born": { "year": 1815 } });
        let object = json!({ "id": "a", "text": "x", "vector": [1.5, 2.5], "author": author });
        let record = read(names, object).unwrap();
        assert_eq!(record.id, "a");
        assert_eq!(Value::Object(record.fields), json!({ "author": { "name": "Ada" } }));
    }

    #[test]
    fn record_without_id_is_identified_by_its_line() {
        let record = read(JsonLinesConfig::default(), json!({ "text": "x" })).unwrap();
        assert_eq!(record.id, "L4");
    }

    #[test]
    fn configured_field_may_be_nested_and_must_exist() {
        let names = || JsonLinesConfig {
            text_field: Some("paper.abstract".to_owned()),
            ..JsonLinesConfig::default()
        };
        let record = read(names(), json!({ "paper": { "abstract": "x" } })).unwrap();
        assert_eq!(record.text, "x");
        let error = read(names(), json!({ "text": "y", "year": 1 })).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no field `paper.abstract`; the fields are text, year"
        );
        let error = read(names(), json!({ "paper": { "abstract": 3 } })).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the field `paper.abstract` must hold a text, found a number"
        );
    }

    #[test]
    fn name_replaces_a_missing_text() {
        let record =
            read(JsonLinesConfig::default(), json!({ "title": "T", "text": " " })).unwrap();
        assert_eq!((record.text.as_str(), record.has_text), ("T", false));
        let error = read(JsonLinesConfig::default(), json!({ "year": 3 })).unwrap_err();
        let expected = "there is no text in any of the fields text, body, ";
        assert!(error.to_string().starts_with(expected), "{error}");
    }

    #[test]
    fn a_blank_name_is_no_text() {
        let blank = read(JsonLinesConfig::default(), json!({ "title": " ", "year": 3 }));
        assert!(blank.unwrap_err().to_string().starts_with("there is no text"));
    }

    #[test]
    fn list_of_texts_becomes_one_text() {
        let record = read(JsonLinesConfig::default(), json!({ "body": ["a", "b"] })).unwrap();
        assert_eq!(record.text, "a\nb");
    }
}
