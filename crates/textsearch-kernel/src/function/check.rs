//! The part of a JSON schema that a call checks.

use std::{cmp::Ordering, fmt};

use serde_json::{Map, Number, Value};

use super::json_type::{JsonType, Types, excerpt};
use crate::read::name_segment;

/// The function itself must check other schema keywords.
#[derive(Debug, Default)]
pub(crate) struct ValueCheck {
    types: Types,
    minimum: Option<Number>,
    maximum: Option<Number>,
    allowed: Option<Vec<Value>>,
    items: Option<Box<ValueCheck>>,
    min_items: u64,
    max_items: Option<u64>,
    alternatives: Vec<ValueCheck>,
    required: Vec<String>,
    properties: Vec<(String, ValueCheck)>,
    other_properties: Option<Box<ValueCheck>>,
}

/// A mistake in a value; the message continues a sentence: "must be an integer: found 2.5".
#[derive(Debug, PartialEq)]
pub(crate) struct Mistake {
    /// The JSON Path from the value to its wrong part, without `$`; empty for the value itself.
    pub(crate) path: String,
    pub(crate) message: String,
}

impl ValueCheck {
    /// Leaves the fields of objects to the function.
    pub(crate) fn of_schema(schema: &Value) -> Self {
        Self::new(schema, false)
    }

    /// Checks the fields of objects too. An unknown field passes.
    pub(crate) fn of_whole_schema(schema: &Value) -> Self {
        Self::new(schema, true)
    }

    fn new(schema: &Value, is_whole: bool) -> Self {
        let mut check = Self::default();
        // Schemas have few entries: a lookup per keyword is several times slower.
        for (keyword, value) in schema.as_object().into_iter().flatten() {
            check.read_keyword(schema, keyword, value, is_whole);
        }
        check
    }

    fn read_keyword(&mut self, schema: &Value, keyword: &str, value: &Value, is_whole: bool) {
        let is_there = |keyword| schema.get(keyword).is_some();
        let alternatives = |schemas: &Value| {
            let schemas = schemas.as_array().into_iter().flatten();
            schemas.map(|schema| Self::new(schema, is_whole)).collect()
        };
        match keyword {
            "type" => self.types = Types::named(value),
            "minimum" => self.minimum = value.as_number().cloned(),
            "maximum" => self.maximum = value.as_number().cloned(),
            "const" => self.allowed = Some(vec![value.clone()]),
            "enum" if !is_there("const") => self.allowed = value.as_array().cloned(),
            "items" => self.items = Some(Box::new(Self::new(value, is_whole))),
            "minItems" => self.min_items = value.as_u64().unwrap_or(0),
            "maxItems" => self.max_items = value.as_u64(),
            "anyOf" => self.alternatives = alternatives(value),
            "oneOf" if !is_there("anyOf") => self.alternatives = alternatives(value),
            "required" if is_whole => {
                let names = value.as_array().into_iter().flatten().filter_map(Value::as_str);
                self.required = names.map(str::to_owned).collect();
            }
            "properties" if is_whole => {
                let properties = value.as_object().into_iter().flatten();
                let check =
                    |(name, schema): (&String, &Value)| (name.clone(), Self::new(schema, true));
                self.properties = properties.map(check).collect();
            }
            "additionalProperties" if is_whole => {
                self.other_properties = Some(Box::new(Self::new(value, true)));
            }
            _ => {}
        }
    }

    pub(crate) fn allows_null(&self) -> bool {
        self.types.contains(JsonType::Null)
            || self.alternatives.iter().any(Self::allows_null)
            || self.allowed.as_ref().is_some_and(|allowed| allowed.contains(&Value::Null))
    }

    pub(crate) fn apply(&self, value: Value) -> Result<Value, Mistake> {
        let value = self.types.read(value);
        if !self.types.accept(&value) {
            return Err(mistake(format!("must be {}: found {}", self.describe(), excerpt(&value))));
        }
        self.check_bounds(&value)?;
        self.check_allowed(&value)?;
        let value = match value {
            Value::Array(items) => self.apply_to_items(items)?,
            Value::Object(fields) => self.apply_to_fields(fields)?,
            value => value,
        };
        self.apply_alternatives(value)
    }

    fn describe(&self) -> String {
        let own = self.types.describe();
        let alternatives = self.alternatives.iter().map(Self::describe);
        let mut all: Vec<String> = own.into_iter().chain(alternatives).collect();
        if let [only] = all.as_mut_slice()
            && let Some(items) = &self.items
        {
            only.push_str(&format!(" whose items are each {}", items.describe()));
        }
        if all.is_empty() { "a value".to_owned() } else { all.join(" or ") }
    }

    fn check_bounds(&self, value: &Value) -> Result<(), Mistake> {
        let Value::Number(number) = value else {
            return Ok(());
        };
        let is_below = self.minimum.as_ref().is_some_and(|min| compare(number, min).is_lt());
        let is_above = self.maximum.as_ref().is_some_and(|max| compare(number, max).is_gt());
        if is_below || is_above {
            return Err(mistake(format!("must be {}: found {number}", self.describe_bounds())));
        }
        Ok(())
    }

    fn describe_bounds(&self) -> String {
        match (&self.minimum, &self.maximum) {
            (Some(min), Some(max)) => format!("from {min} to {max}"),
            (Some(min), None) => format!("at least {min}"),
            (None, Some(max)) => format!("at most {max}"),
            (None, None) => "any number".to_owned(),
        }
    }

    fn check_allowed(&self, value: &Value) -> Result<(), Mistake> {
        match &self.allowed {
            Some(allowed) if allowed.is_empty() => Err(mistake(format!(
                "has no allowed value: its `enum` is empty, found {}",
                excerpt(value)
            ))),
            Some(allowed) if !allowed.contains(value) => {
                let names: Vec<String> = allowed.iter().map(Value::to_string).collect();
                Err(mistake(format!(
                    "must be one of {}: found {}",
                    names.join(", "),
                    excerpt(value)
                )))
            }
            _ => Ok(()),
        }
    }

    fn apply_to_items(&self, items: Vec<Value>) -> Result<Value, Mistake> {
        let min = self.min_items;
        let count = items.len();
        if let Some(max) = self.max_items.filter(|max| count as u64 > *max) {
            return Err(mistake(format!("must have at most {max} items: found {count}")));
        }
        if (count as u64) < min {
            return Err(mistake(format!("must have at least {min} items: found {count}")));
        }
        let Some(check) = &self.items else { return Ok(Value::Array(items)) };
        let items = items.into_iter().enumerate().map(|(position, item)| {
            check.apply(item).map_err(|mistake| mistake.within(&format!("[{position}]")))
        });
        items.collect()
    }

    fn apply_to_fields(&self, mut fields: Map<String, Value>) -> Result<Value, Mistake> {
        if let Some(missing) = self.required.iter().find(|name| !fields.contains_key(*name)) {
            return Err(mistake("is missing".to_owned()).within(&name_segment(missing)));
        }
        for (name, value) in &mut fields {
            let own = self.properties.iter().find(|(known, _)| known == name);
            let check = own.map(|(_, check)| check).or(self.other_properties.as_deref());
            if let Some(check) = check {
                let applied = check.apply(value.take());
                *value = applied.map_err(|mistake| mistake.within(&name_segment(name)))?;
            }
        }
        Ok(Value::Object(fields))
    }

    fn apply_alternatives(&self, value: Value) -> Result<Value, Mistake> {
        if self.alternatives.is_empty() {
            return Ok(value);
        }
        // The alternative that accepts the value's type gives the most useful error. Keep its first
        // result: alternatives nest, and a second try at each level would be exponential.
        let mut own = None;
        for alternative in &self.alternatives {
            match alternative.apply(value.clone()) {
                Ok(value) => return Ok(value),
                Err(mistake) if own.is_none() && alternative.types.accept(&value) => {
                    own = Some(mistake);
                }
                Err(_) => {}
            }
        }
        let message = || format!("must be {}: found {}", self.describe(), excerpt(&value));
        Err(own.unwrap_or_else(|| mistake(message())))
    }
}

impl Mistake {
    fn within(mut self, segment: &str) -> Self {
        self.path.insert_str(0, segment);
        self
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => formatter.write_str(&self.message),
            path => write!(formatter, "at `{}` {}", path, self.message),
        }
    }
}

fn mistake(message: String) -> Mistake {
    Mistake { path: String::new(), message }
}

fn compare(left: &Number, right: &Number) -> Ordering {
    match (left.as_i128(), right.as_i128()) {
        (Some(left), Some(right)) => left.cmp(&right),
        // JSON numbers are finite, so every pair has an order.
        _ => left.as_f64().partial_cmp(&right.as_f64()).unwrap_or(Ordering::Equal),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(schema: Value, value: Value) -> Result<Value, String> {
        ValueCheck::of_schema(&schema).apply(value).map_err(|mistake| mistake.to_string())
    }

    #[test]
    fn converts_texts_that_spell_the_type() {
        assert_eq!(check(json!({ "type": "integer" }), json!(" 50 ")), Ok(json!(50)));
        assert_eq!(check(json!({ "type": "integer" }), json!(5.0)), Ok(json!(5)));
        assert_eq!(check(json!({ "type": "number" }), json!("2.5")), Ok(json!(2.5)));
        assert_eq!(check(json!({ "type": "boolean" }), json!("True")), Ok(json!(true)));
        assert_eq!(check(json!({ "type": "array" }), json!("[1]")), Ok(json!([1])));
        assert_eq!(check(json!({ "type": ["string", "integer"] }), json!("50")), Ok(json!("50")));
        assert_eq!(check(json!({}), json!("50")), Ok(json!("50")));
    }

    #[test]
    fn rejects_other_types_and_names_the_allowed_ones() {
        let refused = |schema, value| check(schema, value).unwrap_err();
        assert_eq!(
            refused(json!({ "type": "integer" }), json!("ten")),
            r#"must be an integer: found "ten""#
        );
        assert_eq!(
            refused(json!({ "type": "integer" }), json!(2.5)),
            "must be an integer: found 2.5"
        );
        assert_eq!(refused(json!({ "type": "string" }), json!(5)), "must be a string: found 5");
        assert_eq!(
            refused(json!({ "type": "boolean" }), json!({ "a": 1 })),
            r#"must be true or false: found {"a":1}"#
        );
    }

    #[test]
    fn bounds_are_inclusive_and_exact() {
        let schema = json!({ "type": "integer", "minimum": 1, "maximum": 50 });
        assert_eq!(check(schema.clone(), json!(1)), Ok(json!(1)));
        assert_eq!(check(schema.clone(), json!("50")), Ok(json!(50)));
        assert_eq!(check(schema.clone(), json!(0)).unwrap_err(), "must be from 1 to 50: found 0");
        let huge = json!(u64::MAX);
        assert_eq!(
            check(schema, huge).unwrap_err(),
            "must be from 1 to 50: found 18446744073709551615"
        );
        let only_least = json!({ "type": "number", "minimum": 0.5 });
        assert_eq!(check(only_least, json!(0.25)).unwrap_err(), "must be at least 0.5: found 0.25");
    }

    #[test]
    fn an_empty_enumeration_allows_no_value() {
        let error = check(json!({ "enum": [] }), json!("day")).unwrap_err();
        assert_eq!(error, r#"has no allowed value: its `enum` is empty, found "day""#);
    }

    #[test]
    fn only_the_values_of_an_enumeration_are_allowed() {
        let schema = json!({ "type": "string", "enum": ["day", "week"] });
        assert_eq!(check(schema.clone(), json!("week")), Ok(json!("week")));
        let message = check(schema, json!("year")).unwrap_err();
        assert_eq!(message, r#"must be one of "day", "week": found "year""#);
    }

    #[test]
    fn alternatives_are_tried_in_turn() {
        let schema = json!({
            "anyOf": [
                { "type": "integer", "maximum": 9 },
                { "type": "array", "items": { "type": "integer" }, "minItems": 1 },
            ],
        });
        assert_eq!(check(schema.clone(), json!("7")), Ok(json!(7)));
        assert_eq!(check(schema.clone(), json!(["7", 8])), Ok(json!([7, 8])));
        assert_eq!(check(schema.clone(), json!(10)).unwrap_err(), "must be at most 9: found 10");
        assert_eq!(
            check(schema.clone(), json!([])).unwrap_err(),
            "must have at least 1 items: found 0"
        );
        assert_eq!(
            check(schema.clone(), json!([1, "x"])).unwrap_err(),
            r#"at `[1]` must be an integer: found "x""#
        );
        assert_eq!(
            check(schema, json!(true)).unwrap_err(),
            "must be an integer or a list whose items are each an integer: found true"
        );
    }

    #[test]
    fn nested_alternatives_avoid_exponential_time() {
        let nest = |schema, _| json!({ "anyOf": [schema] });
        let deep = (0..60).fold(json!({ "type": "integer" }), nest);
        assert_eq!(check(deep, json!("x")).unwrap_err(), r#"must be an integer: found "x""#);
    }

    #[test]
    fn a_whole_check_names_missing_and_wrong_fields() {
        let days = json!({ "type": "array", "items": {
            "type": "object",
            "properties": { "degrees": { "type": "integer" } },
            "required": ["degrees"],
        }});
        let whole = ValueCheck::of_whole_schema(&days);
        let mistake = |value| whole.apply(value).unwrap_err().to_string();
        assert_eq!(mistake(json!([{ "degrees": 9 }, {}])), "at `[1].degrees` is missing");
        let expected = "at `[0].degrees` must be an integer: found true";
        assert_eq!(mistake(json!([{ "degrees": true }])), expected);
        assert_eq!(check(days, json!([{}])), Ok(json!([{}])));
    }

    #[test]
    fn truncates_the_value_in_errors() {
        let message = check(json!({ "type": "integer" }), json!("é".repeat(1000))).unwrap_err();
        assert!(message.chars().count() < 120, "{message}");
        assert!(message.ends_with('…'), "{message}");
    }
}
