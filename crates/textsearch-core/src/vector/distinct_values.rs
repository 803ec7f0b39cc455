//! The distinct values of a field.

use std::{borrow::Cow, collections::HashMap};

use serde_json::Value;

use super::{DataField, DataKind, RecordDefinition, SortValue};
use crate::{Error, Filter, Result, filter::FilterValue};

/// A value of a field, and how many records have it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DistinctValue {
    /// The value: a text, an integer or a boolean.
    pub value: FilterValue,
    /// The number of records.
    pub records: u64,
}

impl DistinctValue {
    /// Creates a value with its number of records.
    pub fn new(value: impl Into<FilterValue>, records: u64) -> Self {
        Self { value: value.into(), records }
    }
}

/// Counts the values of a field, for backends that don't count as
/// [`VectorCollection::distinct_values`](super::VectorCollection::distinct_values) defines it.
///
/// ```
/// use textsearch_core::{
///     serde_json::json,
///     vector::{DataKind, DistinctValue, ValueCounter},
/// };
///
/// let mut counter = ValueCounter::new(DataKind::Strings);
/// [json!(["a", "b"]), json!(["b"]), json!(null)].iter().for_each(|value| counter.add(value));
/// let values = counter.most_frequent(10);
/// assert_eq!(values, [DistinctValue::new("b", 2), DistinctValue::new("a", 1)]);
/// ```
#[derive(Debug)]
pub struct ValueCounter {
    kind: DataKind,
    counts: HashMap<Value, u64>,
}

impl ValueCounter {
    /// Creates a counter for a field of this kind.
    pub fn new(kind: DataKind) -> Self {
        Self { kind, counts: HashMap::new() }
    }

    /// Counts the field's value in one record.
    pub fn add(&mut self, value: &Value) {
        match (self.kind, value) {
            (DataKind::Strings, Value::Array(members)) => {
                for (place, member) in members.iter().enumerate() {
                    let is_first =
                        || members.iter().position(|other| other == member) == Some(place);
                    if member.is_string() && is_first() {
                        self.count(member);
                    }
                }
            }
            (DataKind::String, Value::String(_)) | (DataKind::Boolean, Value::Bool(_)) => {
                self.count(value);
            }
            (DataKind::Integer, Value::Number(number)) if number.is_i64() => self.count(value),
            _ => {}
        }
    }

    fn count(&mut self, value: &Value) {
        match self.counts.get_mut(value) {
            Some(count) => *count += 1,
            None => {
                self.counts.insert(value.clone(), 1);
            }
        }
    }

    /// Returns the `limit` most frequent values, in the order of
    /// [`VectorCollection::distinct_values`](super::VectorCollection::distinct_values).
    pub fn most_frequent(self, limit: usize) -> Vec<DistinctValue> {
        let sortable = |(value, count)| Some((SortValue::new(Cow::Owned(value), false)?, count));
        let mut counts: Vec<(SortValue<'_>, u64)> =
            self.counts.into_iter().filter_map(sortable).collect();
        counts.sort_unstable_by(|(value, count), (other, other_count)| {
            other_count.cmp(count).then_with(|| value.order(other))
        });
        let values = counts.into_iter().take(limit).filter_map(|(value, count)| {
            let value = match value {
                SortValue::Boolean(value) => FilterValue::Bool(value),
                SortValue::Number(number) => FilterValue::Integer(number.as_i64()?),
                SortValue::Text(text) => FilterValue::String(text.into_owned()),
                _ => return None,
            };
            Some(DistinctValue::new(value, count))
        });
        values.collect()
    }
}

impl RecordDefinition {
    /// Checks the arguments of
    /// [`VectorCollection::distinct_values`](super::VectorCollection::distinct_values), and returns
    /// the field.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](crate::ErrorKind::InvalidOptions) with the fields whose values can be
    /// counted if `field` isn't one of them, and
    /// [`UnsupportedFilter`](crate::ErrorKind::UnsupportedFilter) for a filter on other fields. Both
    /// name `connector`.
    pub fn check_distinct_values(
        &self,
        field: &str,
        filter: Option<&Filter>,
        connector: &str,
    ) -> Result<&DataField> {
        self.check_filter(filter, connector)?;
        let is_countable = |field: &&DataField| {
            let kind = field.kind;
            field.filterable
                && matches!(
                    kind,
                    DataKind::String | DataKind::Strings | DataKind::Integer | DataKind::Boolean
                )
        };
        self.data_field(field).filter(is_countable).ok_or_else(|| {
            let names: Vec<&str> =
                self.data.iter().filter(is_countable).map(|field| field.name.as_str()).collect();
            let allowed =
                format!("a filterable field of texts, integers or booleans: {}", names.join(", "));
            Error::invalid_options(connector, "field", format_args!("`{field}`"), allowed)
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn counted(kind: DataKind, values: &Value, limit: usize) -> Vec<DistinctValue> {
        let mut counter = ValueCounter::new(kind);
        values.as_array().unwrap().iter().for_each(|value| counter.add(value));
        counter.most_frequent(limit)
    }

    #[test]
    fn values_come_by_frequency_and_then_by_value() {
        let values = counted(DataKind::Integer, &json!([10, 9, 10, 2, null, "2", 1.5]), 9);
        let expected = [(10, 2), (2, 1), (9, 1)];
        assert_eq!(values, expected.map(|(value, count)| DistinctValue::new(value, count)));
        assert_eq!(
            counted(DataKind::Boolean, &json!([true, false]), 1),
            [DistinctValue::new(false, 1)]
        );
    }

    #[test]
    fn a_member_of_a_list_counts_once_per_record() {
        let values = counted(DataKind::Strings, &json!([["a", "a", 1], ["b"], "b"]), 9);
        assert_eq!(values, [DistinctValue::new("a", 1), DistinctValue::new("b", 1)]);
    }

    #[test]
    fn only_countable_fields_have_distinct_values() {
        let definition = RecordDefinition::new("id")
            .with_data(DataField::string("author").filterable())
            .with_data(DataField::string("body"))
            .with_data(DataField::number("size").filterable());
        assert!(definition.check_distinct_values("author", None, "acme").is_ok());
        for field in ["body", "size", "id", "none"] {
            let error = definition.check_distinct_values(field, None, "acme").unwrap_err();
            assert!(error.message().ends_with("or booleans: author"), "{error}");
        }
    }
}
