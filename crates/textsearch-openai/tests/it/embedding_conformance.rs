//! The conformance suite for embedding generators.

use serde_json::{Value, json};
use textsearch_conformance::{Endpoint, RecordedRequest, Response, vector::WordEmbeddings};
use textsearch_openai::{OpenAiConfig, OpenAiEmbeddings};

fn answer(request: &RecordedRequest) -> Response {
    let expected = format!("Bearer {}", Endpoint::KEY);
    assert_eq!(request.header("authorization"), Some(expected.as_str()));
    assert_eq!(request.path, "/v1/embeddings");
    let body = request.json();
    let dimensions = body["dimensions"].as_u64().unwrap_or(256);
    let words = WordEmbeddings::new(usize::try_from(dimensions).unwrap());
    let texts: Vec<&str> =
        body["input"].as_array().unwrap().iter().flat_map(Value::as_str).collect();
    // A provider may send vectors in any order.
    let data = texts
        .iter()
        .enumerate()
        .rev()
        .map(|(index, text)| json!({ "index": index, "embedding": words.embed(text) }));
    let tokens: usize = texts.iter().map(|text| text.len().div_ceil(4)).sum();
    let usage = json!({ "prompt_tokens": tokens, "total_tokens": tokens });
    Response::json(&json!({ "model": "m", "data": data.collect::<Vec<_>>(), "usage": usage }))
}

textsearch_conformance::embedding_suite!(
    |endpoint| {
        let config = OpenAiConfig::new(endpoint.key(), "scripted-embedding")
            .with_base_url(format!("{}/v1", endpoint.base()))
            .with_http_settings(endpoint.http_settings().clone());
        OpenAiEmbeddings::new(config)
    },
    answer,
);
