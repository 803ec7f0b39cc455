//! The JSON form.

use serde_json::{Value, json};

use crate::filter::{DateTime, Filter, FilterValue};

fn check(filter: &Filter, json: &Value) {
    assert_eq!(serde_json::to_value(filter).unwrap(), *json);
    assert_eq!(serde_json::from_value::<Filter>(json.clone()).unwrap(), *filter);
    assert_eq!(serde_json::from_str::<Filter>(&json.to_string()).unwrap(), *filter);
}

fn error(json: &str) -> String {
    let error = serde_json::from_str::<Filter>(json).expect_err(json).to_string();
    let message = error.split(" at line ").next().unwrap();
    message.to_owned()
}

#[test]
fn every_kind_of_filter_has_a_form() {
    let year = json!({ "field": "year", "operator": "ge", "value": 2020 });
    let author = json!({ "field": "author", "operator": "exists" });
    check(&Filter::ge("year", 2020), &year);
    check(&Filter::exists("author"), &author);
    check(
        &Filter::is_in("tag", vec![FilterValue::from("a"), 2.into()]),
        &json!({ "field": "tag", "operator": "in", "values": ["a", 2] }),
    );
    check(
        &Filter::starts_with("f", "x"),
        &json!({ "field": "f", "operator": "starts_with", "value": "x" }),
    );
    let both = || [Filter::ge("year", 2020), Filter::exists("author")];
    check(&Filter::all(both()), &json!({ "and": [year, author] }));
    check(&Filter::any(both()), &json!({ "or": [year, author] }));
    check(&!Filter::exists("author"), &json!({ "not": author }));
    check(&Filter::all([]), &json!({ "and": [] }));
    check(&Filter::any([]), &json!({ "or": [] }));
}

#[test]
fn every_value_has_a_form() {
    let cases: [(FilterValue, Value); 9] = [
        (true.into(), json!(true)),
        (i64::MIN.into(), json!(i64::MIN)),
        (i64::MAX.into(), json!(i64::MAX)),
        (1.0.into(), json!(1.0)),
        (1e300.into(), json!(1e300)),
        ("x".into(), json!("x")),
        ("2024-08-14".into(), json!("2024-08-14")),
        (
            DateTime::parse("2024-08-14").unwrap().into(),
            json!({ "date_time": "2024-08-14T00:00:00Z" }),
        ),
        (vec![vec![1], vec![]].into(), json!([[1], []])),
    ];
    for (value, json) in cases {
        assert_eq!(serde_json::to_value(&value).unwrap(), json);
        assert_eq!(serde_json::from_value::<FilterValue>(json.clone()).unwrap(), value);
        check(&Filter::eq("f", value), &json!({ "field": "f", "operator": "eq", "value": json }));
    }
}

#[test]
fn whole_floats_stay_floats() {
    let json = serde_json::to_string(&Filter::eq("f", 1.0)).unwrap();
    assert_eq!(json, r#"{"field":"f","operator":"eq","value":1.0}"#);
}

#[test]
fn keys_come_in_any_order() {
    let json = r#"{"value":{"date_time":"2024-08-14"},"operator":"lt","field":"f"}"#;
    let filter: Filter = serde_json::from_str(json).unwrap();
    assert_eq!(filter, Filter::lt("f", DateTime::parse("2024-08-14").unwrap()));
}

#[test]
fn numbers_that_are_not_finite_are_not_written() {
    for (value, name) in [(f64::NAN, "NaN"), (f64::INFINITY, "inf"), (f64::NEG_INFINITY, "-inf")] {
        let error = serde_json::to_string(&Filter::is_in("f", [value])).unwrap_err();
        assert_eq!(error.to_string(), format!("{name} is not finite: it has no JSON form"));
    }
}

#[test]
fn an_error_names_what_is_allowed() {
    let cases = [
        (
            r#"{"fields":"f"}"#,
            "unknown field `fields`, expected one of `field`, `operator`, `value`, `values`, `and`, `or`, `not`",
        ),
        (
            r#"{"field":"f","operator":"like","value":1}"#,
            "unknown variant `like`, expected one of `eq`, `ne`, `lt`, `le`, `gt`, `ge`, `in`, `contains`, `starts_with`, `exists`",
        ),
        (
            r#"{"field":"f","operator":"not","value":1}"#,
            "unknown variant `not`, expected one of `eq`, `ne`, `lt`, `le`, `gt`, `ge`, `in`, `contains`, `starts_with`, `exists`",
        ),
        (r#"{"operator":"eq","value":1}"#, "missing field `field`"),
        (r#"{"field":"f","value":1}"#, "missing field `operator`"),
        (r#"{"field":"f","field":"f"}"#, "duplicate field `field`"),
        ("{}", "a filter has the keys `field` and `operator`, or one of `and`, `or` and `not`"),
        (
            r#"{"value":1}"#,
            "a filter has the keys `field` and `operator`, or one of `and`, `or` and `not`",
        ),
        (
            "[]",
            "invalid type: sequence, expected a filter: an object with `field` and `operator`, or with one of `and`, `or`, `not`",
        ),
        (r#"{"and":{}}"#, "invalid type: map, expected a sequence"),
        (r#"{"and":null}"#, "invalid type: null, expected a sequence"),
        (r#"{"and":[],"and":[]}"#, "duplicate field `and`"),
    ];
    for (json, expected) in cases {
        assert_eq!(error(json), expected, "{json}");
    }
}

#[test]
fn keys_that_contradict_each_other_are_refused() {
    let no_value = "the operator `exists` takes neither `value` nor `values`";
    let values = "the operator `in` takes `values`, an array, and no `value`";
    let value = "the operator `eq` takes `value` and no `values`";
    let alone = "`and`, `or` and `not` stand alone: no other key is allowed beside them";
    let cases = [
        (r#"{"field":"f","operator":"exists","value":1}"#, no_value),
        (r#"{"field":"f","operator":"in","value":[1]}"#, values),
        (r#"{"field":"f","operator":"in"}"#, values),
        (r#"{"field":"f","operator":"eq"}"#, value),
        (r#"{"field":"f","operator":"eq","values":[1]}"#, value),
        (r#"{"field":"f","operator":"eq","value":1,"values":[1]}"#, value),
        (r#"{"and":[],"field":"f"}"#, alone),
        (r#"{"and":[],"or":[]}"#, "a filter has only one of `and`, `or` and `not`"),
    ];
    for (json, expected) in cases {
        assert_eq!(error(json), expected, "{json}");
    }
}

#[test]
fn values_that_cannot_be_compared_are_explained() {
    let cases = [
        ("null", "null isn't a value of a filter: use the operator `exists`"),
        (
            "9223372036854775808",
            "9223372036854775808 does not fit a signed integer of 64 bits: write 9223372036854775808.0 to compare as a float",
        ),
        ("{}", "missing field `date_time`"),
        (r#"{"date":"2024-08-14"}"#, "unknown field `date`, expected `date_time`"),
        (
            r#"{"date_time":"soon"}"#,
            "`soon` is not a date and time: expected RFC 3339, such as 2024-08-14T00:00:00Z, or a date alone",
        ),
    ];
    for (value, expected) in cases {
        let json = format!(r#"{{"field":"f","operator":"eq","value":{value}}}"#);
        assert_eq!(error(&json), expected, "{json}");
    }
}

#[test]
fn nesting_is_bounded_in_every_format() {
    let bound = "a filter may be nested at most 64 levels deep";
    let leaf = json!({ "field": "f", "operator": "exists" });
    let negated = |levels| (0..levels).fold(leaf.clone(), |inner, _| json!({ "not": inner }));
    let grouped = |levels| (0..levels).fold(leaf.clone(), |inner, _| json!({ "or": [inner] }));
    let listed = |levels| {
        let list = (0..levels).fold(json!(1), |inner, _| json!([inner]));
        json!({ "field": "f", "operator": "eq", "value": list })
    };
    let below = Filter::MAX_DEPTH - 1;
    for json in [negated(below), grouped(below), listed(below)] {
        assert!(serde_json::from_value::<Filter>(json).is_ok());
    }
    for json in [negated(below + 1), grouped(below + 1), listed(below + 1), negated(100)] {
        let error = serde_json::from_value::<Filter>(json).unwrap_err();
        assert_eq!(error.to_string(), bound);
    }
}

#[test]
fn schema_describes_each_kind_of_filter() {
    let schema = schemars::schema_for!(Filter);
    let kinds = schema.get("oneOf").and_then(Value::as_array).unwrap();
    assert_eq!(kinds.len(), 6);
    let comparison = json!({
        "type": "object",
        "properties": {
            "field": { "type": "string" },
            "operator": {
                "type": "string",
                "enum": ["eq", "ne", "lt", "le", "gt", "ge", "contains", "starts_with"],
            },
            "value": { "$ref": "#/$defs/FilterValue" },
        },
        "required": ["field", "operator", "value"],
        "additionalProperties": false,
    });
    assert_eq!(kinds[0], comparison);
    assert_eq!(kinds[5]["properties"]["not"], json!({ "$ref": "#" }));
    let value = schema.pointer("/$defs/FilterValue/anyOf/1/properties/date_time").unwrap();
    assert_eq!(*value, json!({ "type": "string", "format": "date-time" }));
}
