//! The answer to a request for embeddings.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::ModelRequest;
use crate::words::vector;

pub(super) fn embeddings(request: &ModelRequest, dimensions: usize) -> Value {
    let asked = request.body.get("dimensions").and_then(Value::as_u64);
    let dimensions = asked.and_then(|asked| usize::try_from(asked).ok()).unwrap_or(dimensions);
    let is_base64 = request.body.get("encoding_format").and_then(Value::as_str) == Some("base64");
    let texts = inputs(request.body.get("input").unwrap_or(&Value::Null));
    let tokens: usize = texts.iter().map(|text| text.chars().count().div_ceil(4)).sum();
    let data = texts.iter().enumerate().map(|(index, text)| {
        let vector = vector(text, dimensions);
        let embedding = if is_base64 { Value::from(encoded(&vector)) } else { json!(vector) };
        json!({ "object": "embedding", "index": index, "embedding": embedding })
    });
    json!({
        "object": "list",
        "data": data.collect::<Vec<Value>>(),
        "model": request.model(),
        "usage": { "prompt_tokens": tokens, "total_tokens": tokens },
    })
}

fn inputs(input: &Value) -> Vec<String> {
    match input {
        Value::Array(items) => items.iter().flat_map(inputs).collect(),
        Value::String(text) => vec![text.clone()],
        _ => Vec::new(),
    }
}

fn encoded(vector: &[f32]) -> String {
    let bytes: Vec<u8> = vector.iter().flat_map(|element| element.to_le_bytes()).collect();
    STANDARD.encode(bytes)
}
