//! The check before a run.

use serde_json::{Value, json};
use textsearch_kernel::{Kernel, chat::FunctionChoiceBehavior};
use textsearch_plan::{PlanChecker, ProblemKind};

use crate::support::{check, function, kernel_of, limits, plan, seed_kernel, seed_plan};

/// Checks a plan of steps over functions with different types, and returns the mistakes as text.
fn mistakes(steps: Value, result: &str) -> Vec<String> {
    let text = || json!({ "type": "string" });
    let place = json!({
        "type": "object",
        "properties": { "name": { "type": "string" }, "height": { "type": "number" } },
        "required": ["name"], "additionalProperties": false,
    });
    let kernel = kernel_of([
        function("Text", (text(), text()), |value| value),
        function(
            "Number",
            (json!({ "type": "integer", "maximum": 9 }), json!({ "type": "number" })),
            |value| value,
        ),
        function("Places", (text(), json!({ "type": "array", "items": place })), |value| value),
        function("Place", (place.clone(), place.clone()), |value| value),
        function("Any", (Value::Null, Value::Null), |value| value),
        function("Unit", (json!({ "enum": ["m", "ft"] }), json!({ "enum": ["kg"] })), |value| {
            value
        }),
    ]);
    match check(
        &kernel,
        plan(json!({ "inputs": { "city": text() }, "steps": steps, "result": result })),
    ) {
        Ok(_) => Vec::new(),
        Err(error) => error.problems.iter().map(ToString::to_string).collect(),
    }
}

fn mistakes_of(function: &str, value: Value) -> Vec<String> {
    let steps = json!([
        { "id": "places", "function": "F.Places", "arguments": { "value": "a" } },
        { "id": "any", "function": "F.Any", "arguments": { "value": 1 } },
        { "id": "unit", "function": "F.Unit", "arguments": { "value": "m" } },
        { "id": "x", "function": format!("F.{function}"), "arguments": { "value": value } },
    ]);
    mistakes(steps, "$.steps.x.result")
}

#[test]
fn the_plan_of_the_decision_record_is_accepted() {
    assert!(check(&seed_kernel(), seed_plan("$.steps.date.result.date")).is_ok());
}

#[test]
fn passing_the_whole_object_is_a_mistake() {
    let error = check(&seed_kernel(), seed_plan("$.steps.date.result")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the plan cannot run:\n\
         step `forecast`, argument `date`: must be a text, but `$.steps.date.result` is an object with the \
         fields `date`; did you mean `$.steps.date.result.date`"
    );
    assert_eq!(error.problems[0].kind, ProblemKind::TypeMismatch);
}

#[test]
fn functions_exist_and_may_be_used() {
    let step = |function: &str| json!([{ "id": "a", "function": function, "arguments": { "value": "b" } }]);
    assert_eq!(mistakes(step("F.Text"), "$.steps.a.result"), [""; 0]);
    assert_eq!(mistakes(step("f-text"), "$.steps.a.result"), [""; 0]);
    assert_eq!(
        mistakes(step("G.Text"), "$.steps.a.result"),
        ["step `a`, function: `G.Text` is unknown; did you mean `F.Text`"]
    );
    let only = ["DatePluginSimpleComplex.GetDate1"];
    let offered = seed_kernel()
        .offered_functions(&FunctionChoiceBehavior::auto().with_functions(only))
        .unwrap();
    let error = PlanChecker::from_offered(&offered).check(seed_plan("$.steps.date.result.date"));
    assert_eq!(
        error.unwrap_err().problems[0].to_string(),
        "step `forecast`, function: `WeatherPluginSimpleComplex.GetWeatherForecast1` is unknown; \
         use one of `DatePluginSimpleComplex.GetDate1`"
    );
}

#[test]
fn arguments_are_complete_known_and_given_once() {
    let steps = json!([
        { "id": "a", "function": "F.Text" },
        { "id": "b", "function": "F.Text", "arguments": { "value": "1", "VALUE": "2", "count": 3 } },
    ]);
    assert_eq!(
        mistakes(steps, "$.steps.b.result"),
        [
            "step `a`, argument `value`: is missing; `F.Text` needs a text",
            "step `b`, argument `count`: is unknown; the parameters are `value`",
            "step `b`, argument `value`: is given twice (names ignore case); give it once",
        ]
    );
}

#[test]
fn literals_fit_their_parameters() {
    let mistake = |function, value| {
        let mistakes = mistakes_of(function, value);
        assert_eq!(mistakes.len(), 1, "{mistakes:?}");
        mistakes[0].clone()
    };
    assert_eq!(mistake("Text", json!(5)), "step `x`, argument `value`: must be a text: found 5");
    assert_eq!(
        mistake("Number", json!(10)),
        "step `x`, argument `value`: must be at most 9: found 10"
    );
    assert_eq!(
        mistake("Unit", json!("mile")),
        r#"step `x`, argument `value`: must be one of "m", "ft": found "mile""#
    );
    assert_eq!(
        mistake("Place", json!({ "name": "a", "hight": 1 })),
        "step `x`, argument `value`: has the unknown field `hight`"
    );
    assert_eq!(
        mistake("Place", json!({ "name": "$.inputs.city", "height": "$.inputs.city" })),
        "step `x`, argument `value.height`: must be a number, but `$.inputs.city` is a text"
    );
    assert_eq!(
        mistake("Place", json!({ "height": "$.steps.any.result" })),
        "step `x`, argument `value`: lacks the field `name`"
    );
    assert_eq!(mistakes_of("Text", json!("$$.inputs.city")), [""; 0]);
    assert_eq!(mistakes_of("Text", json!("$5 a day")), [""; 0]);
    assert_eq!(mistakes_of("Number", json!(5.0)), [""; 0]);
}

#[test]
fn references_fit_their_parameters() {
    for (function, reference) in [
        ("Text", "$.steps.places.result[0].name"),
        ("Number", "$.steps.places.result[-1]['height']"),
        ("Place", "$.steps.places.result[0]"),
        ("Text", "$.steps.any.result.whatever[3]"),
        ("Any", "$.steps.places.result[?@.height > 3].name"),
    ] {
        assert_eq!(mistakes_of(function, json!(reference)), [""; 0], "{function} {reference}");
    }
    for (function, reference, message) in [
        (
            "Text",
            "$.steps.places.result[0].title",
            "`$.steps.places.result[0].title` selects nothing: an object with the fields `height`, `name` has no field `title`",
        ),
        (
            "Text",
            "$.steps.places.result.name",
            "`$.steps.places.result.name` selects nothing: a list, each item an object with the fields `height`, `name` has no field `name`",
        ),
        (
            "Text",
            "$.steps.places.result[*].name",
            "must be a text, but `$.steps.places.result[*].name` is a list, each item a text",
        ),
        (
            "Number",
            "$.steps.places.result[0]",
            "must be an integer, but `$.steps.places.result[0]` is an object with the fields `height`, `name`; did you mean `$.steps.places.result[0].height`",
        ),
        (
            "Unit",
            "$.steps.unit.result",
            r#"must be one of "m", "ft", but `$.steps.unit.result` is "kg""#,
        ),
        (
            "Text",
            "$.steps.nowhere.result",
            "`$.steps.nowhere.result` names the unknown step `nowhere`; the steps are `places`, `any`, `unit`, `x`",
        ),
        (
            "Text",
            "$.inputs.town",
            "`$.inputs.town` names the unknown input `town`; the inputs are `city`",
        ),
        ("Text", "$.item", "`$.item` has no value here; use it in a step with `for_each`"),
        (
            "Text",
            "$.secrets",
            "the reference `$.secrets` must start with `$.steps.<id>.result`, `$.inputs.<name>` or `$.item`; write `$$` for a literal `$` at the start of a text",
        ),
        (
            "Any",
            "$.steps.places.result[?@.size > 3]",
            "`$.steps.places.result[?@.size > 3]` can't filter a list, each item an object with the fields `height`, `name`; name only fields that its items have",
        ),
    ] {
        assert_eq!(
            mistakes_of(function, json!(reference)),
            [format!("step `x`, argument `value`: {message}")]
        );
    }
}

#[test]
fn steps_use_only_steps_before_them() {
    let step = |id: &str, value: &str| json!({ "id": id, "function": "F.Any", "arguments": { "value": value } });
    let result = |id: &str| format!("$.steps.{id}.result");
    assert_eq!(
        mistakes(json!([step("a", &result("b")), step("b", "1")]), "$.steps.b.result"),
        [
            "step `a`, argument `value`: `$.steps.b.result` is no result of an earlier step; refer only to steps before this one"
        ]
    );
    assert_eq!(
        mistakes(json!([step("a", &result("a"))]), "$.steps.a.result"),
        [
            "step `a`, argument `value`: `$.steps.a.result` is no result of an earlier step; refer only to steps before this one"
        ]
    );
    let ring = json!([step("a", &result("c")), step("b", &result("a")), step("c", &result("b"))]);
    assert_eq!(
        mistakes(ring, "$.steps.c.result"),
        [
            "step `a`, argument `value`: `$.steps.c.result` is no result of an earlier step; refer only to steps before this one"
        ]
    );
}

#[test]
fn identifiers_are_names_and_unique() {
    let step = |id: &str| json!({ "id": id, "function": "F.Any", "arguments": { "value": 1 } });
    assert_eq!(
        mistakes(json!([step("a"), step("a"), step("b-c"), step("")]), "$.steps.a.result"),
        [
            "step `a`: is the name of two steps; give each its own",
            "step `b-c`: is no name; use up to 64 letters, digits and `_`, not starting with a digit",
            "step ``: is no name; use up to 64 letters, digits and `_`, not starting with a digit",
        ]
    );
}

#[test]
fn loops_run_over_lists() {
    let each = |list: Value, function: &str, value: &str| {
        let steps = json!([
            { "id": "places", "function": "F.Places", "arguments": { "value": "a" } },
            { "id": "x", "function": format!("F.{function}"), "for_each": list, "arguments": { "value": value } },
        ]);
        mistakes(steps, "$.steps.x.result[0]")
    };
    let places = || json!("$.steps.places.result");
    assert_eq!(each(places(), "Place", "$.item"), [""; 0]);
    assert_eq!(each(json!("$.steps.places.result[*].name"), "Text", "$.item"), [""; 0]);
    assert_eq!(each(json!([1, 2]), "Number", "$.item"), [""; 0]);
    assert_eq!(each(json!(["$.inputs.city", "b"]), "Text", "$.item"), [""; 0]);
    assert_eq!(
        each(places(), "Text", "$.item"),
        [
            "step `x`, argument `value`: must be a text, but `$.item` is an object with the fields `height`, `name`; did you mean `$.item.name`"
        ]
    );
    assert_eq!(
        each(json!([1, 2]), "Text", "$.item"),
        ["step `x`, argument `value`: must be a text, but `$.item` is 1 or 2"]
    );
    for (list, actual) in [
        (json!("$.inputs.city"), "a text"),
        (json!({ "a": 1 }), r#"{"a":1}"#),
        (json!("abc"), r#""abc""#),
    ] {
        let expected = format!("step `x`, `for_each`: must be a list: found {actual}");
        assert_eq!(each(list, "Any", "$.item"), [expected]);
    }
    // The result of a loop is a list.
    let steps = json!([
        { "id": "x", "function": "F.Number", "for_each": [1], "arguments": { "value": "$.item" } },
        { "id": "y", "function": "F.Number", "arguments": { "value": "$.steps.x.result" } },
    ]);
    assert_eq!(
        mistakes(steps, "$.steps.y.result"),
        [
            "step `y`, argument `value`: must be an integer, but `$.steps.x.result` is a list, each item a number"
        ]
    );
}

#[test]
fn conditions_can_be_decided() {
    let when = |condition: Value| {
        let steps = json!([
            { "id": "n", "function": "F.Number", "arguments": { "value": 1 } },
            { "id": "x", "function": "F.Any", "when": condition, "arguments": { "value": 1 } },
        ]);
        mistakes(steps, "$.steps.x.result")
    };
    for fine in [
        json!({ "value": "$.steps.n.result", "is": "less_than", "other": 3 }),
        json!({ "value": "$.inputs.city", "is": "at_least", "other": "L" }),
        json!({ "value": "$.inputs.city", "is": "not_empty" }),
        json!({ "value": ["$.inputs.city"], "is": "contains", "other": "Leith" }),
        json!({ "value": ["$.inputs.city"], "is": "contains", "other": null }),
    ] {
        assert_eq!(when(fine), [""; 0]);
    }
    for (wrong, message) in [
        (
            json!({ "value": "$.steps.n.result", "is": "less_than", "other": "3" }),
            r#"`when`: `less_than` compares numbers or texts: found a number and "3""#,
        ),
        (
            json!({ "value": "$.steps.n.result", "is": "equal_to" }),
            "`when`: `equal_to` needs `other`, the value to compare with; write null to compare with null",
        ),
        (
            json!({ "value": "$.steps.n.result", "is": "empty", "other": 1 }),
            "`when`: `empty` takes no `other`; leave it out",
        ),
        (
            json!({ "value": "$.steps.n.result", "is": "contains", "other": 1 }),
            "`when`: `contains` looks into lists and texts: found a number",
        ),
        (
            json!({ "value": "$.inputs.city", "is": "equal_to", "other": 5 }),
            "`when`: \"$.inputs.city\" is a text, which never equals 5",
        ),
        (
            json!({ "value": "$.inputs.city", "is": "equal_to", "other": null }),
            "`when`: \"$.inputs.city\" is a text, which never equals null",
        ),
        (
            json!({ "value": "$.steps.x.result", "is": "empty" }),
            "`when` `value`: `$.steps.x.result` is no result of an earlier step; refer only to steps before this one",
        ),
    ] {
        assert_eq!(when(wrong), [format!("step `x`, {message}")]);
    }
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let steps = json!([
        { "id": "a", "function": "F.Nothing", "arguments": { "value": "$.inputs.town" } },
        { "id": "b", "function": "F.Text", "arguments": { "value": ["$.steps.a.result..x", "$.item"] } },
    ]);
    let problems = mistakes(steps, "$.steps.c.result");
    let starts: Vec<&str> =
        problems.iter().map(|mistake| mistake.split(": ").next().unwrap()).collect();
    assert_eq!(
        starts,
        [
            "step `a`, function",
            "step `a`, argument `value`",
            "step `b`, argument `value[0]`",
            "step `b`, argument `value`",
            "step `b`, argument `value[1]`",
            "result",
        ],
        "{problems:#?}"
    );
}

#[test]
fn large_plans_are_refused() {
    let step = |number: usize| json!({ "id": format!("s{number}"), "function": "F.Any", "arguments": { "value": 1 } });
    let steps: Value = (0..51).map(step).collect();
    assert_eq!(
        mistakes(steps, "$.steps.s0.result"),
        ["the plan has too many steps (51); use at most 50"]
    );
    let kernel = seed_kernel();
    let checker =
        PlanChecker::new(&kernel).with_limits(limits(|limits| limits.max_plan_bytes = 40));
    let error = checker.check(seed_plan("$.steps.date.result.date")).unwrap_err();
    assert_eq!(error.problems[0].kind, ProblemKind::TooLarge);
    let deep = (0..100).fold(json!("$.inputs.city"), |value, _| json!([value]));
    assert!(mistakes_of("Any", deep)[0].ends_with("is nested more than 32 levels deep"));
}

#[test]
fn large_values_that_need_no_check_are_accepted() {
    let kernel = kernel_of([function("Any", (Value::Null, Value::Null), |value| value)]);
    let mut items = vec![json!(true); 25_000];
    let literal = json!({ "id": "a", "function": "F.Any", "arguments": { "value": items } });
    items.push(json!("$.steps.a.result"));
    let mixed = json!({ "id": "b", "function": "F.Any", "arguments": { "value": items } });
    large_plans(&kernel).check(plan(json!({ "steps": [literal, mixed], "result": 1 }))).unwrap();
}

fn large_plans(kernel: &Kernel) -> PlanChecker {
    PlanChecker::new(kernel).with_limits(limits(|limits| limits.max_plan_bytes = 1 << 20))
}

#[test]
fn a_literal_too_large_to_check_is_a_mistake() {
    let item = json!({ "allOf": vec![json!({ "type": ["integer", "boolean"] }); 30] });
    let integers = json!({ "type": "array", "items": item });
    let kernel = kernel_of([function("Sum", (integers, Value::Null), |value| value)]);
    let mut items = vec![json!(true); 30_000];
    items.push(json!("no number"));
    let large = json!({ "id": "a", "function": "F.Sum", "arguments": { "value": items } });
    let wrong = json!({ "id": "b", "function": "F.Sum", "arguments": { "value": ["no number"] } });
    let written = plan(json!({ "steps": [large, wrong], "result": 1 }));
    let error = large_plans(&kernel).check(written).unwrap_err();
    let problems: Vec<String> = error.problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            "step `a`, argument `value`: is too large to check; pass it as an input",
            "step `b`, argument `value`: at [0] must be an integer or true or false: found \"no number\"",
        ]
    );
}

#[test]
fn a_misspelled_field_beside_a_reference_is_a_mistake() {
    assert_eq!(
        mistakes_of("Place", json!({ "name": "$.steps.unit.result", "hight": 2 })),
        ["step `x`, argument `value`: has the unknown field `hight`"]
    );
    assert_eq!(mistakes_of("Place", json!({ "name": "$.inputs.city", "height": 2 })), [""; 0]);
    // A schema that isn't closed may have other fields.
    let open = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
    let kernel = kernel_of([function("Open", (open, Value::Null), |value| value)]);
    let step = json!({ "id": "a", "function": "F.Open", "arguments": { "value": { "name": "$.inputs.n", "x": 1 } } });
    let written = json!({ "inputs": { "n": true }, "steps": [step], "result": 1 });
    assert!(check(&kernel, plan(written)).is_ok());
}

#[test]
fn names_of_inputs_differ_in_more_than_case() {
    let written =
        json!({ "inputs": { "city": true, "City": true, "town": true }, "steps": [], "result": 1 });
    let error = check(&kernel_of([]), plan(written)).unwrap_err();
    let problems: Vec<String> = error.problems.iter().map(ToString::to_string).collect();
    assert_eq!(problems, ["input `city`: differs from `City` only in case; rename one"]);
}

#[test]
fn a_field_that_may_match_a_pattern_is_no_mistake() {
    let labels = json!({
        "type": "object", "properties": { "name": { "type": "string" } },
        "patternProperties": { "^x-": {} }, "additionalProperties": false,
    });
    let kernel = kernel_of([function("Label", (labels, Value::Null), |value| value)]);
    let step = |id: &str, value: Value| json!({ "id": id, "function": "F.Label", "arguments": { "value": value } });
    let first = step("a", json!({ "name": "a", "x-b": 1 }));
    let second = step("b", json!({ "x-b": "$.steps.a.result" }));
    check(&kernel, plan(json!({ "steps": [first, second], "result": 1 }))).unwrap();
}

#[test]
fn a_list_may_equal_the_empty_list() {
    for operator in ["equal_to", "not_equal_to"] {
        let step = |other: Value| {
            json!([
                { "id": "places", "function": "F.Places", "arguments": { "value": "a" } },
                {
                    "id": "x", "function": "F.Any", "arguments": { "value": 1 },
                    "when": { "value": "$.steps.places.result", "is": operator, "other": other },
                },
            ])
        };
        assert_eq!(mistakes(step(json!([])), "x"), Vec::<String>::new());
        let wrong = mistakes(step(json!([1])), "x");
        assert!(wrong[0].contains("which never equals"), "{wrong:?}");
    }
}

#[test]
fn an_optional_object_needs_its_required_fields() {
    let object = |name: &str| {
        let fields = json!({ (name): { "type": "string" }, "unit": { "type": "string" } });
        json!({ "type": "object", "properties": fields, "required": [name] })
    };
    let problems_of = |schema: Value, value: Value| {
        let kernel = kernel_of([function("Call", (schema, Value::Null), |value| value)]);
        let step = json!({ "id": "x", "function": "F.Call", "arguments": { "value": value } });
        let inputs = json!({ "city": { "type": "string" } });
        let written = plan(json!({ "inputs": inputs, "steps": [step], "result": 1 }));
        match check(&kernel, written) {
            Ok(_) => Vec::new(),
            Err(error) => error.problems.iter().map(ToString::to_string).collect(),
        }
    };
    let optional = || json!({ "anyOf": [object("name"), { "type": "null" }] });
    let either = || json!({ "anyOf": [object("name"), object("place")] });
    let none = Vec::<String>::new();
    let place = "step `x`, argument `value`";
    for (schema, value, expected) in [
        (
            optional(),
            json!({ "unit": "$.inputs.city" }),
            vec![format!("{place}: lacks the field `name`")],
        ),
        (optional(), json!({ "name": "$.inputs.city" }), none.clone()),
        (
            either(),
            json!({ "unit": "$.inputs.city" }),
            vec![format!("{place}: lacks one of the fields `name`, `place`")],
        ),
        (either(), json!({ "place": "$.inputs.city" }), none),
    ] {
        assert_eq!(problems_of(schema, value.clone()), expected, "{value}");
    }
}
