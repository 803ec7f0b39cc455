//! `/v1/answer`, with a scripted model.

use std::time::Duration;

use futures_util::StreamExt as _;
use reqwest::Method;
use serde_json::{Value, json};
use textsearch_conformance::chat::{Fault, ModelScript, ScriptedModel, Turn};
use textsearch_core::{
    Result, async_trait,
    chat::{ChatCompletion, ChatHistory, ChatMessage, ChatOptions, ChatResponse, ModelCitation},
};
use textsearch_openai::{OpenAiChat, OpenAiConfig};
use textsearch_server::ServerConfig;

use crate::support::{ACME, TestServer, plain, services, start, tenants};

pub(crate) async fn server(model: &ScriptedModel, config: ServerConfig) -> TestServer {
    let chat = OpenAiChat::new(OpenAiConfig::without_key(model.base_url(), "m")).unwrap();
    start(services().with_chat_completion(chat), config).await
}

/// The names and the data of events.
fn events(text: &str) -> Vec<(String, Value)> {
    let event = |block: &str| {
        let mut lines = block.lines().filter(|line| !line.starts_with(':'));
        let name = lines.next()?.strip_prefix("event: ")?.to_owned();
        let data = lines.next()?.strip_prefix("data: ")?;
        Some((name, serde_json::from_str(data).unwrap()))
    };
    text.split("\n\n").filter_map(event).collect()
}

pub(crate) async fn asked(server: &TestServer, body: Value) -> Vec<(String, Value)> {
    let answer = server.post("/v1/answer", body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.headers["content-type"], "text/event-stream");
    events(&answer.text)
}

fn text_of(events: &[(String, Value)]) -> String {
    let texts = events.iter().filter(|(name, _)| name == "text");
    texts.map(|(_, data)| data["text"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn an_answer_streams_calls_text_and_citations() {
    let text = "It costs 7, see [price](https://acme.example/price) and https://evil.example.";
    let model = ScriptedModel::start([Turn::text(text)]).await;
    let events =
        asked(&server(&model, ServerConfig::new()).await, json!({ "question": "How much?" })).await;
    let (name, call) = &events[0];
    assert_eq!((name.as_str(), &call["results"]), ("call", &json!(3)));
    assert_eq!(call["arguments"]["query"], "How much?");
    assert_eq!(text_of(&events), text);
    let (name, done) = events.last().unwrap();
    assert_eq!(name, "done");
    assert_eq!(done["answer"], text);
    assert_eq!((&done["end"], &done["finish_reason"]), (&json!("answered"), &json!("stop")));
    assert_eq!(done["citations"][0]["source"], 2);
    assert_eq!(done["citations"][1]["source"], json!(null));
    assert_eq!(done["sources"].as_array().unwrap().len(), 3);
    assert!(done["usage"]["output_tokens"].as_u64() > Some(0), "{done}");
    let prompt = model.requests()[0].last_user_text();
    assert!(prompt.contains(r#""Value": "An anvil costs 7.""#), "{prompt}");
    model.assert_valid();
}

/// Cites beside the text, as some providers do.
struct Citing;

#[async_trait]
impl ChatCompletion for Citing {
    fn name(&self) -> &str {
        "citing"
    }

    fn model_id(&self) -> &str {
        "m"
    }

    async fn complete(&self, _: &ChatHistory, _: &ChatOptions) -> Result<ChatResponse> {
        let mut message = ChatMessage::assistant("It costs 7. Says who?");
        let price = ModelCitation::new(0..11, "https://acme.example/price");
        message.citations =
            vec![price.with_quote("An anvil costs 7."), ModelCitation::new(12..21, "elsewhere")];
        Ok(ChatResponse::new(message))
    }
}

#[tokio::test]
async fn citations_by_the_provider_are_checked_too() {
    let server = start(services().with_chat_completion(Citing), ServerConfig::new()).await;
    let events = asked(&server, json!({ "question": "How much?" })).await;
    let (_, done) = events.last().unwrap();
    let expected = json!([
        { "kind": "model", "target": "https://acme.example/price", "range": [0, 11], "source": 2 },
        { "kind": "model", "target": "elsewhere", "range": [12, 21], "source": null },
    ]);
    assert_eq!(done["citations"], expected);
}

#[tokio::test]
async fn a_model_may_search_by_itself() {
    let arguments = json!({ "query": "anvils", "count": 1 });
    let turns = [Turn::tool_call("docs-GetSearchResults", &arguments), Turn::text("Anvils [1].")];
    let model = ScriptedModel::start(turns).await;
    let body = json!({ "question": "What?", "mode": "tools" });
    let events = asked(&server(&model, ServerConfig::new()).await, body).await;
    let (_, call) = events.iter().find(|(name, _)| name == "call").unwrap();
    assert_eq!((&call["function"], &call["round"]), (&json!("docs-GetSearchResults"), &json!(1)));
    assert_eq!(call["arguments"]["query"], "anvils");
    let (_, done) = events.last().unwrap();
    assert_eq!((&done["rounds"], &done["citations"][0]["source"]), (&json!(2), &json!(1)));
    assert_eq!(model.requests()[0].tool_names(), ["docs-GetSearchResults"]);
    model.assert_valid();
}

#[tokio::test]
async fn unoffered_calls_end_an_answer() {
    let call = |_: &_| Turn::tool_call("docs-GetSearchResults", &json!({ "query": "x" }));
    let model = ScriptedModel::start(ModelScript::from_fn(call)).await;
    let events =
        asked(&server(&model, ServerConfig::new()).await, json!({ "question": "x" })).await;
    let (_, done) = events.last().unwrap();
    assert_eq!((&done["end"], &done["rounds"]), (&json!("unoffered_calls"), &json!(1)));
    assert_eq!(done["answer"], json!(null));
}

#[tokio::test]
async fn overlong_arguments_are_neither_sent_back_nor_streamed() {
    let long = json!({ "query": "x".repeat(300_000) });
    let call = Turn::tool_call("docs-GetSearchResults", &long);
    let model = ScriptedModel::start([call, Turn::text("Nothing.")]).await;
    let server = server(&model, ServerConfig::new()).await;
    let answer = server.post("/v1/answer", json!({ "question": "x", "mode": "tools" })).await;
    assert!(answer.text.len() < 10_000, "{}", answer.text.len());
    let events = events(&answer.text);
    assert_eq!(events[0].1["error"], "invalid_arguments");
    let requests = model.requests();
    assert!(requests.iter().all(|request| request.body.to_string().len() < 20_000));
}

#[tokio::test]
async fn the_model_sees_only_the_tenants_documents() {
    let arguments = json!({ "query": "x", "Source": "globex", "count": 50 });
    let script = || [Turn::tool_call("docs-GetSearchResults", &arguments), Turn::text("Nothing.")];
    for mode in ["results", "tools"] {
        let turns = if mode == "tools" { script().to_vec() } else { vec![Turn::text("x")] };
        let model = ScriptedModel::start(turns).await;
        let server = server(&model, tenants()).await.with_token(ACME);
        let events = asked(&server, json!({ "question": "x", "mode": mode })).await;
        assert!(!format!("{events:?}").contains("laser"), "{events:?}");
        for request in model.requests() {
            assert!(!request.body.to_string().contains("laser"), "{}", request.body);
        }
    }
}

#[tokio::test]
async fn a_refusal_is_no_answer() {
    let model = ScriptedModel::start([Turn::refusal("I can't.")]).await;
    let events =
        asked(&server(&model, ServerConfig::new()).await, json!({ "question": "x" })).await;
    assert!(events.iter().any(|(name, _)| name == "refusal"), "{events:?}");
    assert_eq!(events.last().unwrap().1["answer"], json!(null));
}

#[tokio::test]
async fn a_blank_text_is_no_answer() {
    let model = ScriptedModel::start([Turn::text(" \n")]).await;
    let events =
        asked(&server(&model, ServerConfig::new()).await, json!({ "question": "x" })).await;
    assert_eq!(events.last().unwrap().1["answer"], json!(null));
}

#[tokio::test]
async fn a_models_failure_ends_the_stream_without_its_cause() {
    let model = ScriptedModel::start(ModelScript::from_fn(|_| Turn::unauthorized())).await;
    let events =
        asked(&server(&model, ServerConfig::new()).await, json!({ "question": "x" })).await;
    let (name, problem) = events.last().unwrap();
    assert_eq!((name.as_str(), &problem["status"]), ("error", &json!(502)));
    assert!(!problem.to_string().contains("key"), "{problem}");
}

#[tokio::test]
async fn an_answer_ends_at_its_time_limit() {
    let model = ScriptedModel::start([Turn::text("Slow.").with_fault(Fault::Stall)]).await;
    let mut config = ServerConfig::new();
    config.answer_timeout = Duration::from_millis(200);
    let events = asked(&server(&model, config).await, json!({ "question": "x" })).await;
    let (name, problem) = events.last().unwrap();
    assert_eq!((name.as_str(), &problem["status"]), ("error", &json!(504)));
}

#[tokio::test]
async fn an_answer_counts_as_a_request_until_its_end() {
    let model = ScriptedModel::start([Turn::text("Slow.").with_fault(Fault::Stall)]).await;
    let mut config = ServerConfig::new();
    config.answer_timeout = Duration::from_secs(3);
    config.max_concurrent_requests = 1;
    let server = server(&model, config).await;
    let request = server.request(Method::POST, "/v1/answer").json(&json!({ "question": "x" }));
    let unread = request.send().await.unwrap();
    server.get("/v1/capabilities").await.problem(503);
    while server.get("/v1/capabilities").await.status == 503 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(server.get("/v1/capabilities").await.status, 200);
    drop(unread);
}

#[tokio::test]
async fn a_disconnect_stops_the_model() {
    let text = "word ".repeat(500);
    let script = ModelScript::turns([Turn::text(text)]).with_pause(Duration::from_millis(20));
    let model = ScriptedModel::start(script).await;
    let server = server(&model, ServerConfig::new()).await;
    let request = server.request(Method::POST, "/v1/answer").json(&json!({ "question": "x" }));
    let mut stream = request.send().await.unwrap().bytes_stream();
    while let Some(piece) = stream.next().await {
        if String::from_utf8_lossy(&piece.unwrap()).contains("event: text") {
            break;
        }
    }
    drop(stream);
    let stopped = model.wait_for_disconnects(1);
    tokio::time::timeout(Duration::from_secs(10), stopped).await.unwrap();
}

#[tokio::test]
async fn a_wrong_question_has_a_status() {
    let model = ScriptedModel::start([Turn::text("x")]).await;
    let server = server(&model, ServerConfig::new()).await;
    for (body, field) in [
        (json!({ "question": " " }), "question"),
        (json!({ "question": "x", "top": 0 }), "top"),
        (json!({ "question": "x", "max_rounds": 11 }), "max_rounds"),
        (json!({ "question": "x", "source": "web" }), "source"),
    ] {
        assert_eq!(server.post("/v1/answer", body).await.problem(400)["field"], field);
    }
}

#[tokio::test]
async fn a_server_without_model_has_no_answers() {
    let problem = plain().await.post("/v1/answer", json!({ "question": "x" })).await.problem(404);
    assert_eq!(problem["detail"], "the server has no model that could answer; start it with one");
}
