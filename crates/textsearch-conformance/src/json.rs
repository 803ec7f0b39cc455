//! Walks through JSON values.

use serde_json::Value;

/// Calls `change` with each text, except names of fields.
pub(crate) fn each_text(value: &mut Value, change: &mut dyn FnMut(&mut String)) {
    match value {
        Value::String(text) => change(text),
        other => parts(other).into_iter().for_each(|part| each_text(part, change)),
    }
}

/// Returns the innermost list or object with a text that fits.
pub(crate) fn holder<'a>(
    value: &'a mut Value,
    fits: &dyn Fn(&str) -> bool,
) -> Option<&'a mut Value> {
    if parts(value).iter().any(|part| part.as_str().is_some_and(fits)) {
        return Some(value);
    }
    parts(value).into_iter().find_map(|part| holder(part, fits))
}

/// Returns the elements of a list or object.
pub(crate) fn parts(value: &mut Value) -> Vec<&mut Value> {
    match value {
        Value::Array(items) => items.iter_mut().collect(),
        Value::Object(fields) => fields.values_mut().collect(),
        _ => Vec::new(),
    }
}
