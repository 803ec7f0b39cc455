//! Paths, overlaps and values by schema.

use serde_json::json;

use super::*;
use crate::reference::Reference;

fn select(schema: &Value, path: &str) -> Result<String, String> {
    let reference = Reference::parse(&format!("$.item{path}")).unwrap();
    let mut fuel = Fuel::default();
    match Type::of_schema(schema).select(&reference.parts, &mut fuel) {
        Ok(found) => Ok(found.describe(&mut fuel)),
        Err(missing) => Err(missing.within),
    }
}

fn fits(from: &Value, to: &Value) -> bool {
    overlaps(&Type::of_schema(from), &Type::of_schema(to), &mut Fuel::default())
}

fn valid(value: &Value, schema: &Value) -> Result<(), String> {
    validate(value, &Type::of_schema(schema), &mut Fuel::default())
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
    let found = |path| select(&page, path).unwrap();
    assert_eq!(found(".name"), "a text or null");
    assert_eq!(found(".below[0].below[3].kind"), r#"one of "long", "short" or an integer"#);
    assert_eq!(found(".below[*].name"), "a list, each item a text or null");
    assert_eq!(found(".below[?@.name == 'a']").chars().take(6).collect::<String>(), "a list");
    assert_eq!(found(".extra.anything"), "a number");
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
fn schemas_that_grow_end_soon() {
    let endless = json!({ "$ref": "#" });
    assert!(fits(&endless, &endless));
    let twice = |schema: Value, _| json!({ "anyOf": [schema.clone(), schema] });
    let bushy = (0..12).fold(json!({ "type": "integer" }), twice);
    assert!(fits(&bushy, &json!({ "type": "string" })));
    let mutual = json!({
        "$defs": { "A": { "anyOf": [{ "$ref": "#/$defs/A" }, { "$ref": "#/$defs/A" }] } },
        "$ref": "#/$defs/A",
    });
    assert!(fits(&mutual, &mutual));
    assert!(valid(&json!([[[[[[]]]]]]), &mutual).is_err());
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
    // Items that are short, and many, fit the fuel for their size.
    let many = json!(vec!["v60"; 5_000]);
    let mut fuel = Fuel::for_value(many.to_string().len());
    assert_eq!(validate(&many, &Type::of_schema(&list), &mut fuel), Ok(()));
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
fn a_schema_that_used_up_its_fuel_is_left() {
    let constants: Value = (0..513).map(|n| json!({ "const": n })).collect();
    let two = json!({ "anyOf": [{ "minimum": 0 }, { "maximum": 9 }] });
    let mut all = vec![json!({ "anyOf": constants })];
    all.extend(vec![two; 60_000]);
    let schema = json!({ "allOf": all });
    let begun = std::time::Instant::now();
    assert!(valid(&json!(1), &schema).unwrap_err().contains("is too large to check"));
    // Copying 513 alternatives for each entry takes 18 s.
    assert!(begun.elapsed() < std::time::Duration::from_secs(10), "{:?}", begun.elapsed());
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
fn values_with_too_many_alternatives_are_refused() {
    let variant = |n: usize| {
        let fields = json!({ "kind": { "const": n } });
        json!({ "type": "object", "properties": fields, "required": ["kind"] })
    };
    let schema = |count: usize| json!({ "oneOf": (0..count).map(variant).collect::<Vec<_>>() });
    assert_eq!(valid(&json!({ "kind": 511 }), &schema(512)), Ok(()));
    assert!(valid(&json!({ "kind": 512 }), &schema(512)).is_err());
    let error = valid(&json!({ "kind": 1 }), &schema(513)).unwrap_err();
    assert!(error.starts_with("can't be checked: its schema combines too many others"), "{error}");
}

#[test]
fn a_value_too_large_to_check_is_refused() {
    let list = || json!({ "type": "array", "items": { "$ref": "#/$defs/Node" } });
    // Each level doubles the work.
    let schema = json!({
        "$defs": { "Node": { "anyOf": [list(), list(), { "type": "integer" }] } },
        "$ref": "#/$defs/Node",
    });
    let nested = |depth, start: &str| (0..depth).fold(json!(start), |inner, _| json!([inner]));
    assert!(valid(&nested(4, "x"), &schema).unwrap_err().contains("found"));
    let error = valid(&nested(40, "x"), &schema).unwrap_err();
    assert!(error.contains("is too large to check against its schema"), "{error}");
}

#[test]
fn comparisons_with_long_enumerations_burn_fuel() {
    let schema = |allowed: usize| json!({ "items": { "enum": (0..allowed).collect::<Vec<_>>() } });
    let list = |length| json!(vec![63_999; length]);
    assert_eq!(valid(&list(5), &schema(64_000)), Ok(()));
    let error = valid(&list(20), &schema(64_000)).unwrap_err();
    assert!(error.contains("is too large to check against its schema"), "{error}");
    // So does finding the values that two enumerations share.
    let two = |others: Value| json!({ "allOf": [schema(64_000)["items"], { "enum": others }] });
    assert_eq!(valid(&json!(5), &two(json!([5, 6]))), Ok(()));
    let error = valid(&json!(5), &two(json!(vec![5; 64_000]))).unwrap_err();
    assert!(error.contains("is too large to check against its schema"), "{error}");
}

#[test]
fn lists_are_cheap_beside_a_long_enumeration() {
    let names: Vec<String> = (0..2_000).map(|n| format!("n{n}")).collect();
    let mut with_null = json!(names);
    with_null.as_array_mut().unwrap().push(Value::Null);
    let unit = |names: &[String]| json!({ "properties": { "unit": { "enum": names } } });
    let units = json!({ "anyOf": [unit(&names[..1_000]), unit(&names[1_000..])] });
    let objects: Vec<_> = names.iter().map(|name| json!({ "unit": name })).collect();
    let same = json!({ "anyOf": [{ "enum": vec!["x"; 300] }, { "type": "null" }] });
    let (texts, nulls) = (json!(names[1_000..]), json!(vec![Value::Null; 1_000]));
    let listed = json!({ "enum": names });
    let nullable = json!({ "anyOf": [listed, { "type": "null" }] });
    for (items, values) in [
        (listed.clone(), texts.clone()),
        (nullable.clone(), texts.clone()),
        (nullable, nulls.clone()),
        (json!({ "allOf": [{ "type": "string" }, listed] }), texts),
        (json!({ "type": ["string", "null"], "enum": with_null }), nulls),
        (units, json!(objects)),
        (json!({ "enum": (0..2_000).collect::<Vec<_>>() }), json!(vec![1_999.0; 1_000])),
        (json!({ "enum": (0..45_000).collect::<Vec<_>>() }), json!(vec![44_999; 12])),
        (same, json!(vec!["x"; 5_000])),
        (json!({ "enum": vec!["x"; 300] }), json!(vec!["x"; 5_000])),
    ] {
        let schema = json!({ "items": items });
        let mut fuel = Fuel::for_value(values.to_string().len());
        assert_eq!(validate(&values, &Type::of_schema(&schema), &mut fuel), Ok(()));
    }
}

#[test]
fn many_values_are_compared_as_few_are() {
    let listed = [
        json!("a"),
        json!(1),
        json!(0),
        json!(2.5),
        json!(9_007_199_254_740_993_u64),
        json!([1]),
        Value::Null,
        json!(true),
    ];
    let others = (0..20).map(|n| json!(format!("n{n}")));
    let listed: Vec<Value> = listed.into_iter().chain(others).collect();
    let one = json!({ "enum": listed });
    let several = json!({ "anyOf": [{ "enum": listed[..4] }, { "enum": listed[4..] }, { "type": "object" }] });
    let again =
        |value: Value, schema: &Value| valid(&json!(vec![value; 20]), &json!({ "items": schema }));
    for schema in [one, several] {
        for value in [
            json!("a"),
            json!(1.0),
            json!(-0.0),
            json!(2.5),
            json!([1.0]),
            Value::Null,
            json!(9_007_199_254_740_993_u64),
        ] {
            assert_eq!(again(value.clone(), &schema), Ok(()), "{value}");
        }
        for value in [
            json!("b"),
            json!(2),
            json!(false),
            json!([2]),
            json!(9_007_199_254_740_992_u64),
            json!("a".repeat(2_000)),
        ] {
            assert!(again(value.clone(), &schema).is_err(), "{value}");
        }
    }
}

#[test]
fn mistakes_that_are_dropped_are_not_put_into_words() {
    let leaf =
        json!({ "enum": (0..21).map(|n| format!("{n}{}", "é".repeat(200))).collect::<Vec<_>>() });
    let schema = (0..3).fold(leaf, |inner, _| {
        let two = json!({ "anyOf": [{ "minimum": 0 }, { "minimum": 1 }] });
        json!({ "allOf": vec![two; 6], "properties": { "o": inner } })
    });
    let value = json!({ "o": { "o": { "o": "x" } } });
    assert!(spends_all(Fuel::for_value(40_000), |fuel| {
        assert!(validate(&value, &Type::of_schema(&schema), fuel).is_err());
    }));
}

#[test]
fn looking_long_texts_up_burns_fuel() {
    let many = |name: &str| {
        let object = json!({ "properties": { "o": { "$ref": format!("#/$defs/{name}") } } });
        json!({ "anyOf": vec![object; 500] })
    };
    let leaf = json!({ "enum": (0..20).map(|n| format!("n{n}")).collect::<Vec<_>>() });
    let schema =
        json!({ "$defs": { "Inner": many("Leaf"), "Leaf": leaf }, "allOf": [many("Inner")] });
    let value = json!({ "o": { "o": "x".repeat(1 << 20) } });
    assert!(spends_all(Fuel::for_value(1 << 20), |fuel| {
        assert!(validate(&value, &Type::of_schema(&schema), fuel).is_err());
    }));
}

#[test]
fn each_enumeration_of_a_schema_must_list_the_value() {
    let both = json!({ "allOf": [{ "enum": ["a", "b", 1] }, { "enum": ["b", 1.0, "c"] }] });
    assert_eq!((valid(&json!("b"), &both), valid(&json!(1), &both)), (Ok(()), Ok(())));
    for other in ["a", "c"] {
        assert_eq!(
            valid(&json!(other), &both).unwrap_err(),
            format!("must be one of \"b\", 1: found \"{other}\"")
        );
        assert!(!fits(&json!({ "const": other }), &both));
    }
    assert!(fits(&json!({ "enum": ["a", "b"] }), &both));
    let none = json!({ "allOf": [{ "const": "a" }, { "const": "b" }] });
    assert!(valid(&json!("a"), &none).is_err() && !fits(&json!({ "type": "string" }), &none));
}

#[test]
fn a_long_enumeration_is_walked_only_while_there_is_fuel() {
    let long = json!({ "items": { "enum": vec!["x"; 200_000] } });
    let (of, mut fuel) = (Type::of_schema(&long), Fuel::default());
    let begun = std::time::Instant::now();
    for _ in 0..100_000 {
        assert!(of.items(&mut fuel).unwrap().kinds(&mut fuel).meets(Kinds::TEXT));
    }
    // Walking it each time takes minutes.
    assert!(fuel.is_spent() && begun.elapsed() < std::time::Duration::from_secs(10));
}

#[test]
fn comparing_two_schemas_burns_fuel() {
    // 10,000 pairs of enumerations, of 10,000 pairs of values each.
    let lists = |start: usize| {
        let list =
            |n: usize| json!({ "enum": (0..100).map(|i| start + n * 100 + i).collect::<Vec<_>>() });
        json!({ "anyOf": (0..100).map(list).collect::<Vec<_>>() })
    };
    let begun = std::time::Instant::now();
    assert!(fits(&lists(0), &lists(1_000_000)));
    assert!(begun.elapsed() < std::time::Duration::from_secs(3), "{:?}", begun.elapsed());
    // Two enumerations with documented variants are compared.
    let variants = |start: usize| {
        let all = (start..start + 300).map(|n| json!({ "const": n })).collect::<Vec<_>>();
        json!({ "oneOf": all })
    };
    assert!(!fits(&variants(0), &variants(300)));
    assert!(fits(&variants(0), &variants(299)));
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

fn spends(work: impl Fn(&mut Fuel)) -> bool {
    spends_all(Fuel::default(), work)
}

/// Returns whether the work uses up its fuel, which must not take long.
fn spends_all(mut fuel: Fuel, work: impl Fn(&mut Fuel)) -> bool {
    let begun = std::time::Instant::now();
    work(&mut fuel);
    assert!(begun.elapsed() < std::time::Duration::from_secs(5), "{:?}", begun.elapsed());
    fuel.is_spent()
}

#[test]
fn fields_that_many_schemas_declare_are_one_field() {
    let nested = (0..6).fold(
        json!({ "type": "integer" }),
        |inner, _| json!({ "type": "object", "properties": { "a": inner } }),
    );
    let schema = json!({ "allOf": vec![nested; 63] });
    assert!(select(&schema, "[*][*][*][*]").unwrap().starts_with("a list, each item an object"));
    // Fields that differ burn fuel.
    let names = (0..100).map(|n| (format!("f{n}"), json!({ "$ref": "#" })));
    let schema = json!({ "type": "object", "properties": names.collect::<Map<_, _>>() });
    let parts = Reference::parse("$.item[*][*][*][*][*]").unwrap().parts;
    assert!(spends(|fuel| drop(Type::of_schema(&schema).select(&parts, fuel))));
}

#[test]
fn looking_fields_up_burns_fuel() {
    let refs = |count: usize| vec![json!({ "$ref": "#/$defs/O" }); count];
    let required = |names: usize, last: &str| {
        let mut names = vec!["a"; names];
        names.push(last);
        json!({ "type": "object", "required": names })
    };
    // To compare two types: each of 10,000 pairs has 9,001 required fields.
    let from = json!({ "$defs": { "O": { "type": "object", "properties": { "a": true } } }, "anyOf": refs(20) });
    let to = json!({ "$defs": { "O": required(9_000, "z") }, "anyOf": refs(500) });
    assert!(spends(|fuel| {
        overlaps(&Type::of_schema(&from), &Type::of_schema(&to), fuel);
    }));
    // To check objects.
    let items = json!({ "$defs": { "O": required(2_500, "a") }, "items": { "allOf": refs(32) } });
    let objects = json!(vec![json!({ "a": 1 }); 2_000]);
    assert!(spends(|fuel| drop(validate(&objects, &Type::of_schema(&items), fuel))));
    let typed = json!({ "type": "object", "properties": { "z": { "type": "string" } } });
    let one = json!({ "allOf": refs(30) });
    let schema = json!({ "$defs": { "O": typed }, "anyOf": vec![one; 500] });
    let mut fields: Map<_, _> = (0..2_000).map(|n| (format!("f{n}"), json!(1))).collect();
    fields.insert("z".to_owned(), json!(1));
    let object = Value::Object(fields);
    assert!(spends(|fuel| drop(validate(&object, &Type::of_schema(&schema), fuel))));
    // Usual objects stay cheap.
    let usual = json!({ "items": { "properties": { "a": {}, "b": {} }, "required": ["a", "b"] } });
    let rows = json!(vec![json!({ "a": 1, "b": "x" }); 5_000]);
    let mut fuel = Fuel::for_value(rows.to_string().len());
    assert_eq!(validate(&rows, &Type::of_schema(&usual), &mut fuel), Ok(()));
}

#[test]
fn schemas_that_say_nothing_burn_fuel() {
    let nothing = json!({ "allOf": vec![true; 100_000] });
    let names = (0..1_000).map(|n| (format!("f{n}"), json!({ "$ref": "#/$defs/N" })));
    let schema = json!({ "$defs": { "N": nothing }, "properties": names.collect::<Map<_, _>>() });
    let fields = (0..1_000).map(|n| (format!("f{n}"), json!(1)));
    let value = Value::Object(fields.collect());
    assert!(spends(|fuel| drop(validate(&value, &Type::of_schema(&schema), fuel))));
}

#[test]
fn lists_after_two_that_share_nothing_burn_fuel() {
    let (one, other) = (json!({ "const": "a" }), json!({ "const": "b" }));
    let all = json!({ "allOf": [one, other, { "$ref": "#/$defs/Long" }] });
    let long = json!({ "enum": vec!["x"; 50_000] });
    let schema = json!({ "$defs": { "Long": long }, "anyOf": vec![all; 500] });
    assert!(spends(|fuel| drop(validate(&json!("x"), &Type::of_schema(&schema), fuel))));
}

#[test]
fn more_names_of_types_than_there_are_say_nothing() {
    let names = |count: usize| json!({ "type": vec!["string"; count] });
    assert!(valid(&json!(1), &names(7)).is_err());
    assert_eq!(valid(&json!(1), &names(8)), Ok(()));
}

#[test]
fn comparisons_of_large_values_burn_more() {
    let list = |last: usize| {
        let mut list = vec![0; 49];
        list.push(last);
        list
    };
    let listed: Vec<_> = (0..2_000).map(list).collect();
    let schema = json!({ "items": { "enum": listed } });
    let same = json!(vec![list(1_999); 20]);
    assert!(spends(|fuel| drop(validate(&same, &Type::of_schema(&schema), fuel))));
    assert_eq!(valid(&json!(vec![list(1_999); 2]), &schema), Ok(()));
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
