//! The metadata that a tenant's documents get, so that its filter finds them and no other does.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use textsearch_core::{
    Filter,
    filter::{Comparison, FilterValue},
    vector::{DataField, RecordDefinition},
};
use textsearch_documents::DocumentSchema;

/// Values by field.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Stamp(pub(super) BTreeMap<String, Value>);

impl Stamp {
    /// Returns the values that `filter` demands. It must be one or more conditions
    /// `field = value`, joined by `and`, on metadata of the store.
    pub(super) fn from_filter(
        filter: &Filter,
        definition: &RecordDefinition,
    ) -> Result<Self, String> {
        let mut values = BTreeMap::new();
        collect(filter, definition, &mut values)?;
        let stamped: Map<String, Value> = values.clone().into_iter().collect();
        if values.is_empty() || !filter.matches(&Value::Object(stamped)) {
            return Err("matches no single set of values".to_owned());
        }
        Ok(Self(values))
    }
}

fn collect(
    filter: &Filter,
    definition: &RecordDefinition,
    values: &mut BTreeMap<String, Value>,
) -> Result<(), String> {
    match filter {
        Filter::And(filters) => {
            filters.iter().try_for_each(|filter| collect(filter, definition, values))
        }
        Filter::Compare { field, operator: Comparison::Eq, value } => {
            if !is_metadata(field, definition) {
                return Err(format!("names `{field}`, which is no metadata of the store"));
            }
            let value = match value {
                FilterValue::String(text) => Value::from(text.as_str()),
                FilterValue::Integer(number) => Value::from(*number),
                FilterValue::Bool(value) => Value::from(*value),
                _ => return Err(format!("compares `{field}` with a value of another kind")),
            };
            values.insert(field.clone(), value);
            Ok(())
        }
        _ => Err("has another form than `field = value`, joined by `and`".to_owned()),
    }
}

pub(super) fn is_metadata(field: &str, definition: &RecordDefinition) -> bool {
    // A schema refuses metadata named like one of its own fields.
    let is_free = DocumentSchema::default().with_metadata(DataField::string(field)).definition();
    is_free.is_ok() && definition.data_field(field).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(filter: &str) -> Result<Stamp, String> {
        let schema = DocumentSchema::default()
            .with_metadata(DataField::string("tenant"))
            .with_metadata(DataField::integer("level"));
        Stamp::from_filter(&filter.parse().unwrap(), &schema.definition().unwrap())
    }

    #[test]
    fn equalities_become_metadata() {
        let stamp = stamp(r#"tenant = "a" and level = 3"#).unwrap();
        let expected = [("level", Value::from(3)), ("tenant", Value::from("a"))];
        assert_eq!(stamp.0, expected.map(|(name, value)| (name.to_owned(), value)).into());
    }

    #[test]
    fn other_filters_have_no_stamp() {
        for filter in [
            r#"tenant != "a""#,
            r#"tenant = "a" or level = 3"#,
            r#"tenant starts_with "a""#,
            r#"tenant = "a" and tenant = "b""#,
            r#"document_id = "a""#,
            r#"fingerprint = "a""#,
            r#"unknown = "a""#,
            "true",
        ] {
            assert!(stamp(filter).is_err(), "{filter}");
        }
    }
}
