//! How a turn appears as a whole response.

use serde_json::json;
use textsearch_conformance::{
    chat::{ModelScript, ScriptedModel, Turn},
    core::{ErrorKind, chat::Usage},
};

use super::{ask, client, request};

#[tokio::test]
async fn sends_turns_in_order_and_records_requests() {
    let model = ScriptedModel::start([Turn::text("One."), Turn::text("Two.")]).await;
    let first = ask(&model, json!({ "temperature": 0 })).await.unwrap();
    let second = ask(&model, json!({})).await.unwrap();
    assert_eq!(first["choices"][0]["message"]["content"], "One.");
    assert_eq!(first["choices"][0]["finish_reason"], "stop");
    assert_eq!(second["choices"][0]["message"]["content"], "Two.");
    let requests = model.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].body["temperature"], 0);
    assert_eq!(requests[0].path, "/v1/chat/completions");
    assert_eq!(requests[0].header("content-type"), Some("application/json"));
    assert_eq!(requests[1].last_user_text(), "What is it?");
    model.assert_valid();
}

#[tokio::test]
async fn a_function_answers_after_the_last_turn() {
    let script = ModelScript::turns([Turn::server_error()])
        .then(|request| Turn::text(request.last_user_text().to_uppercase()));
    let model = ScriptedModel::start(script).await;
    assert_eq!(ask(&model, json!({})).await.unwrap_err().kind(), &ErrorKind::Unavailable);
    let answer = ask(&model, json!({})).await.unwrap();
    assert_eq!(answer["choices"][0]["message"]["content"], "WHAT IS IT?");
}

#[tokio::test]
async fn one_turn_can_call_several_tools() {
    let turn = Turn::tool_call("one", &json!({ "a": 1 })).with_tool_call("two", &json!({}));
    let model = ScriptedModel::start([turn]).await;
    let answer = ask(&model, json!({})).await.unwrap();
    let calls = &answer["choices"][0]["message"]["tool_calls"];
    assert_eq!(calls[0]["function"], json!({ "name": "one", "arguments": "{\"a\":1}" }));
    assert_eq!(calls[1]["function"]["name"], "two");
    assert_ne!(calls[0]["id"], calls[1]["id"]);
    assert_eq!(answer["choices"][0]["finish_reason"], "tool_calls");
}

#[tokio::test]
async fn sends_refusals_finish_reasons_and_usage() {
    let mut usage = Usage::new(10, 5);
    (usage.cached_tokens, usage.reasoning_tokens) = (4, 3);
    let refusal = Turn::refusal("No.").with_finish_reason("length").with_usage(usage);
    let model = ScriptedModel::start([refusal]).await;
    let answer = ask(&model, json!({})).await.unwrap();
    assert_eq!(answer["choices"][0]["message"]["refusal"], "No.");
    assert_eq!(answer["choices"][0]["message"]["content"], json!(null));
    assert_eq!(answer["choices"][0]["finish_reason"], "length");
    assert_eq!(answer["usage"]["total_tokens"], 15);
    assert_eq!(answer["usage"]["prompt_tokens_details"]["cached_tokens"], 4);
    assert_eq!(answer["usage"]["completion_tokens_details"]["reasoning_tokens"], 3);
}

#[tokio::test]
async fn failures_have_the_status_and_text_of_the_api() {
    let cases = [
        (Turn::unauthorized(), "authentication", "invalid_api_key"),
        (Turn::rate_limited(7), "rate_limited", "rate_limit_exceeded"),
        (Turn::server_error(), "unavailable", "server_error"),
        (Turn::prompt_filtered(), "unexpected_status", "content_filter"),
    ];
    let model = ScriptedModel::start(cases.clone().map(|case| case.0)).await;
    for (_, kind, words) in cases {
        let error = ask(&model, json!({})).await.unwrap_err();
        assert_eq!(error.kind().name(), kind, "{error}");
        assert!(error.message().contains(words), "{error}");
        assert_eq!(error.retry_after().is_some(), kind == "rate_limited");
    }
}

#[tokio::test]
async fn a_request_after_the_last_turn_is_a_violation() {
    let model = ScriptedModel::start([]).await;
    ask(&model, json!({})).await.unwrap_err();
    assert_eq!(
        model.violations()[0].to_string(),
        "request 0, body: the script has 0 turns, and none for this request"
    );
}

#[tokio::test]
async fn a_script_can_require_a_key() {
    let script = ModelScript::from(vec![Turn::text("Yes.")]).with_key("sesame");
    let model = ScriptedModel::start(script).await;
    assert_eq!(ask(&model, json!({})).await.unwrap_err().kind(), &ErrorKind::Authentication);
    let url = format!("{}/chat/completions", model.base_url());
    let right = request(&url, &super::chat_body(json!({}))).with_bearer(&"sesame".into());
    client().send(right).await.unwrap();
}

#[tokio::test]
async fn unknown_paths_are_rejected() {
    let model = ScriptedModel::start([]).await;
    let url = format!("{}/nothing", model.base_url());
    let request = textsearch_conformance::core::http::HttpRequest::get(url.parse().unwrap());
    let error = client().send(request).await.unwrap_err();
    assert!(error.message().contains("Invalid URL (GET /v1/nothing)"), "{error}");
}

#[tokio::test]
async fn a_script_that_panics_is_a_violation() {
    let script = ModelScript::from_fn(|request| {
        assert_eq!(request.body.get("temperature"), Some(&json!(1)));
        Turn::text("Yes.")
    });
    let model = ScriptedModel::start(script).await;
    ask(&model, json!({})).await.unwrap_err();
    assert_eq!(model.violations()[0].to_string(), "request 0, body: the script panicked");
}

#[tokio::test]
async fn a_connection_serves_several_requests() {
    let model = ScriptedModel::start(ModelScript::from_fn(|_| Turn::text("Yes."))).await;
    let url = format!("{}/chat/completions", model.base_url());
    let client = client();
    for _ in 0..3 {
        client.send(request(&url, &super::chat_body(json!({})))).await.unwrap();
    }
    assert!(model.requests().iter().all(|request| request.connection == 0));
}
