//! The scripted model over real HTTP.

mod azure;
mod demonstration;
mod embeddings;
mod faults;
mod streams;
mod suite;
mod turns;
mod violations;

use serde_json::{Value, json};
use textsearch_conformance::{
    chat::ScriptedModel,
    core::{
        Error, Result,
        http::{HttpClient, HttpRequest, HttpSettings, Url},
    },
};

fn client() -> HttpClient {
    let settings = HttpSettings::default().with_proxy(false).with_max_attempts(1);
    HttpClient::new("test", settings).unwrap()
}

fn request(url: &str, body: &Value) -> HttpRequest {
    HttpRequest::post(Url::parse(url).unwrap()).with_json(body)
}

fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

fn chat_body(more: Value) -> Value {
    let mut body = json!({ "model": "any", "messages": [user("What is it?")] });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

async fn ask(model: &ScriptedModel, more: Value) -> Result<Value> {
    let url = format!("{}/chat/completions", model.base_url());
    Ok(client().send_json::<Value>(request(&url, &chat_body(more))).await?.body)
}

/// The body as far as it arrived, and how it ended.
async fn read_stream(model: &ScriptedModel, more: Value) -> (Vec<Vec<u8>>, Option<Error>) {
    let mut body = chat_body(more);
    body.as_object_mut().unwrap().insert("stream".to_owned(), json!(true));
    let url = format!("{}/chat/completions", model.base_url());
    let mut answer = client().open(request(&url, &body)).await.unwrap();
    let mut pieces = Vec::new();
    loop {
        match answer.body.chunk().await {
            Ok(Some(piece)) => pieces.push(piece.to_vec()),
            Ok(None) => return (pieces, None),
            Err(error) => return (pieces, Some(error)),
        }
    }
}

fn payloads(pieces: &[Vec<u8>]) -> Vec<String> {
    let text = String::from_utf8(pieces.concat()).unwrap();
    text.lines().filter_map(|line| line.strip_prefix("data: ")).map(str::to_owned).collect()
}

fn deltas(pieces: &[Vec<u8>]) -> Vec<Value> {
    let payloads = payloads(pieces);
    let chunks = payloads.iter().filter(|payload| *payload != "[DONE]");
    let chunks = chunks.map(|payload| serde_json::from_str::<Value>(payload).unwrap());
    chunks.filter_map(|chunk| chunk.pointer("/choices/0/delta").cloned()).collect()
}
