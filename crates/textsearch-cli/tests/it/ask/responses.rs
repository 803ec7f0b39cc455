//! A model behind OpenAI's Responses API.

use serde_json::{Value, json};
use textsearch_conformance::{Action, RecordedRequest, Response, Server};

use super::{CONNECTORS, KEY, QUESTION, docs};
use crate::support::Run;

/// Searches first, then answers with a citation of a result and of something else.
fn answer(request: &RecordedRequest) -> Response {
    let body = request.json();
    let items = body["input"].as_array().unwrap();
    let item = if items.iter().any(|item| item["type"] == "function_call_output") {
        let cited = |start: usize, end: usize, url: &str| json!({ "type": "url_citation", "start_index": start, "end_index": end, "url": url });
        let annotations = [cited(0, 11, CONNECTORS), cited(12, 19, "https://rumours.example")];
        let text = json!({ "type": "output_text", "text": "One method. Or two.", "annotations": annotations });
        json!({ "type": "message", "role": "assistant", "content": [text] })
    } else {
        let name = &body["tools"][0]["name"];
        json!({ "type": "function_call", "call_id": "1", "name": name, "arguments": r#"{"query":"connector"}"# })
    };
    Response::json(&json!({ "status": "completed", "output": [item] }))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_protocol_of_the_environment_is_used() {
    let server = Server::start(|request, _| Action::Answer(answer(request))).await;
    let place = docs();
    let mut command = place.command(&[
        "ask",
        QUESTION,
        "--from",
        "docs",
        "--tools",
        "--check-citations",
        "--output",
        "json",
    ]);
    command.env("OPENAI_BASE_URL", server.url().join("v1").unwrap().as_str());
    command.env("OPENAI_API_KEY", KEY).env("OPENAI_MODEL", "m");
    let run = Run::from(command.env("OPENAI_PROTOCOL", "responses").output().unwrap());
    assert!(server.requests().iter().all(|request| request.path == "/v1/responses"));
    assert!(server.requests().iter().all(|request| request.json()["store"] == false));
    let printed: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(printed["answer"], "One method. Or two.");
    let citations = printed["citations"].as_array().unwrap();
    let seen: Vec<Value> = citations
        .iter()
        .map(|citation| json!([citation["kind"], citation["range"], citation["source"]]))
        .collect();
    assert_eq!(seen, [json!(["model", [0, 11], 1]), json!(["model", [12, 19], null])]);
    assert_eq!(run.code, 4);
}
