//! Checks that a record fits a definition.

use serde_json::Value;

use super::{RecordDefinition, StoredRecord, VectorField, key::is_key};
use crate::{Error, Result};

/// The deepest nesting of data. JSON parsers fail a little beyond it.
const DEEPEST: usize = 100;

impl RecordDefinition {
    /// Checks that `record` can be stored. Errors name `connector`.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidRecord`](crate::ErrorKind::InvalidRecord) if:
    ///
    /// - the key is of another kind or differs from the key in the data;
    /// - a vector is unknown, is in the data, has the wrong length or cannot be compared;
    /// - the data are nested more than 100 levels deep.
    pub fn check_record(&self, connector: &str, record: &StoredRecord) -> Result<()> {
        self.check_fields(connector, record)?;
        let fault = self.vectors_fault(record);
        fault.map_or(Ok(()), |fault| Err(Error::invalid_record(connector, &record.key, fault)))
    }

    /// Checks all but the elements of vectors, for backends that check those themselves.
    ///
    /// # Errors
    ///
    /// Errors of [`check_record`](Self::check_record), except for vector elements.
    pub fn check_fields(&self, connector: &str, record: &StoredRecord) -> Result<()> {
        let fault = self.key_fault(record).or_else(|| self.unknown_vector(record));
        let fault = fault.or_else(|| self.data_fault(record));
        fault.map_or(Ok(()), |fault| Err(Error::invalid_record(connector, &record.key, fault)))
    }

    fn key_fault(&self, record: &StoredRecord) -> Option<String> {
        let field = &self.key;
        if !field.accepts(&record.key) {
            return Some(format!("its key `{}` must be {}", field.name, field.expected()));
        }
        let value = record.data.get(&field.name);
        if value.is_some_and(|value| is_key(value, &record.key)) {
            return None;
        }
        let expected = Value::from(&record.key);
        Some(match value {
            Some(value) => {
                format!("its data hold {value} as `{}`: expected is {expected}", field.name)
            }
            None => format!("its data do not hold `{}`: expected is {expected}", field.name),
        })
    }

    fn data_fault(&self, record: &StoredRecord) -> Option<String> {
        let is_given = |name: &str| record.data.get(name).is_some_and(|value| !value.is_null());
        if let Some(field) = self.vectors.iter().find(|field| is_given(&field.name)) {
            let name = &field.name;
            return Some(format!(
                "its data hold `{name}`: expected is the vector among its vectors"
            ));
        }
        let deep = record.data.iter().find(|(_, value)| is_deeper_than(value, DEEPEST));
        deep.map(|(name, _)| {
            format!("`{name}` is nested too deeply: expected is at most {DEEPEST} levels")
        })
    }

    fn unknown_vector(&self, record: &StoredRecord) -> Option<String> {
        let is_known = |name: &str| self.vectors.iter().any(|field| field.name == name);
        let name = record.vectors.keys().find(|name| !is_known(name))?;
        let known: Vec<&str> = self.vectors.iter().map(|field| field.name.as_str()).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        Some(format!("it has a vector `{name}`: expected is {known}"))
    }

    fn vectors_fault(&self, record: &StoredRecord) -> Option<String> {
        self.vectors.iter().find_map(|field| {
            let fault = field.fault(record.vectors.get(&field.name)?)?;
            Some(format!("its vector `{}` {fault}", field.name))
        })
    }
}

impl VectorField {
    /// Returns why a vector does not fit the field, with the found and the expected value.
    pub fn fault(&self, elements: &[f32]) -> Option<String> {
        if elements.len() != self.dimensions {
            let actual = elements.len();
            let expected = self.dimensions;
            return Some(format!("has {actual} dimensions: expected are {expected}"));
        }
        let strange = elements.iter().enumerate().find(|(_, element)| !element.is_finite());
        if let Some((place, element)) = strange {
            return Some(format!("holds {element} at index {place}: expected are finite numbers"));
        }
        if self.distance.needs_direction() && elements.iter().all(|element| *element == 0.0) {
            let distance = self.distance;
            return Some(format!(
                "is all zeros: expected is a direction, which {distance:?} compares"
            ));
        }
        None
    }
}

fn is_deeper_than(value: &Value, levels: usize) -> bool {
    let deeper = |value: &Value| levels == 0 || is_deeper_than(value, levels - 1);
    match value {
        Value::Array(items) => items.iter().any(deeper),
        Value::Object(fields) => fields.values().any(deeper),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fault(vector: &[f32], data: Value) -> String {
        let definition = RecordDefinition::new("id").with_vector(VectorField::new("embedding", 2));
        let data = data.as_object().cloned().unwrap();
        let record = StoredRecord { key: "a".into(), data, vectors: Default::default() };
        let record = record.with_vector("embedding", vector);
        definition.check_record("qdrant", &record).unwrap_err().message().to_owned()
    }

    #[test]
    fn errors_name_the_record_and_the_found_and_expected_value() {
        let begin = "the record `a` cannot be stored: ";
        let cases = [
            (
                fault(&[1.0], json!({ "id": "a" })),
                "its vector `embedding` has 1 dimensions: expected are 2",
            ),
            (
                fault(&[1.0, f32::NAN], json!({ "id": "a" })),
                "its vector `embedding` holds NaN at index 1: expected are finite numbers",
            ),
            (
                fault(&[1.0, 0.0], json!({ "id": "b" })),
                "its data hold \"b\" as `id`: expected is \"a\"",
            ),
            (fault(&[1.0, 0.0], json!({})), "its data do not hold `id`: expected is \"a\""),
        ];
        for (actual, expected) in cases {
            assert_eq!(actual, format!("{begin}{expected}"));
        }
    }
}
