//! A model behind Anthropic's API, which cites beside its text.

use serde_json::{Value, json};
use textsearch_conformance::{Action, RecordedRequest, Response, Server};

use super::{CONNECTORS, KEY, QUESTION, docs};
use crate::support::Run;

/// Searches first, then answers with a citation of what it found and of something else.
fn answer(request: &RecordedRequest) -> Response {
    let body = request.json();
    let has_results = body["messages"].as_array().unwrap().len() > 1;
    let text = |text: &str, source: &str, quote: &str| {
        let citation = json!({
            "type": "search_result_location", "source": source, "title": "T", "cited_text": quote,
        });
        json!({ "type": "text", "text": text, "citations": [citation] })
    };
    let content = if has_results {
        json!([
            text("One method. ", CONNECTORS, "Write one method"),
            text("Or two.", CONNECTORS, "two")
        ])
    } else {
        let name = &body["tools"][0]["name"];
        json!([{ "type": "tool_use", "id": "1", "name": name, "input": { "query": "connector" } }])
    };
    let reason = if has_results { "end_turn" } else { "tool_use" };
    Response::json(&json!({ "type": "message", "content": content, "stop_reason": reason }))
}

async fn ask(arguments: &[&str]) -> Run {
    let server = Server::start(|request, _| Action::Answer(answer(request))).await;
    let place = docs();
    let mut command = place.command(&[&["ask", QUESTION, "--from", "docs"], arguments].concat());
    command.env("ANTHROPIC_BASE_URL", server.url().as_str());
    command.env("ANTHROPIC_API_KEY", KEY).env("ANTHROPIC_MODEL", "m");
    let run = Run::from(command.output().unwrap());
    let requests = server.requests();
    assert!(requests.iter().all(|request| request.header("x-api-key") == Some(KEY)));
    assert!(!run.stdout.contains(KEY) && !run.stderr.contains(KEY), "{}", run.stderr);
    run
}

#[tokio::test(flavor = "multi_thread")]
async fn citations_by_the_model_are_checked() {
    let run = ask(&["--tools", "--check-citations", "--output", "json"]).await;
    let printed: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(printed["answer"], "One method. Or two.");
    let citations = printed["citations"].as_array().unwrap();
    let seen: Vec<Value> = citations
        .iter()
        .map(|citation| json!([citation["kind"], citation["range"], citation["source"]]))
        .collect();
    assert_eq!(seen, [json!(["model", [0, 12], 1]), json!(["model", [12, 19], null])]);
    assert_eq!(run.code, 4);
}
