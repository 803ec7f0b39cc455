//! Merges references that have other keywords, such as the description of a field. OpenAI rejects
//! them: "`$ref` cannot have keywords {'description'}".

use serde_json::{Map, Value};

use super::KEPT;

/// Definitions that name each other would grow without bound.
const MAX_MERGES: usize = 200;

/// For a description alone: OpenAI limits the depth of schemas.
const DEEPEST: usize = 3;

/// For other keywords: definitions in definitions could exhaust the stack.
const DEEPEST_WITH_KEYWORDS: usize = 8;

/// Together with `KEPT`, the keywords that can't accompany a reference.
const STRUCTURE: &[&str] = &[
    "properties",
    "required",
    "additionalProperties",
    "items",
    "anyOf",
    "oneOf",
    "allOf",
    "const",
];

/// Replaces each reference that has other keywords by its definition. A recursive or deeply nested
/// reference loses its description instead.
pub(super) fn merged(root: &Value) -> Value {
    Merger { root, open: Vec::new(), left: MAX_MERGES }.schema(root)
}

struct Merger<'a> {
    root: &'a Value,
    open: Vec<String>,
    left: usize,
}

impl Merger<'_> {
    fn schema(&mut self, schema: &Value) -> Value {
        let Some(entries) = schema.as_object() else { return schema.clone() };
        let reference = entries.get("$ref").and_then(Value::as_str);
        let Some(reference) = reference.filter(|_| entries.keys().any(|word| counts(word))) else {
            return Value::from(self.parts(entries));
        };
        let is_description = |word: &String| word == "description" || !counts(word);
        let is_optional = entries.keys().all(is_description);
        let definition = self.definition(reference);
        let deepest = if is_optional { DEEPEST } else { DEEPEST_WITH_KEYWORDS };
        match definition.filter(|_| self.open.len() < deepest) {
            Some(definition) => {
                self.left -= 1;
                self.open.push(reference.to_owned());
                let merged = self.schema(&Value::from(merge(definition, entries)));
                self.open.pop();
                merged
            }
            None => {
                let mut parts = self.parts(entries);
                parts.remove("description");
                Value::from(parts)
            }
        }
    }

    fn definition(&self, reference: &str) -> Option<Map<String, Value>> {
        if self.left == 0 || self.open.iter().any(|open| open == reference) {
            return None;
        }
        let definition = self.root.pointer(reference.strip_prefix('#')?)?.as_object();
        let mut definition = definition.cloned()?;
        // The root has them.
        definition.retain(|word, _| !matches!(word.as_str(), "$defs" | "definitions"));
        Some(definition)
    }

    fn parts(&mut self, entries: &Map<String, Value>) -> Map<String, Value> {
        let part = |(word, value): (&String, &Value)| {
            let value = match (word.as_str(), value) {
                ("properties" | "$defs" | "definitions", Value::Object(parts)) => {
                    let part = |(name, part): (&String, &Value)| (name.clone(), self.schema(part));
                    Value::Object(parts.iter().map(part).collect())
                }
                ("anyOf" | "oneOf" | "allOf", Value::Array(parts)) => {
                    parts.iter().map(|part| self.schema(part)).collect()
                }
                ("items", part) => self.schema(part),
                (_, value) => value.clone(),
            };
            (word.clone(), value)
        };
        entries.iter().map(part).collect()
    }
}

/// Returns whether OpenAI rejects the keyword beside a reference.
pub(super) fn counts(word: &str) -> bool {
    word != "$ref" && (KEPT.contains(&word) || STRUCTURE.contains(&word))
}

/// Merges properties and required properties, because a variant of an enum may add its tag to a
/// referenced struct. Other keywords override the definition's.
fn merge(mut definition: Map<String, Value>, beside: &Map<String, Value>) -> Map<String, Value> {
    for (word, value) in beside.iter().filter(|(word, _)| *word != "$ref") {
        match (definition.get_mut(word), value) {
            (Some(Value::Object(known)), Value::Object(more)) if word == "properties" => {
                known.extend(more.clone());
            }
            (Some(Value::Array(known)), Value::Array(more)) if word == "required" => {
                known.extend(more.iter().cloned());
            }
            _ => drop(definition.insert(word.clone(), value.clone())),
        }
    }
    definition
}
