use textsearch_core::serde_json::{Value, json};

use crate::support::{get, metadata, post, reason};

/// The schema of a parameter, as the function has it.
fn converted(schema: Value, schemas: Value) -> Value {
    let mut document = get("/t", json!([{ "name": "p", "in": "query", "schema": schema }]));
    document["components"] = json!({ "schemas": schemas });
    metadata(&document).parameters[0].schema.clone()
}

fn plain(schema: Value) -> Value {
    converted(schema, json!({}))
}

#[test]
fn nullable_becomes_a_type() {
    let nullable = json!({ "type": "string", "enum": ["a"], "nullable": true });
    assert_eq!(plain(nullable), json!({ "type": ["string", "null"], "enum": ["a", null] }));
    let nullable =
        json!({ "anyOf": [{ "type": "string" }, { "type": "integer" }], "nullable": true });
    let expected = json!({ "anyOf": [
        { "anyOf": [{ "type": "string" }, { "type": "integer" }] }, { "type": "null" },
    ] });
    assert_eq!(plain(nullable), expected);
    assert_eq!(plain(json!({ "type": "string", "nullable": false })), json!({ "type": "string" }));
}

#[test]
fn boolean_exclusive_bounds_become_numbers() {
    let schema =
        json!({ "minimum": 1, "exclusiveMinimum": true, "maximum": 9, "exclusiveMaximum": false });
    assert_eq!(plain(schema), json!({ "exclusiveMinimum": 1, "maximum": 9 }));
    assert_eq!(plain(json!({ "exclusiveMinimum": 1 })), json!({ "exclusiveMinimum": 1 }));
}

#[test]
fn keywords_without_meaning_for_models_are_dropped() {
    let schema = json!({
        "type": "object", "example": 1, "xml": {}, "discriminator": {}, "x-own": 1, "externalDocs": {},
        "properties": { "example": { "type": "string", "examples": ["a"] } },
    });
    let expected = json!({ "type": "object", "properties": { "example": { "type": "string" } } });
    assert_eq!(plain(schema), expected);
}

#[test]
fn malformed_keywords_are_dropped() {
    let schema = json!({
        "type": "file", "required": true, "description": { "a": 1 }, "enum": "a", "anyOf": [], "minLength": -1,
        "properties": [], "minimum": "1", "$recursiveAnchor": true, "title": "Kept.", "items": 1,
    });
    assert_eq!(plain(schema), json!({ "title": "Kept.", "items": {} }));
}

#[test]
fn required_names_are_listed_once() {
    let branch = json!({ "type": "object", "required": ["a", "a"] });
    let schema = json!({ "allOf": [branch, branch] });
    assert_eq!(plain(schema), json!({ "type": "object", "required": ["a"] }));
}

#[test]
fn null_is_added_once() {
    let schemas = json!({ "A": { "type": "object", "nullable": true } });
    let schema = json!({ "$ref": "#/components/schemas/A", "nullable": true });
    assert_eq!(converted(schema, schemas), json!({ "type": ["object", "null"] }));
}

#[test]
fn references_are_inlined_and_siblings_win() {
    let schemas = json!({ "A/B": { "type": "string", "description": "Old." } });
    let schema = json!({ "$ref": "#/components/schemas/A~1B", "description": "New." });
    assert_eq!(converted(schema, schemas), json!({ "type": "string", "description": "New." }));
}

#[test]
fn a_schema_that_contains_itself_ends_at_the_repetition() {
    let node = json!({ "properties": { "next": { "$ref": "#/components/schemas/Node" } } });
    let schema = converted(json!({ "$ref": "#/components/schemas/Node" }), json!({ "Node": node }));
    assert_eq!(schema, json!({ "properties": { "next": {} } }));
}

#[test]
fn branches_of_all_of_become_one_object() {
    let schema = json!({ "allOf": [
        { "type": "object", "required": ["a"], "properties": { "a": { "type": "string" } } },
        { "type": "object", "required": ["b", "a"], "properties": { "b": {} }, "description": "B." },
    ] });
    let metadata = metadata(&post("application/json", schema));
    let parameters = metadata
        .parameters
        .iter()
        .map(|parameter| (parameter.name.as_str(), parameter.is_required));
    assert_eq!(parameters.collect::<Vec<_>>(), [("a", true), ("b", true)]);
    let conflict = json!({ "allOf": [{ "type": "string" }, { "type": "integer" }] });
    assert_eq!(plain(conflict.clone()), conflict);
}

#[test]
fn alternatives_of_required_properties_keep_the_properties() {
    let schema = json!({ "properties": { "a": {}, "b": {} }, "anyOf": [{ "required": ["a"] }, { "required": ["b"] }] });
    assert_eq!(metadata(&post("application/json", schema)).parameters.len(), 2);
    let schema = json!({ "oneOf": [{ "properties": { "a": {} } }, { "type": "string" }] });
    assert_eq!(metadata(&post("application/json", schema)).parameters[0].name, "payload");
}

#[test]
fn references_that_lead_nowhere_are_refused_by_name() {
    let with = |reference: &str| {
        get("/t", json!([{ "name": "p", "in": "query", "schema": { "$ref": reference } }]))
    };
    let cases = [
        (
            "https://evil.example/a.json",
            "it refers to `https://evil.example/a.json`, outside the document",
        ),
        ("other.yaml#/A", "it refers to `other.yaml#/A`, outside the document"),
        (
            "#/components/schemas/A",
            "it refers to `#/components/schemas/A`, which the document lacks",
        ),
    ];
    for (reference, expected) in cases {
        assert_eq!(reason(&with(reference), Default::default()), expected);
    }
    let mut cycle = get("/t", json!([{ "$ref": "#/components/parameters/a" }]));
    cycle["components"]["parameters"]["a"] = json!({ "$ref": "#/components/parameters/a" });
    assert_eq!(reason(&cycle, Default::default()), "more than 16 references lead to each other");
}
