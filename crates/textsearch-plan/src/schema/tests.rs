//! Paths, overlaps and values by schema.

use serde_json::json;

use super::*;
use crate::reference::Reference;

fn select(schema: &Value, path: &str) -> Result<String, String> {
    let reference = Reference::parse(&format!("$.item{path}")).unwrap();
    match Type::of_schema(schema).select(&reference.parts) {
        Ok(selected) => Ok(selected.describe()),
        Err(missing) => Err(missing.within),
    }
}

fn fits(from: &Value, to: &Value) -> bool {
    overlaps(&Type::of_schema(from), &Type::of_schema(to), &mut Work::default())
}

fn valid(value: &Value, schema: &Value) -> Result<(), String> {
    validate(value, &Type::of_schema(schema), &mut Work::default())
        .map_err(|mistake| mistake.to_string())
}

fn page() -> Value {
    json!({
        "$defs": { "Page": {
            "type": "object",
            "properties": {
                "name": { "type": ["string", "null"] },
                "below": { "type": "array", "items": { "$ref": "#/$defs/Page" } },
                "kind": { "anyOf": [{ "enum": ["long", "short"] }, { "type": "integer" }] },
                "extra": { "type": "object", "additionalProperties": { "type": "number" } },
            },
        } },
        "$ref": "#/$defs/Page",
    })
}

#[test]
fn paths_follow_references_lists_and_unions() {
    let page = page();
    let selected = |path| select(&page, path).unwrap();
    assert_eq!(selected(".name"), "a text or null");
    assert_eq!(selected(".below[0].below[3].kind"), r#"one of "long", "short" or an integer"#);
    assert_eq!(selected(".below[*].name"), "a list, each item a text or null");
    assert_eq!(selected(".below[?@.name == 'a']").chars().take(6).collect::<String>(), "a list");
    assert_eq!(selected(".extra.anything"), "a number");
}

#[test]
fn unknown_fields_are_missing_and_unknown_schemas_accept() {
    let page = page();
    assert_eq!(
        select(&page, ".title").unwrap_err(),
        "an object with the fields `below`, `extra`, `kind`, `name`"
    );
    assert!(select(&page, ".name.first").is_err());
    assert!(select(&page, ".below.name").is_err());
    assert!(select(&page, ".below[?@.title == 'a']").is_err());
    assert_eq!(select(&Value::Null, ".a.b[0]").unwrap(), "any value");
    assert_eq!(select(&json!({ "type": "object" }), ".a").unwrap(), "any value");
    assert_eq!(select(&json!({ "$ref": "#/nowhere" }), ".a").unwrap(), "any value");
}

#[test]
fn types_overlap_if_some_value_fits() {
    let text = json!({ "type": "string" });
    let number = json!({ "type": "number" });
    let integer = json!({ "type": "integer" });
    let optional = json!({ "type": ["string", "null"] });
    let optional_number = json!({ "anyOf": [{ "type": "number" }, { "type": "null" }] });
    let list = |items: &Value| json!({ "type": "array", "items": items });
    let object = |fields: Value, required: Value| json!({ "type": "object", "properties": fields, "required": required });
    for (from, to, expected) in [
        (&text, &text, true),
        (&text, &number, false),
        (&integer, &number, true),
        (&number, &integer, true),
        (&optional, &text, true),
        (&optional, &optional_number, false),
        (&json!({ "type": "null" }), &optional, true),
        (&list(&text), &list(&optional), true),
        (&list(&text), &list(&number), false),
        (&list(&text), &text, false),
        (&json!({ "enum": ["a", "b"] }), &json!({ "enum": ["b", "c"] }), true),
        (&json!({ "enum": ["a"] }), &json!({ "enum": ["c"] }), false),
        (&json!({}), &text, true),
        (&text, &json!(false), false),
        (
            &object(json!({ "a": text }), json!([])),
            &object(json!({ "a": text }), json!(["a"])),
            true,
        ),
        (
            &object(json!({ "b": text }), json!([])),
            &object(json!({ "a": text }), json!(["a"])),
            false,
        ),
        (
            &object(json!({ "a": number }), json!([])),
            &object(json!({ "a": text }), json!([])),
            false,
        ),
        (&page(), &page(), true),
    ] {
        assert_eq!(fits(from, to), expected, "{from} → {to}");
    }
}

#[test]
fn values_are_validated_in_depth() {
    let page = page();
    assert_eq!(
        valid(&json!({ "name": null, "below": [{ "kind": 1.0 }], "other": 1 }), &page),
        Ok(())
    );
    assert_eq!(
        valid(&json!({ "below": [{}, { "name": 5 }] }), &page).unwrap_err(),
        "at `below` at [1] at `name` must be a text or null: found 5"
    );
    let closed = json!({
        "type": "object", "properties": { "a": { "type": "integer", "minimum": 1, "maximum": 9 } },
        "required": ["a"], "additionalProperties": false,
    });
    for (value, message) in [
        (json!({}), "lacks the field `a`"),
        (json!({ "a": 1, "b": 1 }), "has the unknown field `b`"),
        (json!({ "a": 0 }), "at `a` must be at least 1: found 0"),
        (json!({ "a": 10 }), "at `a` must be at most 9: found 10"),
    ] {
        assert_eq!(valid(&value, &closed).unwrap_err(), message);
    }
}

#[test]
fn documented_variants_of_an_enum_are_all_checked() {
    let unit =
        |n: usize| json!({ "description": "One.", "type": "string", "const": format!("v{n}") });
    let schema = |count: usize| json!({ "oneOf": (0..count).map(unit).collect::<Vec<_>>() });
    let (schema, usual) = (schema(300), schema(65));
    assert_eq!(valid(&json!("v299"), &schema), Ok(()));
    let error = valid(&json!("v300"), &schema).unwrap_err();
    assert!(error.starts_with(r#"must be "v0" or "v1" or "#), "{error}");
    assert!(valid(&json!(1), &schema).is_err());
    // As the type of an optional field, and of many items.
    let optional =
        json!({ "$defs": { "E": schema }, "anyOf": [{ "$ref": "#/$defs/E" }, { "type": "null" }] });
    assert_eq!((valid(&json!("v7"), &optional), valid(&json!(null), &optional)), (Ok(()), Ok(())));
    assert!(valid(&json!("x"), &optional).is_err());
    let list = json!({ "$defs": { "E": usual }, "items": { "$ref": "#/$defs/E" } });
    // Items that are short, and many, fit the work for their size.
    let many = json!(vec!["v60"; 5_000]);
    let mut work = Work::for_value(many.to_string().len());
    assert!(validate(&many, &Type::of_schema(&list), &mut work).is_ok());
    assert!(valid(&json!(["v1", "x"]), &list).unwrap_err().starts_with("at [1] must be"));
    assert!(fits(&json!({ "const": "v9" }), &schema));
    assert!(!fits(&json!({ "const": "x" }), &schema));
}

#[test]
fn an_enum_with_documented_variants_is_cheap_in_lists() {
    let variant = |n: usize| json!({ "description": "One.", "const": format!("v{n}") });
    let schema = |count: usize| {
        json!({
            "$defs": {
                "Currency": { "type": "string", "oneOf": (0..count).map(variant).collect::<Vec<_>>() },
                "Price": {
                    "type": "object", "required": ["amount", "currency"],
                    "properties": { "amount": { "type": "integer" }, "currency": { "$ref": "#/$defs/Currency" } },
                },
            },
            "type": "array", "items": { "$ref": "#/$defs/Price" },
        })
    };
    let prices = |last: &str| {
        let mut all = vec![json!({ "amount": 5, "currency": "v33" }); 999];
        all.push(json!({ "amount": 5, "currency": last }));
        Value::from(all)
    };
    for count in [34, 170, 512] {
        let schema = schema(count);
        assert_eq!(valid(&prices(&format!("v{}", count - 1)), &schema), Ok(()));
        let error = valid(&prices(&format!("v{count}")), &schema).unwrap_err();
        assert!(error.starts_with(r#"at [999] at `currency` must be "v0" or "v1""#), "{error}");
        let mut wrong = prices("v0");
        wrong[500]["currency"] = json!(7);
        let error = valid(&wrong, &schema).unwrap_err();
        assert!(error.starts_with("at [500] at `currency` must be"), "{error}");
    }
}

#[test]
fn a_field_that_may_match_a_pattern_is_known() {
    let patterns = json!({
        "type": "object", "properties": { "a": { "type": "integer" } },
        "patternProperties": { "^x-": { "type": "string" } }, "additionalProperties": false,
    });
    assert_eq!(valid(&json!({ "a": 1, "x-b": "c" }), &patterns), Ok(()));
    assert_eq!(select(&patterns, "['x-b']").unwrap(), "any value");
    // The schema of others doesn't apply to the matching ones.
    let mut others = patterns;
    others["additionalProperties"] = json!({ "type": "integer" });
    assert_eq!(valid(&json!({ "x-b": "c" }), &others), Ok(()));
}

#[test]
fn each_enumeration_of_a_schema_must_list_the_value() {
    let both = json!({ "allOf": [{ "enum": ["a", "b", 1] }, { "enum": ["b", 1.0, "c"] }] });
    assert_eq!((valid(&json!("b"), &both), valid(&json!(1), &both)), (Ok(()), Ok(())));
    for other in ["a", "c"] {
        assert!(valid(&json!(other), &both).unwrap_err().starts_with("must be one of "));
        assert!(!fits(&json!({ "const": other }), &both));
    }
    assert!(fits(&json!({ "enum": ["a", "b"] }), &both));
    let none = json!({ "allOf": [{ "const": "a" }, { "const": "b" }] });
    assert!(valid(&json!("a"), &none).is_err() && !fits(&json!({ "type": "string" }), &none));
}

#[test]
fn messages_about_large_values_are_cheap() {
    let object = |n: usize| json!({ "properties": { "text": { "type": "integer" }, "n": { "minimum": n } }, "required": ["text"] });
    let schema = json!({ "items": { "anyOf": (0..500).map(object).collect::<Vec<_>>() } });
    let value = json!([{ "text": "x".repeat(1 << 20) }]);
    let begun = std::time::Instant::now();
    assert_eq!(
        valid(&value, &schema).unwrap_err(),
        format!("at [0] at `text` must be an integer: found \"{}…", "x".repeat(79))
    );
    // A message for each alternative: 500 MiB of JSON in full.
    assert!(begun.elapsed() < std::time::Duration::from_secs(3), "{:?}", begun.elapsed());
}

#[test]
fn numbers_of_enumerations_ignore_their_notation() {
    for (value, schema) in [
        (json!(1.0), json!({ "enum": ["a", 1] })),
        (json!(1), json!({ "const": 1.0 })),
        (json!([1.0]), json!({ "const": [1] })),
        (json!(1.0), json!({ "anyOf": [{ "const": 1 }, { "const": 2 }] })),
    ] {
        assert_eq!(valid(&value, &schema), Ok(()), "{schema}");
        assert!(fits(&json!({ "const": value }), &schema), "{schema}");
    }
    assert!(valid(&json!([2.0]), &json!({ "const": [1] })).is_err());
}

#[test]
fn more_names_of_types_than_there_are_say_nothing() {
    let names = |count: usize| json!({ "type": vec!["string"; count] });
    assert!(valid(&json!(1), &names(7)).is_err());
    assert_eq!(valid(&json!(1), &names(8)), Ok(()));
}

#[test]
fn schemas_beside_each_other_all_apply() {
    let both = json!({ "enum": ["a", "b"], "const": "c" });
    assert!(valid(&json!("c"), &both).is_err() && valid(&json!("a"), &both).is_err());
    assert_eq!(valid(&json!("a"), &json!({ "enum": ["a", "b"], "const": "a" })), Ok(()));
    let closed = json!({ "properties": { "a": {} }, "additionalProperties": false });
    let all = json!({ "type": "object", "allOf": [closed, { "properties": { "b": {} } }] });
    assert_eq!(valid(&json!({ "a": 1 }), &all), Ok(()));
    assert_eq!(valid(&json!({ "b": 1 }), &all).unwrap_err(), "has the unknown field `b`");
}

#[test]
fn two_choices_of_one_schema_accept_any_field() {
    let choice = |first: &str, second: &str| json!({ "oneOf": [{ "properties": { first: {} } }, { "properties": { second: {} } }] });
    let schema = json!({ "type": "object", "allOf": [choice("a", "b"), choice("c", "d")] });
    assert!(select(&schema, ".a").is_ok() && select(&schema, ".c").is_ok());
    assert!(fits(&schema, &json!({ "type": "object", "required": ["c"] })));
}

#[test]
fn hostile_schemas_end_soon() {
    let endless = json!({ "$ref": "#" });
    let bushy = (0..40).fold(json!({ "type": "integer" }), |schema, _| {
        json!({ "anyOf": [schema.clone(), { "type": "integer" }], "allOf": [{ "minimum": 0 }] })
    });
    // Each level of a value doubles the work.
    let list = || json!({ "type": "array", "items": { "$ref": "#/$defs/Node" } });
    let doubling = json!({
        "$defs": { "Node": { "anyOf": [list(), list(), { "type": "integer" }] } },
        "$ref": "#/$defs/Node",
    });
    let two = json!({ "anyOf": [{ "minimum": 0 }, { "maximum": 9 }] });
    let product = json!({ "allOf": vec![two; 10_000] });
    let names = (0..100).map(|n| (format!("f{n}"), json!({ "$ref": "#" })));
    let wide = json!({ "type": "object", "properties": names.collect::<serde_json::Map<_, _>>() });
    let required: Vec<String> = (0..9_000).map(|n| format!("f{n}")).collect();
    let refs = json!({ "$defs": { "O": { "type": "object", "required": required } }, "anyOf": vec![json!({ "$ref": "#/$defs/O" }); 500] });
    let listed = json!({ "items": { "enum": (0..64_000).collect::<Vec<_>>() } });
    let nested = (0..90).fold(json!("x"), |inner, _| json!([inner]));
    let values = [nested, json!({ "f1": { "f2": "x" } }), json!(vec![63_999; 5_000]), json!(1)];
    let schemas = [endless, bushy, doubling, product, wide, refs, listed];
    let begun = std::time::Instant::now();
    for schema in &schemas {
        for value in &values {
            let _ended = valid(value, schema);
        }
        for other in &schemas {
            fits(schema, other);
        }
        let _ended = select(schema, "[*][*][*][*]");
    }
    assert!(begun.elapsed() < std::time::Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn a_value_too_large_to_check_is_refused() {
    let listed = json!({ "items": { "enum": (0..64_000).collect::<Vec<_>>() } });
    assert_eq!(valid(&json!(vec![63_999; 20]), &listed), Ok(()));
    let error = valid(&json!(vec![63_999; 200]), &listed).unwrap_err();
    assert!(error.contains("is too large to check against its schema"), "{error}");
}
