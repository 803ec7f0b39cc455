//! Batches of documents.

use serde_json::{Map, Value, json};
use textsearch_core::filter::DateTime;

use super::{
    Index, Standin,
    check::{Checked, Object},
    index::{Definition, Edm, Field},
};

pub(crate) type Document = Map<String, Value>;

pub(crate) enum Change {
    Put(Document),
    Delete,
}

const MAX_ACTIONS: usize = 1_000;
const LONGEST_TERM: usize = 32_766;

/// Carries out a batch. Returns the response's status and body.
///
/// A property that doesn't fit the index refuses the whole batch; a value only its document.
pub(crate) fn run(standin: &Standin, index: &mut Index, body: &Value) -> Checked<(u16, Value)> {
    let batch = Object::new(body, "batch", &["value"])?;
    batch.value("value")?;
    let actions = batch.list("value")?;
    if !(1..=MAX_ACTIONS).contains(&actions.len()) {
        return Err(format!("a batch has 1 to {MAX_ACTIONS} actions, not {}", actions.len()));
    }
    let mut checked = Vec::with_capacity(actions.len());
    for action in actions {
        checked.push(read(action, &index.definition)?);
    }
    let mut results = Vec::new();
    let mut is_whole = true;
    for (action, key, document) in checked {
        let fault = standin.planned_fault(&key).or_else(|| fault(&document, &index.definition));
        let (status, message) = match fault {
            Some((status, message)) => (status, Some(message)),
            None => (carry_out(standin, index, action, &key, document), None),
        };
        let is_done = status < 300;
        is_whole &= is_done;
        let message = message.or_else(|| (!is_done).then(|| "Document not found.".to_owned()));
        results.push(json!({
            "key": key, "status": is_done, "errorMessage": message, "statusCode": status,
        }));
    }
    Ok((if is_whole { 200 } else { 207 }, json!({ "value": results })))
}

fn carry_out(
    standin: &Standin,
    index: &mut Index,
    action: &str,
    key: &str,
    document: Document,
) -> u16 {
    let known = index.newest(key).cloned();
    let status = if known.is_some() { 200 } else { 201 };
    let merged = |old: Document| {
        let mut old = old;
        old.extend(document.clone());
        Change::Put(old)
    };
    let change = match (action, known) {
        ("delete", _) => {
            index.change(standin, key, Change::Delete);
            return 200;
        }
        ("merge", None) => return 404,
        ("merge" | "mergeOrUpload", Some(old)) => merged(old),
        _ => Change::Put(document),
    };
    index.change(standin, key, change);
    status
}

fn read<'a>(action: &'a Value, definition: &Definition) -> Checked<(&'a str, String, Document)> {
    let known: Vec<&str> = definition.fields.iter().map(|field| field.name.as_str()).collect();
    let known: Vec<&str> = known.into_iter().chain(["@search.action"]).collect();
    let object = Object::new(action, "search.documentFields", &known)?;
    let kinds = ["upload", "merge", "mergeOrUpload", "delete"];
    let kind = object.one_of("@search.action", &kinds)?.unwrap_or("upload");
    let key = object.text(&definition.key().name)?;
    let mut document = Document::new();
    for field in &definition.fields {
        if object.has(&field.name) {
            let sent = object.value(&field.name)?;
            let held = value(field, sent)
                .ok_or_else(|| format!("Cannot convert {sent} to the type of '{}'", field.name))?;
            document.insert(field.name.clone(), held);
        }
    }
    Ok((kind, key.to_owned(), document))
}

/// `None` for a value of another type. Null is a value of every type.
fn value(field: &Field, sent: &Value) -> Option<Value> {
    let fits = match (field.edm, sent) {
        (_, Value::Null) => !field.is_key,
        (Edm::Text, Value::String(_)) | (Edm::Boolean, Value::Bool(_)) => true,
        (Edm::Int64, Value::Number(number)) => number.is_i64(),
        (Edm::Double, Value::Number(_)) => true,
        (Edm::Date, Value::String(text)) => return date(text),
        (Edm::Texts, Value::Array(items)) => items.iter().all(Value::is_string),
        (Edm::Vector, Value::Array(items)) => {
            let is_single =
                |item: &Value| item.as_f64().is_some_and(|number| (number as f32).is_finite());
            items.len() == field.dimensions && items.iter().all(is_single)
        }
        _ => false,
    };
    fits.then(|| sent.clone())
}

/// A date with time and offset, in UTC with milliseconds.
fn date(text: &str) -> Option<Value> {
    let is_whole = text.contains('T') && !text.starts_with("0000");
    let date = DateTime::parse(text).ok().filter(|_| is_whole && text.ends_with('Z'))?;
    (date.unix_nanoseconds() % 1_000_000 == 0).then(|| json!(date.to_string()))
}

/// Of one document.
fn fault(document: &Document, definition: &Definition) -> Option<(u16, String)> {
    for field in &definition.fields {
        let Some(value) = document.get(&field.name) else { continue };
        if field.is_key && !is_key(value.as_str().unwrap_or_default()) {
            return Some((400, format!("Invalid document key: {value}")));
        }
        let terms: Vec<&str> = match value {
            Value::String(text) => vec![text],
            Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        if field.is_filterable && terms.iter().any(|term| term.len() > LONGEST_TERM) {
            return Some((
                400,
                format!("Field '{}' contains a term that is too large", field.name),
            ));
        }
    }
    None
}

fn is_key(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-=".contains(&byte);
    (1..=1_024).contains(&text.len()) && !text.starts_with('_') && text.bytes().all(is_allowed)
}
