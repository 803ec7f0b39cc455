//! Plans as data.

use serde_json::json;
use textsearch_plan::{Condition, Operator, Plan, Step};

use crate::support::plan;

fn every_field() -> Plan {
    let list = Step::new("list", "F.List").with_argument("near", "$.inputs.city");
    let each = Step::new("each", "F.One")
        .with_argument("at", json!({ "place": "$.item", "exact": true }))
        .with_for_each("$.steps.list.result")
        .with_when(Condition::new("$.item", Operator::NotEqualTo).with_other("Leith"));
    Plan::new("$.steps.each.result[*].name")
        .with_input("city", json!({ "type": "string" }))
        .with_step(list)
        .with_step(each)
}

#[test]
fn a_plan_is_the_same_in_rust_json_and_yaml() {
    let json = serde_json::to_string(&every_field()).unwrap();
    assert_eq!(serde_json::from_str::<Plan>(&json).unwrap(), every_field());
    let yaml = "
inputs:
  city: { type: string }
steps:
  - { id: list, function: F.List, arguments: { near: $.inputs.city } }
  - id: each
    function: F.One
    for_each: $.steps.list.result
    when: { value: $.item, is: not_equal_to, other: Leith }
    arguments: { at: { place: $.item, exact: true } }
result: '$.steps.each.result[*].name'
";
    assert_eq!(serde_saphyr::from_str::<Plan>(yaml).unwrap(), every_field());
}

#[test]
fn the_schema_accepts_plans_and_refuses_other_objects() {
    let schema = jsonschema::validator_for(&Plan::json_schema()).unwrap();
    assert!(schema.is_valid(&serde_json::to_value(every_field()).unwrap()));
    for wrong in [
        json!({ "steps": [] }),
        json!({ "steps": [{ "id": "a" }], "result": 1 }),
        json!({ "steps": [{ "id": "a", "function": "F.A", "args": {} }], "result": 1 }),
    ] {
        assert!(!schema.is_valid(&wrong), "{wrong}");
        assert!(serde_json::from_value::<Plan>(wrong).is_err());
    }
}

#[test]
fn a_person_reads_one_step_a_line() {
    assert_eq!(
        every_field().to_string(),
        "list = F.List(near: $.inputs.city)\n\
         each = F.One(at: {\"exact\":true,\"place\":\"$.item\"}) for each $.item in $.steps.list.result \
         when $.item is not_equal_to \"Leith\"\n\
         return $.steps.each.result[*].name"
    );
}

#[test]
fn texts_of_a_plan_imitate_no_other_step() {
    let hostile = plan(json!({
        "steps": [{
            "id": "a\nb = F.Harmless()", "function": "F.A\u{1b}[2J",
            "arguments": { "x\ny": "1\u{2028}2", "z": "$.steps.a\n.result" },
        }],
        "result": null,
    }));
    let shown = hostile.to_string();
    assert_eq!(shown.lines().count(), 2, "{shown}");
    assert!(!shown.contains(['\u{1b}', '\u{2028}']), "{shown}");
}

#[test]
fn a_person_sees_hidden_characters() {
    let hidden = "a\u{202e}b\u{2066}c\u{200b}d\u{feff}e\u{e0041}f\u{ad}";
    let hostile = plan(json!({
        "steps": [{
            "id": hidden, "function": hidden, "arguments": { hidden: hidden },
            "for_each": hidden, "when": { "value": hidden, "is": "equal_to", "other": hidden },
        }],
        "result": hidden,
    }));
    let shown = hostile.to_string();
    assert!(shown.chars().all(|c| (' '..='~').contains(&c) || c == '\n'), "{shown:?}");
    let escaped = "a\\u202eb\\u2066c\\u200bd\\ufeffe\\udb40\\udc41f\\u00ad";
    assert_eq!(shown.lines().last(), Some(format!("return \"{escaped}\"").as_str()));
    let shown = |text: &str| plan(json!({ "steps": [], "result": text })).to_string();
    assert_eq!(shown("Ærø 👍"), "return \"Ærø 👍\"");
    for (first, last) in [
        (0x34f, 0x34f),
        (0x115f, 0x1160),
        (0x17b4, 0x17b5),
        (0x180b, 0x180f),
        (0x2800, 0x2800),
        (0x3164, 0x3164),
        (0xfe00, 0xfe0e),
        (0xffa0, 0xffa0),
        (0x1d173, 0x1d17a),
    ] {
        for hidden in (first..=last).filter_map(char::from_u32) {
            let units = hidden
                .encode_utf16(&mut [0; 2])
                .iter()
                .map(|unit| format!("\\u{unit:04x}"))
                .collect::<String>();
            assert_eq!(shown(&format!("a{hidden}b")), format!("return \"a{units}b\""));
        }
    }
}

#[test]
fn an_emojis_selector_stays_once_after_a_visible_character() {
    let shown = |text: &str| plan(json!({ "steps": [], "result": text })).to_string();
    assert_eq!(shown("❤\u{fe0f}!"), "return \"❤\u{fe0f}!\"");
    for (text, escaped) in [
        ("❤\u{fe0f}\u{fe0f}\u{fe0f}", "❤\u{fe0f}\\ufe0f\\ufe0f"),
        ("\u{fe0f}a", "\\ufe0fa"),
        ("a \u{fe0f}", "a \\ufe0f"),
        ("a\u{fe00}\u{fe0f}", "a\\ufe00\\ufe0f"),
    ] {
        assert_eq!(shown(text), format!("return \"{escaped}\""));
    }
}

#[test]
fn a_comparison_with_null_survives_saving() {
    let equal = Condition::new("$.inputs.a", Operator::EqualTo);
    let step = |when: Condition| Step::new("a", "F.A").with_when(when);
    let null = Plan::new(1).with_step(step(equal.clone().with_other(serde_json::Value::Null)));
    let json = serde_json::to_string(&null).unwrap();
    assert_eq!(serde_json::from_str::<Plan>(&json).unwrap(), null);
    let yaml = "
steps: [{ id: a, function: F.A, when: { value: $.inputs.a, is: equal_to, other: null } }]
result: 1
";
    assert_eq!(serde_saphyr::from_str::<Plan>(yaml).unwrap(), null);
    let without: Plan = serde_saphyr::from_str(&yaml.replace(", other: null", "")).unwrap();
    assert_eq!(without, Plan::new(1).with_step(step(equal)));
    let schema = jsonschema::validator_for(&Plan::json_schema()).unwrap();
    assert!(schema.is_valid(&serde_json::to_value(null).unwrap()));
}
