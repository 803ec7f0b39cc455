//! Which field of an object is what.

use anyhow::{Context as _, Result, bail};
use serde_json::{Map, Value};
use textsearch_core::filter::lookup;
use textsearch_documents::fields;

use crate::{arguments::ReadingArguments, index::PATH};

const IDS: &[&str] = &["id", "_id"];
const TEXTS: &[&str] = &["text", "body", "content", "abstract", "description", "passage"];
const NAMES: &[&str] = &["name", "title"];
const LINKS: &[&str] = &["link", "url"];

/// What comes before the name of a field that the store has one of its own of.
const PREFIX: &str = "record_";

/// The fields that every chunk has.
const OWN_FIELDS: [&str; 13] = [
    fields::KEY,
    fields::DOCUMENT_ID,
    fields::DOCUMENT_NAME,
    fields::NAME,
    fields::HEADINGS,
    fields::TEXT,
    fields::LINK,
    fields::CHUNK,
    fields::CHUNKS,
    fields::START,
    fields::END,
    fields::FINGERPRINT,
    fields::EMBEDDING,
];

/// A record of a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct JsonRecord {
    /// The number of its line.
    pub(crate) line: u64,
    /// What identifies it in its file.
    pub(crate) id: String,
    /// What is searched.
    pub(crate) text: String,
    /// What it is called.
    pub(crate) name: Option<String>,
    /// Where it can be read.
    pub(crate) link: Option<String>,
    /// All fields but the text and those that are excluded, by the names that they have in the store.
    pub(crate) fields: Map<String, Value>,
}

/// Which field is what: the one that the user names, or else the first of the usual ones that is there.
#[derive(Debug, Clone, Default)]
pub(crate) struct FieldNames(ReadingArguments);

impl FieldNames {
    pub(crate) fn new(arguments: ReadingArguments) -> Self {
        Self(arguments)
    }

    /// Reads the object on the line with this number.
    ///
    /// # Errors
    ///
    /// Where it has no text, or lacks a field that the user names.
    pub(super) fn read(&self, mut fields: Map<String, Value>, line: u64) -> Result<JsonRecord> {
        let id = self.id(&fields, line)?;
        let name = optional_text(&fields, self.0.name_field.as_deref(), "name", NAMES)?;
        let link = optional_text(&fields, self.0.link_field.as_deref(), "link", LINKS)?;
        let text = self.text(&mut fields, name.as_deref())?;
        self.0.excluded_fields.iter().for_each(|field| remove(&mut fields, field));
        Ok(JsonRecord { line, id, text, name, link, fields: with_names_of_their_own(fields) })
    }

    fn id(&self, fields: &Map<String, Value>, line: u64) -> Result<String> {
        let named = self.0.id_field.as_deref();
        let found = match named {
            Some(name) => given(fields, name, "id")?,
            None => IDS.iter().find_map(|name| present(fields, name)),
        };
        match found {
            None if named.is_none() => Ok(format!("L{line}")),
            Some(Value::String(id)) if !id.is_empty() => Ok(id.clone()),
            Some(Value::Number(id)) => Ok(id.to_string()),
            found => bail!("the id must be a text or a number, found {}", describe(found)),
        }
    }

    /// Takes the text out of the record, which need not hold it twice; the name stands in where there is none.
    fn text(&self, fields: &mut Map<String, Value>, name: Option<&str>) -> Result<String> {
        let field = match self.0.text_field.as_deref() {
            Some(field) => {
                let found = given(fields, field, "text")?;
                if found.is_some_and(|value| as_text(value).is_none()) {
                    bail!("the field `{field}` must hold a text, found {}", describe(found));
                }
                Some(field)
            }
            None => TEXTS.iter().copied().find(|field| has_text(fields, field)),
        };
        let text = field.and_then(|field| lookup(fields, field)).and_then(as_text);
        if let Some(field) = field {
            fields.remove(field);
        }
        match (text.filter(|text| !text.trim().is_empty()), name) {
            (Some(text), _) => Ok(text),
            (None, Some(name)) => Ok(name.to_owned()),
            (None, None) => bail!(
                "there is no text in any of the fields {}: try --text-field FIELD",
                TEXTS.join(", ")
            ),
        }
    }
}

fn optional_text(
    fields: &Map<String, Value>,
    named: Option<&str>,
    role: &str,
    usual: &[&str],
) -> Result<Option<String>> {
    if let Some(field) = named {
        return Ok(given(fields, field, role)?.and_then(as_text));
    }
    Ok(usual.iter().find_map(|field| present(fields, field).and_then(as_text)))
}

/// Takes a field out, if it is there, by its name or by its path inside objects.
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

/// The value of a field that the user names: null is no value, a field that is not there is an error.
fn given<'a>(fields: &'a Map<String, Value>, field: &str, role: &str) -> Result<Option<&'a Value>> {
    let value = lookup(fields, field).with_context(|| {
        let names: Vec<&str> = fields.keys().map(String::as_str).collect();
        format!("there is no field `{field}`: try --{role}-field with one of {}", names.join(", "))
    })?;
    Ok(Some(value).filter(|value| !value.is_null()))
}

fn present<'a>(fields: &'a Map<String, Value>, field: &str) -> Option<&'a Value> {
    fields.get(field).filter(|value| !value.is_null())
}

fn has_text(fields: &Map<String, Value>, field: &str) -> bool {
    present(fields, field).and_then(as_text).is_some_and(|text| !text.trim().is_empty())
}

/// The fields, those with the name of one of the store's own under another: `id` as `record_id`.
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

/// Whether a field cannot have the name in the store: one of its own has it, or it is none, which is the name that some
/// programs give a column of row numbers.
fn is_taken(name: &str) -> bool {
    name.is_empty() || name == PATH || OWN_FIELDS.contains(&name)
}

/// A text, or the texts of a list, one a line.
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

    fn read(names: ReadingArguments, object: Value) -> Result<JsonRecord> {
        let Value::Object(fields) = object else { panic!("an object") };
        FieldNames::new(names).read(fields, 4)
    }

    #[test]
    fn the_usual_fields_are_found_and_all_but_the_text_are_kept() {
        let object = json!({ "_id": "p1", "title": "T", "text": "body", "url": "u", "year": 2020 });
        let record = read(ReadingArguments::default(), object).unwrap();
        assert_eq!((record.id.as_str(), record.text.as_str()), ("p1", "body"));
        assert_eq!((record.name.as_deref(), record.link.as_deref()), (Some("T"), Some("u")));
        let kept = json!({ "_id": "p1", "title": "T", "url": "u", "year": 2020 });
        assert_eq!(Value::Object(record.fields), kept);
    }

    #[test]
    fn a_field_with_the_name_of_one_of_the_stores_own_gets_another() {
        let object = json!({ "id": 1, "text": "x", "path": "p", "record_path": "q", "year": 2 });
        let record = read(ReadingArguments::default(), object).unwrap();
        let kept =
            json!({ "record_id": 1, "record_record_path": "p", "record_path": "q", "year": 2 });
        assert_eq!(Value::Object(record.fields), kept);
    }

    #[test]
    fn a_field_without_a_name_gets_one() {
        let object = json!({ "": 7, "text": "x" });
        let record = read(ReadingArguments::default(), object).unwrap();
        assert_eq!(Value::Object(record.fields), json!({ "record_": 7 }));
    }

    #[test]
    fn excluded_fields_are_not_kept_but_may_say_what_a_record_is() {
        let excluded = ["id", "vector", "author.born", "author.missing", "missing"];
        let names = ReadingArguments {
            excluded_fields: excluded.map(str::to_owned).to_vec(),
            ..ReadingArguments::default()
        };
        let author = json!({ "name": "Ada", "born": { "year": 1815 } });
        let object = json!({ "id": "a", "text": "x", "vector": [1.5, 2.5], "author": author });
        let record = read(names, object).unwrap();
        assert_eq!(record.id, "a");
        assert_eq!(Value::Object(record.fields), json!({ "author": { "name": "Ada" } }));
    }

    #[test]
    fn a_record_without_an_id_is_known_by_its_line() {
        let record = read(ReadingArguments::default(), json!({ "text": "x" })).unwrap();
        assert_eq!(record.id, "L4");
    }

    #[test]
    fn a_field_that_the_user_names_may_stand_in_an_object_and_must_be_there() {
        let names = || ReadingArguments {
            text_field: Some("paper.abstract".to_owned()),
            ..ReadingArguments::default()
        };
        let record = read(names(), json!({ "paper": { "abstract": "x" } })).unwrap();
        assert_eq!(record.text, "x");
        let error = read(names(), json!({ "text": "y", "year": 1 })).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no field `paper.abstract`: try --text-field with one of text, year"
        );
        let error = read(names(), json!({ "paper": { "abstract": 3 } })).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the field `paper.abstract` must hold a text, found a number"
        );
    }

    #[test]
    fn the_name_stands_in_for_a_text_that_is_not_there() {
        let record =
            read(ReadingArguments::default(), json!({ "title": "T", "text": " " })).unwrap();
        assert_eq!(record.text, "T");
        let error = read(ReadingArguments::default(), json!({ "year": 3 })).unwrap_err();
        assert!(error.to_string().ends_with("try --text-field FIELD"), "{error}");
    }

    #[test]
    fn a_list_of_texts_is_one_text() {
        let record = read(ReadingArguments::default(), json!({ "body": ["a", "b"] })).unwrap();
        assert_eq!(record.text, "a\nb");
    }
}
