use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use textsearch_conformance::chat::{Fault, ModelRequest, ModelScript, ScriptedModel, Turn};
use textsearch_openai::{
    EmbeddingGenerator, EmbeddingSettings, Embeddings, ErrorKind, OpenAiConfig, OpenAiEmbeddings,
    Result,
};

use crate::support::config;

fn texts(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("text number {number}")).collect()
}

async fn made(
    model: &ScriptedModel,
    change: impl FnOnce(OpenAiConfig) -> OpenAiConfig,
    texts: &[String],
) -> Result<Embeddings> {
    let embeddings = OpenAiEmbeddings::new(change(config(model))).unwrap();
    embeddings.generate(texts, &EmbeddingSettings::default()).await
}

async fn plain(texts: &[String]) -> Vec<Arc<[f32]>> {
    let model = ScriptedModel::start([]).await;
    made(&model, |config| config, texts).await.unwrap().vectors
}

#[tokio::test]
async fn batches_keep_the_order_and_add_up_the_cost() {
    let texts = texts(23);
    let model = ScriptedModel::start([]).await;
    let change = |config: OpenAiConfig| {
        let mut config = config.with_batch_limits(5, 1000);
        config.concurrent_batches = 3;
        config
    };
    let batched = made(&model, change, &texts).await.unwrap();
    assert_eq!(batched.vectors, plain(&texts).await);
    let sizes = |request: &ModelRequest| request.body["input"].as_array().unwrap().len();
    let mut sizes: Vec<usize> = model.requests().iter().map(sizes).collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [3, 5, 5, 5, 5]);
    let tokens: usize = texts.iter().map(|text| text.len().div_ceil(4)).sum();
    assert_eq!(batched.tokens, Some(u64::try_from(tokens).unwrap()));
    model.assert_valid();
}

#[tokio::test]
async fn batches_end_at_the_token_limit() {
    let model = ScriptedModel::start([]).await;
    made(&model, |config| config.with_batch_limits(2048, 8), &texts(4)).await.unwrap();
    assert_eq!(model.requests().len(), 2);
}

#[tokio::test]
async fn no_texts_send_no_request() {
    let model = ScriptedModel::start([]).await;
    assert!(made(&model, |config| config, &[]).await.unwrap().vectors.is_empty());
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn base64_gives_the_same_vectors() {
    let model = ScriptedModel::start([]).await;
    let base64 = |mut config: OpenAiConfig| {
        config.base64_embeddings = Some(true);
        config
    };
    let encoded = made(&model, base64, &texts(3)).await.unwrap();
    assert_eq!(encoded.vectors, plain(&texts(3)).await);
    assert_eq!(model.requests()[0].body["encoding_format"], "base64");
}

#[tokio::test]
async fn dimensions_are_requested_per_call_or_model() {
    let model = ScriptedModel::start([]).await;
    let embeddings = OpenAiEmbeddings::new(config(&model)).unwrap().with_dimensions(8);
    assert_eq!(embeddings.dimensions(), Some(8));
    let mut settings = EmbeddingSettings::default();
    settings.extra.insert("user".to_owned(), json!("me"));
    let length = |made: Embeddings| made.vectors[0].len();
    assert_eq!(length(embeddings.generate(&texts(1), &settings).await.unwrap()), 8);
    settings.dimensions = Some(4);
    assert_eq!(length(embeddings.generate(&texts(1), &settings).await.unwrap()), 4);
    assert_eq!(model.requests()[1].body["user"], "me");
    model.assert_valid();
}

fn item(index: usize, vector: Value) -> Value {
    json!({ "index": index, "embedding": vector })
}

async fn answered(data: Value, count: usize) -> Result<Embeddings> {
    let body = json!({ "data": data }).to_string();
    let play = move |_: &ModelRequest| Some(Turn::raw("application/json", body.clone()));
    let model = ScriptedModel::start(ModelScript::turns([]).with_embeddings(play)).await;
    made(&model, |config| config, &texts(count)).await
}

#[tokio::test]
async fn vectors_are_ordered_by_index() {
    let data = json!([item(1, json!([1.0])), item(0, json!([0.5]))]);
    let made = answered(data, 2).await.unwrap();
    assert_eq!((made.vectors[0][0], made.vectors[1][0]), (0.5, 1.0));
    assert_eq!(made.tokens, None);
}

#[tokio::test]
async fn mismatched_embeddings_are_explained() {
    let cases = [
        (json!([item(0, json!([1.0]))]), "1 vectors for 2 texts"),
        (
            json!([item(0, json!([1.0])), item(0, json!([1.0]))]),
            "the index 0 is repeated or out of range",
        ),
        (
            json!([item(0, json!([1.0])), item(7, json!([1.0]))]),
            "the index 7 is repeated or out of range",
        ),
        (
            json!([item(0, json!("AAA=")), item(1, json!("AAAA"))]),
            "2 bytes are not a whole number of floats",
        ),
        (json!([item(0, json!([])), item(1, json!([]))]), "a vector without elements"),
    ];
    for (data, expected) in cases {
        let error = answered(data, 2).await.unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Undecodable);
        assert!(error.message().ends_with(expected), "{error}");
    }
    let unequal = answered(json!([item(0, json!([1.0])), item(1, json!([1.0, 2.0]))]), 2).await;
    assert_eq!(unequal.unwrap_err().message(), "the vectors of one call have 1 elements and 2");
}

#[tokio::test]
async fn rejects_an_empty_text_and_reserved_fields() {
    let model = ScriptedModel::start([]).await;
    let error = made(&model, |config| config, &["a".into(), String::new()]).await.unwrap_err();
    assert_eq!(error.message(), "the text 1, counted from 0, is empty: it has no embedding");
    let mut settings = EmbeddingSettings::default();
    settings.extra.insert("model".to_owned(), json!("other"));
    let embeddings = OpenAiEmbeddings::new(config(&model)).unwrap();
    let error = embeddings.generate(&texts(1), &settings).await.unwrap_err();
    assert!(error.message().starts_with("`extra.model` is a field"), "{error}");
    assert!(model.requests().is_empty());
}

const NEVER: Duration = Duration::from_secs(600);

#[tokio::test]
async fn batches_are_concurrent_and_cancelled_with_the_call() {
    let half = || Turn::raw("application/json", "{ \"data\": [] }").with_fault(Fault::Stall);
    let play = move |_: &ModelRequest| Some(half());
    let model = ScriptedModel::start(ModelScript::turns([]).with_embeddings(play)).await;
    let mut config = config(&model).with_batch_limits(1, 99);
    config.concurrent_batches = 3;
    let embeddings = OpenAiEmbeddings::new(config).unwrap();
    let task =
        tokio::spawn(
            async move { embeddings.generate(&texts(5), &EmbeddingSettings::default()).await },
        );
    while model.requests().len() < 3 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    tokio::time::timeout(Duration::from_secs(20), model.wait_for_disconnects(1)).await.unwrap();
    assert_eq!(model.requests().len(), 3);
}

#[tokio::test]
async fn a_failure_does_not_wait_for_other_batches() {
    let play = |request: &ModelRequest| match request.body["input"][0].as_str() {
        Some("text number 0") => Some(Turn::server_error().with_delay(NEVER)),
        _ => Some(Turn::insufficient_quota()),
    };
    let model = ScriptedModel::start(ModelScript::turns([]).with_embeddings(play)).await;
    let change = |config: OpenAiConfig| {
        let mut config = config.with_batch_limits(1, 99);
        config.concurrent_batches = 2;
        config
    };
    let error = made(&model, change, &texts(6)).await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::QuotaExceeded);
    assert!(model.requests().len() <= 2);
}

#[tokio::test]
async fn a_large_call_is_spread_over_several_requests() {
    let model = ScriptedModel::start([]).await;
    let made = made(&model, |config| config, &texts(400)).await.unwrap();
    assert_eq!(made.vectors.len(), 400);
    assert_eq!(model.requests().len(), 4);
}

#[tokio::test]
async fn one_failed_batch_fails_the_call() {
    let play = |request: &ModelRequest| {
        let is_last = request.body["input"][0] == "text number 4";
        is_last.then(Turn::insufficient_quota)
    };
    let model = ScriptedModel::start(ModelScript::turns([]).with_embeddings(play)).await;
    let error =
        made(&model, |config| config.with_batch_limits(2, 99), &texts(6)).await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::QuotaExceeded);
}
