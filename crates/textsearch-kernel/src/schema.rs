//! Self-contained JSON schemas for models.

use std::collections::HashMap;

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value};

/// The maximum number of definitions inlined in one schema, counting each use.
const MAX_DEFINITIONS: usize = 500;

/// Their maximum size as JSON. A schema goes to models with each request.
const MAX_BYTES: usize = 128 * 1024;

/// The maximum depth of schemas in schemas. Definitions from outside could exhaust the stack.
const DEEPEST: usize = 64;

pub(crate) fn schema_of_input<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12();
    self_contained(settings.into_generator().into_root_schema_for::<T>().into())
}

/// Omits `required`: a struct always has all of its fields, so the list adds nothing for a model.
pub(crate) fn schema_of_output<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    output_schema(settings.into_generator().into_root_schema_for::<T>().into())
}

pub(crate) fn output_schema(schema: Value) -> Value {
    let mut schema = self_contained(schema);
    remove_required(&mut schema);
    schema
}

/// A type that contains itself is expanded up to the repetition, which accepts any value. So does
/// any schema beyond `MAX_DEFINITIONS`, `MAX_BYTES` or `DEEPEST`: types that refer to each other would
/// grow without bound.
pub(crate) fn self_contained(schema: Value) -> Value {
    let definitions = schema.get("$defs").or_else(|| schema.get("definitions"));
    let definitions = definitions.and_then(Value::as_object);
    let empty = Map::new();
    let mut tidier = Tidier {
        definitions: definitions.unwrap_or(&empty),
        sizes: HashMap::new(),
        open: Vec::new(),
        depth: 0,
        left: MAX_DEFINITIONS,
        bytes_left: MAX_BYTES,
        cut: false,
    };
    let mut tidied = tidier.schema(&schema);
    if tidier.cut {
        tracing::warn!(
            "a schema is nested too deeply, or uses too many or too large definitions: some values \
             aren't checked"
        );
    }
    if let Value::Object(entries) = &mut tidied {
        entries.remove("title");
    }
    tidied
}

/// For an optional parameter: callers omit it instead of passing null.
pub(crate) fn without_null(schema: Value) -> Value {
    let Value::Object(mut entries) = schema else {
        return schema;
    };
    if let Some(Value::Array(types)) = entries.get_mut("type") {
        types.retain(|name| name != "null");
    }
    if let Some([only]) = entries.get("type").and_then(Value::as_array).map(Vec::as_slice) {
        let only = only.clone();
        entries.insert("type".to_owned(), only);
    }
    if let Some(Value::Array(allowed)) = entries.get_mut("enum") {
        allowed.retain(|value| !value.is_null());
    }
    Value::Object(only_alternative(entries))
}

fn only_alternative(mut entries: Map<String, Value>) -> Map<String, Value> {
    let Some(Value::Array(alternatives)) = entries.get_mut("anyOf") else {
        return entries;
    };
    alternatives.retain(|alternative| alternative.get("type").is_none_or(|name| name != "null"));
    let [Value::Object(only)] = alternatives.as_mut_slice() else {
        return entries;
    };
    let mut only = std::mem::take(only);
    entries.remove("anyOf");
    only.extend(entries);
    only
}

struct Tidier<'a> {
    definitions: &'a Map<String, Value>,
    /// The size of each used definition, as JSON.
    sizes: HashMap<&'a str, usize>,
    // Stops the recursion of a type that contains itself.
    open: Vec<&'a str>,
    depth: usize,
    left: usize,
    bytes_left: usize,
    cut: bool,
}

impl<'a> Tidier<'a> {
    fn schema(&mut self, schema: &'a Value) -> Value {
        let Value::Object(entries) = schema else {
            return schema.clone();
        };
        if self.depth == DEEPEST {
            self.cut = true;
            return Value::Object(Map::new());
        }
        self.depth += 1;
        let mut tidied = self.referenced(entries);
        for (keyword, value) in entries {
            if let Some(value) = self.keyword(keyword, value) {
                tidied.insert(keyword.clone(), value);
            }
        }
        self.depth -= 1;
        Value::Object(tidied)
    }

    fn referenced(&mut self, entries: &'a Map<String, Value>) -> Map<String, Value> {
        let reference = entries.get("$ref").and_then(Value::as_str);
        let name = reference.and_then(|reference| {
            let defined = reference.strip_prefix("#/$defs/");
            defined.or_else(|| reference.strip_prefix("#/definitions/"))
        });
        let Some((name, definition)) =
            name.and_then(|name| Some((name, self.definitions.get(name)?)))
        else {
            return Map::new();
        };
        if self.open.contains(&name) {
            return Map::new();
        }
        let size = *self.sizes.entry(name).or_insert_with(|| definition.to_string().len());
        let left = (self.left.checked_sub(1), self.bytes_left.checked_sub(size));
        let (Some(left), Some(bytes_left)) = left else {
            self.cut = true;
            return Map::new();
        };
        (self.left, self.bytes_left) = (left, bytes_left);
        self.open.push(name);
        let schema = self.schema(definition);
        self.open.pop();
        match schema {
            Value::Object(entries) => entries,
            _ => Map::new(),
        }
    }

    fn keyword(&mut self, keyword: &str, value: &'a Value) -> Option<Value> {
        match (keyword, value) {
            ("$schema" | "$defs" | "definitions" | "$ref", _) => None,
            ("format", Value::String(format)) if is_number_format(format) => None,
            ("properties" | "patternProperties", Value::Object(properties)) => {
                let tidied =
                    properties.iter().map(|(name, schema)| (name.clone(), self.schema(schema)));
                Some(Value::Object(tidied.collect()))
            }
            ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(schemas)) => {
                Some(schemas.iter().map(|schema| self.schema(schema)).collect())
            }
            ("items" | "additionalProperties" | "not", schema) => Some(self.schema(schema)),
            (_, value) => Some(value.clone()),
        }
    }
}

/// The size of a number does not help a model write one.
fn is_number_format(format: &str) -> bool {
    let is_integer = |digits: &str| digits.is_empty() || digits.parse::<u16>().is_ok();
    let unsigned = format.strip_prefix("uint").is_some_and(is_integer);
    let signed = format.strip_prefix("int").is_some_and(is_integer);
    unsigned || signed || matches!(format, "float" | "double")
}

fn remove_required(schema: &mut Value) {
    match schema {
        Value::Object(entries) => {
            // A property may be called `required`, but the keyword's value is a list.
            if entries.get("required").is_some_and(Value::is_array) {
                entries.remove("required");
            }
            entries.values_mut().for_each(remove_required);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_required),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};
    use serde_json::json;

    use super::*;

    /// A page.
    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Page {
        number: u32,
        /// The pages below it.
        below: Vec<Page>,
        kind: Option<Kind>,
    }

    /// A kind.
    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        Long,
        Short,
    }

    #[test]
    fn schemas_are_self_contained_and_finite() {
        let schema = schema_of_input::<Vec<Page>>();
        let page = schema.get("items").unwrap();
        assert_eq!(page["description"], "A page.");
        assert_eq!(page["properties"]["number"], json!({ "type": "integer", "minimum": 0 }));
        assert_eq!(page["properties"]["below"]["items"], json!({}));
        let text = schema.to_string();
        assert!(!text.contains("$ref") && !text.contains("$defs") && !text.contains("$schema"));
        assert!(!text.contains("title") && !text.contains("format"));
    }

    #[test]
    fn definitions_that_name_each_other_stay_within_bounds() {
        let twice = |name: String| json!({ "properties": { "a": { "$ref": name }, "b": { "$ref": name } } });
        let definitions =
            (0..60).map(|number| (format!("T{number}"), twice(format!("#/$defs/T{}", number + 1))));
        let definitions: Map<String, Value> = definitions.collect();
        let tidied = self_contained(json!({ "$defs": definitions, "$ref": "#/$defs/T0" }));
        assert!(tidied.to_string().len() < 50_000);
        assert!(tidied["properties"]["a"]["properties"]["b"].is_object());
        // Few, and large.
        let references = vec![json!({ "$ref": "#/$defs/Long" }); 400];
        let long = json!({ "description": "x".repeat(MAX_BYTES / 4) });
        let tidied = self_contained(json!({ "$defs": { "Long": long }, "anyOf": references }));
        assert_eq!((&tidied["anyOf"][2], &tidied["anyOf"][399]), (&long, &json!({})));
        assert!(tidied.to_string().len() < MAX_BYTES + 4_000);
    }

    #[test]
    fn an_optional_schema_loses_null() {
        let optional = schema_of_input::<Option<Kind>>();
        let expected =
            json!({ "description": "A kind.", "enum": ["long", "short"], "type": "string" });
        assert_eq!(without_null(optional), expected);
        assert_eq!(without_null(schema_of_input::<Option<i64>>()), json!({ "type": "integer" }));
        let nullable = json!({ "type": ["string", "null"], "enum": ["a", null] });
        assert_eq!(without_null(nullable), json!({ "type": "string", "enum": ["a"] }));
    }

    #[test]
    fn an_output_schema_does_not_list_its_fields_twice() {
        assert_eq!(schema_of_output::<Page>().get("required"), None);
        assert_eq!(schema_of_input::<Page>()["required"], json!(["number", "below"]));
    }
}
