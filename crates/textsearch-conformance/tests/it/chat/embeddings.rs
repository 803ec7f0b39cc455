//! Vectors of hashed words.

use serde_json::{Value, json};
use textsearch_conformance::{
    chat::{ModelScript, ScriptedModel, Turn},
    core::Result,
};

use super::{client, request};

async fn embed(model: &ScriptedModel, body: Value) -> Result<Value> {
    let url = format!("{}/embeddings", model.base_url());
    Ok(client().send_json::<Value>(request(&url, &body)).await?.body)
}

#[tokio::test]
async fn a_text_has_the_same_vector_each_time() {
    let model = ScriptedModel::start([]).await;
    let single = embed(&model, json!({ "model": "m", "input": "a text" })).await.unwrap();
    let both = embed(&model, json!({ "model": "m", "input": ["other", "a text"] })).await.unwrap();
    assert_eq!(single["data"][0]["embedding"].as_array().unwrap().len(), 256);
    assert_eq!(single["data"][0]["embedding"], both["data"][1]["embedding"]);
    assert_eq!(both["data"][1]["index"], 1);
    assert_eq!(both["usage"], json!({ "prompt_tokens": 4, "total_tokens": 4 }));
    model.assert_valid();
}

#[tokio::test]
async fn vectors_have_the_requested_length_and_encoding() {
    let model = ScriptedModel::start([]).await;
    let body = json!({ "model": "m", "input": "a", "dimensions": 3, "encoding_format": "base64" });
    let answer = embed(&model, body).await.unwrap();
    // Three floats are 12 bytes, 16 characters.
    assert_eq!(answer["data"][0]["embedding"].as_str().unwrap().len(), 16);
}

#[tokio::test]
async fn rejects_too_many_texts_and_empty_ones() {
    for input in [json!(vec!["a"; 2049]), json!([]), json!(""), json!(["a", ""])] {
        let model = ScriptedModel::start([]).await;
        embed(&model, json!({ "model": "m", "input": input })).await.unwrap_err();
        assert!(model.violations()[0].place.starts_with("input"));
    }
}

#[tokio::test]
async fn a_script_can_answer_embeddings_requests() {
    let script = ModelScript::turns([]).with_embeddings(|request| {
        (request.body["model"] == "busy").then(|| Turn::rate_limited(1))
    });
    let model = ScriptedModel::start(script).await;
    assert!(embed(&model, json!({ "model": "busy", "input": "a" })).await.is_err());
    embed(&model, json!({ "model": "m", "input": "a" })).await.unwrap();
}
