//! The JSON schemas of filters.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use crate::filter::{Comparison, DateTime, Filter, FilterOperator, FilterValue};

impl JsonSchema for Filter {
    fn schema_name() -> Cow<'static, str> {
        "Filter".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let filter = generator.subschema_for::<Filter>();
        let value = generator.subschema_for::<FilterValue>();
        let comparisons: Vec<FilterOperator> =
            Comparison::ALL.iter().map(|comparison| FilterOperator::from(*comparison)).collect();
        let field = json!({ "type": "string" });
        let values = json!({ "type": "array", "items": value });
        let filters = json!({ "type": "array", "items": filter });
        json_schema!({
            "description": "A condition on the fields of a record",
            "oneOf": [
                object([("field", field.clone()), ("operator", one_of(&comparisons)), ("value", json!(value))]),
                object([("field", field.clone()), ("operator", one_of(&[FilterOperator::In])), ("values", values)]),
                object([("field", field), ("operator", one_of(&[FilterOperator::Exists]))]),
                object([("and", filters.clone())]),
                object([("or", filters)]),
                object([("not", json!(filter))]),
            ],
        })
    }
}

impl JsonSchema for FilterValue {
    fn schema_name() -> Cow<'static, str> {
        "FilterValue".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let date_time = generator.subschema_for::<DateTime>();
        let value = generator.subschema_for::<FilterValue>();
        json_schema!({
            "description": "A value to compare a field with",
            "anyOf": [
                { "type": ["boolean", "number", "string"] },
                object([("date_time", json!(date_time))]),
                { "type": "array", "items": value },
            ],
        })
    }
}

fn object<const COUNT: usize>(properties: [(&str, Value); COUNT]) -> Value {
    let required: Vec<&str> = properties.iter().map(|(name, _)| *name).collect();
    let required = json!(required);
    let properties: serde_json::Map<String, Value> =
        properties.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn one_of(operators: &[FilterOperator]) -> Value {
    json!({ "type": "string", "enum": operators })
}
