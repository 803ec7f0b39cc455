//! The model rejects, names and records violations of the API.

use serde_json::{Value, json};
use textsearch_conformance::{
    chat::{ModelScript, ScriptedModel, Turn},
    core::ErrorKind,
};

use super::{ask, user};

async fn answered() -> ScriptedModel {
    ScriptedModel::start(ModelScript::from_fn(|_| Turn::text("Yes."))).await
}

async fn complaints(more: Value) -> Vec<String> {
    let model = answered().await;
    let outcome = ask(&model, more).await;
    let violations = model.violations();
    if let Some(first) = violations.first() {
        let error = outcome.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::UnexpectedStatus { status: 400, .. }));
        assert!(error.message().contains(&first.place), "{error}");
    } else {
        outcome.unwrap();
    }
    violations.iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn names_a_misspelled_field() {
    assert_eq!(
        complaints(json!({ "temprature": 1 })).await,
        ["request 0, temprature: Unknown parameter: `temprature`"]
    );
}

#[tokio::test]
async fn names_the_path_of_a_misspelled_message_field() {
    let messages = json!([user("a"), { "role": "user", "contents": "b" }]);
    assert_eq!(
        complaints(json!({ "messages": messages })).await,
        [
            "request 0, messages[1].contents: Unknown parameter: `contents`",
            "request 0, messages[1]: Missing required parameter: `content`",
        ]
    );
}

#[tokio::test]
async fn names_values_out_of_range_and_of_other_types() {
    let cases = [
        (json!({ "temperature": 3 }), "temperature: 3 is greater than the maximum of 2"),
        (json!({ "max_tokens": "9" }), "max_tokens: \"9\" is not of types"),
        (json!({ "stop": ["a", "b", "c", "d", "e"] }), "stop: "),
        (json!({ "reasoning_effort": "hard" }), "reasoning_effort: "),
        (json!({ "tools": [] }), "tools: "),
        (json!({ "tool_choice": "auto" }), "body: "),
    ];
    for (more, expected) in cases {
        let complaints = complaints(more).await;
        assert!(complaints[0].starts_with(&format!("request 0, {expected}")), "{complaints:?}");
    }
}

#[tokio::test]
async fn accepts_extra_fields_that_the_script_allows() {
    let script = ModelScript::from_fn(|_| Turn::text("Yes.")).with_extra_field("top_k");
    let model = ScriptedModel::start(script).await;
    ask(&model, json!({ "top_k": 5 })).await.unwrap();
    model.assert_valid();
}

#[tokio::test]
#[should_panic(expected = "Unknown parameter: `top_k`")]
async fn assert_valid_fails_although_the_client_ignores_the_error() {
    let model = answered().await;
    let _ = ask(&model, json!({ "top_k": 5 })).await;
    model.assert_valid();
}

fn call(id: &str) -> Value {
    json!({ "id": id, "type": "function", "function": { "name": "f", "arguments": "{}" } })
}

fn asks(ids: &[&str]) -> Value {
    let calls: Vec<Value> = ids.iter().map(|id| call(id)).collect();
    json!({ "role": "assistant", "content": null, "tool_calls": calls })
}

fn answers(id: &str) -> Value {
    json!({ "role": "tool", "tool_call_id": id, "content": "done" })
}

#[tokio::test]
async fn accepts_answers_to_calls_in_any_order() {
    let messages = json!([user("a"), asks(&["1", "2"]), answers("2"), answers("1"), user("b")]);
    assert_eq!(complaints(json!({ "messages": messages })).await, Vec::<String>::new());
}

#[tokio::test]
async fn rejects_an_answer_without_a_call() {
    let cases = [
        json!([user("a"), answers("1")]),
        json!([user("a"), asks(&["1"]), answers("1"), answers("1")]),
        json!([user("a"), asks(&["1"]), answers("1"), user("b"), answers("1")]),
    ];
    for messages in cases {
        let complaints = complaints(json!({ "messages": messages })).await;
        assert!(complaints[0].contains("tool_call_id: "), "{complaints:?}");
        assert!(complaints[0].ends_with("no call `1` waits for an answer"), "{complaints:?}");
    }
}

#[tokio::test]
async fn rejects_a_call_without_an_answer() {
    for messages in [json!([asks(&["1", "2"]), answers("1")]), json!([asks(&["2"]), user("b")])] {
        let complaints = complaints(json!({ "messages": messages })).await;
        assert!(complaints[0].ends_with("not answered are 2"), "{complaints:?}");
    }
}
