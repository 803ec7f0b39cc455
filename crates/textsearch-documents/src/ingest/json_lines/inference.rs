//! Infers the schema of records.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use textsearch_core::{
    filter::DateTime,
    vector::{DataField, DataKind},
};

use crate::ingest::record_error::RecordError;

/// Objects used as tables, with new keys in each record, would make endless fields.
const MAX_FIELDS: usize = 500;

/// Separates the parts of a nested field's name.
const DOT: char = '.';

/// Infers the schema of records: the narrowest kind that fits all values of each field.
///
/// An object is a field, and so are the fields inside it, by their paths: `author` and
/// `author.name`.
#[derive(Debug, Clone, Default)]
pub struct SchemaInference {
    /// `None` if always null or an empty list.
    kinds: BTreeMap<String, Option<DataKind>>,
    is_full: bool,
}

impl SchemaInference {
    /// Records the fields of a record.
    ///
    /// # Errors
    ///
    /// Returns [`TooManyFields`](RecordError::TooManyFields) if the records have more than 500
    /// different fields.
    pub fn observe(&mut self, fields: &Map<String, Value>) -> Result<(), RecordError> {
        for (name, value) in fields {
            if !self.note(name, kind_of(value)) {
                return Err(RecordError::TooManyFields(MAX_FIELDS));
            }
            self.observe_inside(name, value);
        }
        Ok(())
    }

    /// Without room for these fields, the object still has one.
    fn observe_inside(&mut self, name: &str, value: &Value) {
        let Value::Object(inner) = value else { return };
        for (part, value) in inner {
            let name = format!("{name}{DOT}{part}");
            match value {
                Value::Object(_) => self.observe_inside(&name, value),
                _ => self.is_full |= !self.note(&name, kind_of(value)),
            }
        }
    }

    /// Returns whether there was room.
    fn note(&mut self, name: &str, kind: Option<DataKind>) -> bool {
        if let Some(known) = self.kinds.get_mut(name) {
            *known = join(*known, kind);
            return true;
        }
        let has_room = self.kinds.len() < MAX_FIELDS;
        if has_room {
            self.kinds.insert(name.to_owned(), kind);
        }
        has_room
    }

    /// Records a field of the store.
    pub(in crate::ingest) fn observe_known(&mut self, field: &DataField) {
        let known = self.kinds.entry(field.name.clone()).or_default();
        *known = join(*known, Some(field.kind));
    }

    /// Returns whether nested fields were left out, because there were more than 500.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Returns the fields, sorted by name.
    pub fn into_fields(self) -> Vec<DataField> {
        // Lists that were always empty most likely hold texts.
        let fields = self
            .kinds
            .into_iter()
            .map(|(name, kind)| field(name, kind.unwrap_or(DataKind::Strings)));
        fields.collect()
    }
}

fn field(name: String, kind: DataKind) -> DataField {
    let description = format!("The field {name} of the record");
    let field = DataField::new(name, kind).with_description(description);
    // A model can't use a field that may hold anything.
    if kind == DataKind::Json { field.filterable() } else { field.offered_to_model() }
}

fn kind_of(value: &Value) -> Option<DataKind> {
    match value {
        Value::Null => None,
        Value::Bool(_) => Some(DataKind::Boolean),
        Value::Number(number) if number.is_f64() => Some(DataKind::Number),
        Value::Number(_) => Some(DataKind::Integer),
        Value::String(text) if DateTime::parse(text).is_ok() => Some(DataKind::DateTime),
        Value::String(_) => Some(DataKind::String),
        Value::Array(items) if items.is_empty() => None,
        Value::Array(items) if items.iter().all(Value::is_string) => Some(DataKind::Strings),
        Value::Array(_) | Value::Object(_) => Some(DataKind::Json),
    }
}

fn join(left: Option<DataKind>, right: Option<DataKind>) -> Option<DataKind> {
    use DataKind::{DateTime, Integer, Json, Number, String};

    match (left, right) {
        (None, kind) | (kind, None) => kind,
        (Some(left), Some(right)) if left == right => Some(left),
        (Some(Integer | Number), Some(Integer | Number)) => Some(Number),
        (Some(DateTime | String), Some(DateTime | String)) => Some(String),
        _ => Some(Json),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn kinds_of(records: &[Value]) -> Vec<(String, DataKind)> {
        let mut kinds = SchemaInference::default();
        for record in records {
            kinds.observe(record.as_object().unwrap()).unwrap();
        }
        kinds.into_fields().into_iter().map(|field| (field.name, field.kind)).collect()
    }

    fn kind_of_all(values: &[Value]) -> DataKind {
        let records: Vec<Value> = values.iter().map(|value| json!({ "f": value })).collect();
        kinds_of(&records)[0].1
    }

    #[test]
    fn infers_the_narrowest_kind_for_all_values() {
        assert_eq!(kind_of_all(&[json!(1), json!(null), json!(2)]), DataKind::Integer);
        assert_eq!(kind_of_all(&[json!(1), json!(2.5)]), DataKind::Number);
        assert_eq!(kind_of_all(&[json!(true)]), DataKind::Boolean);
        assert_eq!(
            kind_of_all(&[json!("2024-08-14"), json!("2024-08-14T10:00:00Z")]),
            DataKind::DateTime
        );
        assert_eq!(kind_of_all(&[json!("2024-08-14"), json!("soon")]), DataKind::String);
        assert_eq!(kind_of_all(&[json!([]), json!(["a"])]), DataKind::Strings);
        assert_eq!(kind_of_all(&[json!([1])]), DataKind::Json);
        assert_eq!(kind_of_all(&[json!(1), json!("a")]), DataKind::Json);
    }

    #[test]
    fn fields_inside_objects_have_dotted_names_beside_the_object() {
        let kinds = kinds_of(&[json!({ "author": { "name": "Ada", "born": { "year": 1815 } } })]);
        let expected = [
            ("author", DataKind::Json),
            ("author.born.year", DataKind::Integer),
            ("author.name", DataKind::String),
        ];
        assert_eq!(kinds, expected.map(|(name, kind)| (name.to_owned(), kind)));
    }

    #[test]
    fn nested_fields_stop_at_the_limit() {
        let mut kinds = SchemaInference::default();
        let table: Map<String, Value> =
            (0..MAX_FIELDS).map(|number| (format!("k{number}"), json!(1))).collect();
        kinds.observe(json!({ "table": table }).as_object().unwrap()).unwrap();
        assert!(kinds.is_full());
        assert_eq!(kinds.into_fields().len(), MAX_FIELDS);
    }

    #[test]
    fn too_many_different_fields_are_an_error() {
        let mut kinds = SchemaInference::default();
        let mut observe =
            |number| kinds.observe(json!({ format!("f{number}"): 1 }).as_object().unwrap());
        assert!((0..MAX_FIELDS).all(|number| observe(number).is_ok()));
        let error = observe(MAX_FIELDS).unwrap_err();
        assert!(
            error.to_string().starts_with("there are more than 500 different fields"),
            "{error}"
        );
    }

    #[test]
    fn json_fields_are_not_offered_to_models() {
        let mut kinds = SchemaInference::default();
        kinds.observe(json!({ "a": { "b": 1 } }).as_object().unwrap()).unwrap();
        let offered: Vec<bool> =
            kinds.into_fields().iter().map(|field| field.offered_to_model).collect();
        assert_eq!(offered, [false, true]);
    }
}
