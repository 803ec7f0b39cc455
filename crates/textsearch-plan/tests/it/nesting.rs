//! Deeply nested plans.

use serde_json::Value;
use textsearch_conformance::{nested, with_each_depth};
use textsearch_plan::Plan;

use crate::support::{check, function, kernel_of};

const PARTS: &[(&str, &str, &str)] = &[
    ("[", "1", "]"),
    (r#"{"a":"#, "1", "}"),
    (r#"{"items":"#, "true", "}"),
    (r#"{"anyOf":["#, "true", "]}"),
    (r#"{"properties":{"a":"#, "true", "}}"),
];

fn written(schema: &str, argument: &str, result: &str) -> String {
    let step = format!(r#"{{"id":"a","function":"F.Any","arguments":{{"value":{argument}}}}}"#);
    format!(r#"{{"inputs":{{"x":{schema}}},"steps":[{step}],"result":{result}}}"#)
}

/// Plans with this value in an input's schema, an argument or the result.
fn plans_with(value: &str) -> [String; 4] {
    [
        value.to_owned(),
        written(value, "\"$.inputs.x[0]\"", "1"),
        written("true", value, "1"),
        written("true", "1", value),
    ]
}

#[test]
fn plans_in_json_nest_to_any_depth() {
    with_each_depth(256 << 10, |depth| {
        let kernel = kernel_of([function("Any", (Value::Null, Value::Null), |value| value)]);
        let reference = format!("\"$.inputs.x{}\"", "[?@.a".repeat(depth));
        let values = PARTS.iter().map(|parts| nested(*parts, depth)).chain([reference]);
        for text in values.flat_map(|value| plans_with(&value)) {
            drop(serde_json::from_str(&text).map(|plan: Plan| check(&kernel, plan)));
        }
    });
}

#[test]
fn plans_in_yaml_nest_to_any_depth() {
    // A debug build of the YAML parser needs more than 1 MiB for the 64 levels that it allows.
    with_each_depth(2 << 20, |depth| {
        for text in PARTS.iter().flat_map(|parts| plans_with(&nested(*parts, depth))) {
            drop(serde_saphyr::from_str::<Plan>(&text));
        }
    });
}
