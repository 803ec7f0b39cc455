//! OpenAPI schemas as self-contained JSON schemas.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use crate::document::{Document, reference_of};

/// Deeper schemas accept any value.
const MAX_DEPTH: usize = 32;

/// Limits of one schema and of all schemas of a document. Keywords and values count 1, and texts 1
/// for each 32 bytes. Beyond the limit, schemas accept any value.
const MAX_COST: usize = 10_000;
const MAX_TOTAL_COST: usize = 4_000_000;

/// Keywords that mean nothing to a model. Inlining replaces keywords with `$`.
const DROPPED: &[&str] =
    &["definitions", "discriminator", "example", "examples", "externalDocs", "nullable", "xml"];

const TYPES: &[&str] = &["array", "boolean", "integer", "null", "number", "object", "string"];

/// Who sends the values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Request,
    Response,
}

/// Reads schemas: inlines references, and converts what only OpenAPI 3.0 knows.
///
/// A schema that contains itself is expanded up to the repetition, which accepts any value.
pub(crate) struct SchemaReader<'a> {
    document: &'a Document,
    direction: Direction,
    open: Vec<&'a str>,
    depth: usize,
    left: usize,
    left_in_total: usize,
}

impl<'a> SchemaReader<'a> {
    pub(crate) fn new(document: &'a Document) -> Self {
        Self {
            document,
            direction: Direction::Request,
            open: Vec::new(),
            depth: 0,
            left: 0,
            left_in_total: MAX_TOTAL_COST,
        }
    }

    pub(crate) fn read(
        &mut self,
        schema: &'a Value,
        direction: Direction,
    ) -> Result<Value, String> {
        (self.direction, self.left, self.depth) = (direction, MAX_COST, 0);
        self.open.clear();
        self.schema(schema)
    }

    /// Pays for an operation's names and descriptions.
    pub(crate) fn pay_for_texts(&mut self, bytes: usize) -> Result<(), String> {
        let left = self.left_in_total.checked_sub(bytes / 32);
        self.left_in_total = left.ok_or("the document's operations are too large together")?;
        Ok(())
    }

    fn schema(&mut self, schema: &'a Value) -> Result<Value, String> {
        let Value::Object(entries) = schema else {
            return Ok(if schema.is_boolean() { schema.clone() } else { json!({}) });
        };
        if self.depth == MAX_DEPTH || !self.pay(1) {
            return Ok(json!({}));
        }
        self.depth += 1;
        let read = self.object(entries, reference_of(schema));
        self.depth -= 1;
        read
    }

    fn object(
        &mut self,
        entries: &'a Map<String, Value>,
        reference: Option<&'a str>,
    ) -> Result<Value, String> {
        let mut read = match reference {
            Some(reference) => self.inlined(reference)?,
            None => Map::new(),
        };
        for (keyword, value) in entries {
            if let Some(value) = self.keyword(keyword, value)? {
                read.insert(keyword.clone(), value);
            }
        }
        if let Some(Value::Array(required)) = read.get_mut("required") {
            keep_first_of_equals(required);
        }
        self.hide_properties(&mut read);
        read_exclusive_bound(&mut read, "exclusiveMinimum", "minimum");
        read_exclusive_bound(&mut read, "exclusiveMaximum", "maximum");
        let mut read = with_merged_branches(read);
        if entries.get("nullable") == Some(&Value::Bool(true)) {
            read = with_null(read);
        }
        Ok(Value::Object(read))
    }

    fn inlined(&mut self, reference: &'a str) -> Result<Map<String, Value>, String> {
        let document = self.document;
        let schema = document.referenced(reference)?;
        if self.open.contains(&reference) {
            return Ok(Map::new());
        }
        self.open.push(reference);
        let read = self.schema(schema);
        self.open.pop();
        match read? {
            Value::Object(entries) => Ok(entries),
            _ => Ok(Map::new()),
        }
    }

    fn keyword(&mut self, keyword: &str, value: &'a Value) -> Result<Option<Value>, String> {
        if is_dropped(keyword) || !is_well_formed(keyword, value) {
            return Ok(None);
        }
        let read = match (keyword, value) {
            ("properties" | "patternProperties" | "dependentSchemas", Value::Object(schemas)) => {
                let mut read = Map::new();
                for (name, schema) in schemas {
                    if self.pay(cost_of_text(name)) {
                        read.insert(name.clone(), self.schema(schema)?);
                    }
                }
                Value::Object(read)
            }
            ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(schemas)) => {
                schemas.iter().map(|schema| self.schema(schema)).collect::<Result<Value, _>>()?
            }
            (
                "items"
                | "additionalProperties"
                | "not"
                | "contains"
                | "propertyNames"
                | "if"
                | "then"
                | "else"
                | "unevaluatedItems"
                | "unevaluatedProperties",
                schema,
            ) => self.schema(schema)?,
            (_, value) if self.pay(cost(value)) => value.clone(),
            _ => return Ok(None),
        };
        Ok(Some(read))
    }

    /// Removes properties that only the other side sends.
    fn hide_properties(&self, read: &mut Map<String, Value>) {
        let hidden = match self.direction {
            Direction::Request => "readOnly",
            Direction::Response => "writeOnly",
        };
        let Some(Value::Object(properties)) = read.get_mut("properties") else { return };
        let is_hidden = |schema: &Value| schema.get(hidden) == Some(&Value::Bool(true));
        let before = properties.len();
        let names: Vec<String> = properties
            .iter()
            .filter(|(_, schema)| is_hidden(schema))
            .map(|(name, _)| name.clone())
            .collect();
        properties.retain(|_, schema| !is_hidden(schema));
        if let (true, Some(Value::Array(required))) =
            (properties.len() < before, read.get_mut("required"))
        {
            required.retain(|name| !names.iter().any(|hidden| name == hidden));
        }
    }

    fn pay(&mut self, cost: usize) -> bool {
        let paid = self.left.checked_sub(cost).zip(self.left_in_total.checked_sub(cost));
        (self.left, self.left_in_total) = paid.unwrap_or((0, self.left_in_total));
        paid.is_some()
    }
}

fn keep_first_of_equals(names: &mut Vec<Value>) {
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
}

fn is_dropped(keyword: &str) -> bool {
    DROPPED.contains(&keyword) || keyword.starts_with('$') || keyword.starts_with("x-")
}

/// One wrong keyword would make models' interfaces refuse all functions.
fn is_well_formed(keyword: &str, value: &Value) -> bool {
    let is_type = |name: &Value| name.as_str().is_some_and(|name| TYPES.contains(&name));
    match keyword {
        "type" => match value {
            Value::Array(names) => !names.is_empty() && names.iter().all(is_type),
            name => is_type(name),
        },
        "title" | "description" | "format" | "pattern" => value.is_string(),
        "required" => value.as_array().is_some_and(|names| names.iter().all(Value::is_string)),
        "enum" => value.is_array(),
        "minimum" | "maximum" | "multipleOf" => value.is_number(),
        "exclusiveMinimum" | "exclusiveMaximum" => value.is_number() || value.is_boolean(),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            value.is_u64()
        }
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => {
            value.as_array().is_some_and(|schemas| !schemas.is_empty())
        }
        "properties" | "patternProperties" | "dependentSchemas" => value.is_object(),
        "deprecated" | "readOnly" | "writeOnly" | "uniqueItems" => value.is_boolean(),
        _ => true,
    }
}

fn cost_of_text(text: &str) -> usize {
    1 + text.len() / 32
}

fn cost(value: &Value) -> usize {
    match value {
        Value::String(text) => cost_of_text(text),
        Value::Array(items) => 1 + items.iter().map(cost).sum::<usize>(),
        Value::Object(entries) => {
            1 + entries.iter().map(|(name, value)| cost_of_text(name) + cost(value)).sum::<usize>()
        }
        _ => 1,
    }
}

/// OpenAPI 3.0 has `exclusiveMinimum: true` with `minimum`.
fn read_exclusive_bound(read: &mut Map<String, Value>, exclusive: &str, bound: &str) {
    let Some(Value::Bool(is_exclusive)) = read.get(exclusive) else { return };
    let is_exclusive = *is_exclusive;
    read.remove(exclusive);
    if let (true, Some(limit)) = (is_exclusive, read.get(bound).cloned()) {
        read.remove(bound);
        read.insert(exclusive.to_owned(), limit);
    }
}

/// OpenAPI 3.0 has `nullable: true`.
fn with_null(mut read: Map<String, Value>) -> Map<String, Value> {
    if let Some(Value::Array(allowed)) = read.get_mut("enum")
        && !allowed.contains(&Value::Null)
    {
        allowed.push(Value::Null);
    }
    let has_branches =
        ["allOf", "anyOf", "oneOf"].iter().any(|keyword| read.contains_key(*keyword));
    match read.get_mut("type") {
        Some(Value::Array(types)) if types.iter().any(|kind| kind == "null") => {}
        Some(Value::Array(types)) => types.push(json!("null")),
        Some(kind) => *kind = json!([kind, "null"]),
        None if has_branches => {
            return Map::from_iter([("anyOf".to_owned(), json!([read, { "type": "null" }]))]);
        }
        // A schema without a type accepts null.
        None => {}
    }
    read
}

/// Merges the branches of `allOf` into one object schema, so that its properties can be parameters.
fn with_merged_branches(mut read: Map<String, Value>) -> Map<String, Value> {
    let Some(Value::Array(branches)) = read.remove("allOf") else { return read };
    match merged(&read, &branches) {
        Some(merged) => merged,
        None => {
            read.insert("allOf".to_owned(), Value::Array(branches));
            read
        }
    }
}

/// `None` if two branches differ in more than their properties and texts.
fn merged(read: &Map<String, Value>, branches: &[Value]) -> Option<Map<String, Value>> {
    let mut all = read.clone();
    for (keyword, value) in
        branches.iter().map(Value::as_object).collect::<Option<Vec<_>>>()?.into_iter().flatten()
    {
        match (keyword.as_str(), all.get_mut(keyword), value) {
            (_, None, value) => {
                all.insert(keyword.clone(), value.clone());
            }
            ("properties", Some(Value::Object(known)), Value::Object(more)) => {
                for (name, schema) in more {
                    known.entry(name.as_str()).or_insert_with(|| schema.clone());
                }
            }
            ("required", Some(Value::Array(known)), Value::Array(more)) => {
                known.extend(more.iter().cloned());
                keep_first_of_equals(known);
            }
            ("title" | "description" | "additionalProperties", ..) => {}
            (_, Some(known), value) if known == value => {}
            _ => return None,
        }
    }
    Some(all)
}
