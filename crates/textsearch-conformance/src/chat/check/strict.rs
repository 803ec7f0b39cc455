//! The [rules for strict
//! schemas](https://platform.openai.com/docs/guides/structured-outputs#supported-schemas).

use serde_json::{Map, Value};

use super::Violation;
use crate::chat::ModelRequest;

/// JSON schema keywords that OpenAI rejects.
const REFUSED: &[&str] = &[
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "oneOf",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "unevaluatedItems",
    "unevaluatedProperties",
    "prefixItems",
    "default",
];

const DEEPEST: usize = 10;

pub(super) fn check(request: &ModelRequest, number: usize) -> Vec<Violation> {
    let mut check = Check { number, found: Vec::new() };
    for (index, tool) in request.tools().enumerate() {
        if is_strict(tool) {
            let schema = tool.get("parameters").unwrap_or(&Value::Null);
            check.root(schema, &format!("tools[{index}].function.parameters"));
        }
    }
    let format = request.body.pointer("/response_format/json_schema");
    if let Some(format) = format.filter(|format| is_strict(format)) {
        let schema = format.get("schema").unwrap_or(&Value::Null);
        check.root(schema, "response_format.json_schema.schema");
    }
    check.found
}

fn is_strict(part: &Value) -> bool {
    part.get("strict").and_then(Value::as_bool) == Some(true)
}

struct Check {
    number: usize,
    found: Vec<Violation>,
}

impl Check {
    fn root(&mut self, schema: &Value, place: &str) {
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            self.complain(place, "schema must be a JSON Schema of 'type: \"object\"'");
        }
        self.schema(schema, place, 0);
    }

    fn schema(&mut self, schema: &Value, place: &str, depth: usize) {
        let Some(schema) = schema.as_object() else {
            return self.complain(place, "schema must be an object that has a 'type'");
        };
        if depth > DEEPEST {
            return self.complain(place, &format!("nested deeper than {DEEPEST} levels"));
        }
        let known = ["type", "$ref", "anyOf", "enum", "const"];
        if !known.iter().any(|word| schema.contains_key(*word)) {
            self.complain(place, "schema must have a 'type' key");
        }
        if schema.contains_key("$ref") && schema.len() > 1 {
            self.complain(place, "'$ref' cannot have other keywords beside it");
        }
        for word in REFUSED.iter().filter(|word| schema.contains_key(**word)) {
            self.complain(place, &format!("'{word}' is not permitted"));
        }
        if is_object(schema) {
            self.object(schema, place);
        }
        self.parts(schema, place, depth);
    }

    fn object(&mut self, schema: &Map<String, Value>, place: &str) {
        if schema.get("additionalProperties") != Some(&Value::Bool(false)) {
            let message = "'additionalProperties' is required to be supplied and to be false";
            self.complain(place, message);
        }
        let required = schema.get("required").and_then(Value::as_array);
        let is_required = |name: &String| {
            required.is_some_and(|required| required.iter().any(|one| one.as_str() == Some(name)))
        };
        let properties = schema.get("properties").and_then(Value::as_object);
        for name in properties.into_iter().flat_map(Map::keys).filter(|name| !is_required(name)) {
            let message = "'required' is required to be supplied and to be an array including \
                           every key in properties";
            self.complain(place, &format!("{message}: missing '{name}'"));
        }
    }

    fn parts(&mut self, schema: &Map<String, Value>, place: &str, depth: usize) {
        for word in ["properties", "$defs", "definitions"] {
            let parts = schema.get(word).and_then(Value::as_object);
            let deeper = if word == "properties" { depth + 1 } else { depth };
            for (name, part) in parts.into_iter().flatten() {
                self.schema(part, &format!("{place}.{word}.{name}"), deeper);
            }
        }
        if let Some(items) = schema.get("items") {
            self.schema(items, &format!("{place}.items"), depth + 1);
        }
        let choices = schema.get("anyOf").and_then(Value::as_array);
        for (index, choice) in choices.into_iter().flatten().enumerate() {
            self.schema(choice, &format!("{place}.anyOf[{index}]"), depth);
        }
    }

    fn complain(&mut self, place: &str, message: &str) {
        let message = format!("Invalid schema: {message}");
        self.found.push(Violation::new(self.number, place.to_owned(), message));
    }
}

fn is_object(schema: &Map<String, Value>) -> bool {
    match schema.get("type") {
        Some(Value::String(kind)) => kind == "object",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        _ => false,
    }
}
