use serde_json::{Value, json};
use textsearch_conformance::{RecordedRequest, Response, Server};
use textsearch_rerank::{
    ErrorKind, RERANK_ENDPOINT, RerankClient, RerankConfig, RerankFormat, Reranker as _,
};

use crate::support::{KEY, config, http, scores};

async fn sent(change: impl FnOnce(RerankConfig) -> RerankConfig) -> RecordedRequest {
    let answer = |format| match format {
        RerankFormat::Tei => json!([{ "index": 0, "score": 1 }, { "index": 1, "score": 2 }]),
        _ => json!({ "results": [
            { "index": 0, "relevance_score": 1 }, { "index": 1, "relevance_score": 2 }] }),
    };
    let server = Server::start(move |request, _| {
        let is_tei = request.json()["texts"].is_array();
        let format = if is_tei { RerankFormat::Tei } else { RerankFormat::Cohere };
        textsearch_conformance::Action::Answer(Response::json(&answer(format)))
    })
    .await;
    scores(change(config(&server)), 2).await.unwrap();
    server.requests().remove(0)
}

async fn body(change: impl FnOnce(RerankConfig) -> RerankConfig) -> Value {
    sent(change).await.json()
}

#[tokio::test]
async fn a_request_has_query_documents_and_their_number() {
    let request = sent(|config| config).await;
    assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/rerank"));
    assert_eq!(request.header("authorization"), None);
    let expected = json!({ "query": "a query", "documents": ["text 0", "text 1"], "top_n": 2 });
    assert_eq!(request.json(), expected);
}

#[tokio::test]
async fn model_and_further_fields_are_sent() {
    let change = |config: RerankConfig| {
        config.with_model("rerank-v3.5").with_extra("max_tokens_per_doc", 512)
    };
    let expected = json!({
        "model": "rerank-v3.5", "query": "a query", "documents": ["text 0", "text 1"],
        "top_n": 2, "max_tokens_per_doc": 512,
    });
    assert_eq!(body(change).await, expected);
}

#[tokio::test]
async fn tei_gets_texts_to_truncate() {
    let change = |config: RerankConfig| config.with_format(RerankFormat::Tei).with_model("unsent");
    let expected = json!({ "query": "a query", "texts": ["text 0", "text 1"], "truncate": true });
    assert_eq!(body(change).await, expected);
    let raw = |config: RerankConfig| change(config).with_extra("raw_scores", true);
    assert_eq!(body(raw).await["raw_scores"], true);
}

#[tokio::test]
async fn the_key_is_sent_only_as_a_bearer_token() {
    let request = sent(|config| config.with_api_key(KEY)).await;
    assert_eq!(request.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert!(!request.json().to_string().contains(KEY));
}

#[tokio::test]
async fn a_full_url_keeps_its_path() {
    let change = |mut config: RerankConfig| {
        config.endpoint = format!("{}v1/rerank", config.endpoint.as_str()).into();
        config
    };
    assert_eq!(sent(change).await.path, "/v1/rerank");
}

#[test]
fn hosted_services_have_their_urls() {
    let cohere = RerankConfig::cohere("key", "rerank-v3.5");
    assert_eq!(cohere.endpoint.as_str(), "https://api.cohere.com/v2/rerank");
    let jina = RerankConfig::jina("key", "jina-reranker-v2-base-multilingual");
    assert_eq!(jina.endpoint.as_str(), "https://api.jina.ai/v1/rerank");
    assert_eq!(RerankClient::new(cohere).unwrap().name(), "rerank-v3.5");
}

#[test]
fn an_invalid_setting_names_the_allowed_values() {
    let new = || RerankConfig::new("http://localhost:8000");
    let mut no_text = new();
    no_text.max_text_chars = 0;
    let mut no_batch = new();
    no_batch.concurrent_batches = 0;
    let cases = [
        (new().with_api_key(""), "`api_key` is empty; expected a key, or none"),
        (new().with_model(" "), "`model` is empty; expected the name of a model, or none"),
        (no_text, "`max_text_chars` is 0; expected at least 1"),
        (new().with_batch_limits(0, 1), "`max_batch_texts` is 0; expected at least 1"),
        (new().with_batch_limits(1, 0), "`max_batch_bytes` is 0; expected at least 1"),
        (no_batch, "`concurrent_batches` is 0; expected at least 1"),
        (new().with_extra("top_n", 3), "`extra.top_n` is a field that this crate sets itself"),
        (RerankConfig::new("ftp://a.example"), "`endpoint` is neither http nor https"),
        (RerankConfig::new("sesame"), "`endpoint` is not absolute; expected an address such as"),
    ];
    for (config, expected) in cases {
        let error = RerankClient::new(config).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }), "{error:?}");
        assert!(error.message().starts_with(expected), "{error}");
    }
    let settings = http().with_max_attempts(0);
    assert!(RerankClient::new(new().with_http_settings(settings)).is_err());
}

#[test]
fn missing_endpoint_names_its_variable() {
    // Relies on the variable being unset.
    if std::env::var_os(RERANK_ENDPOINT).is_none() {
        let error = RerankConfig::from_env().unwrap_err();
        assert!(error.to_string().starts_with("rerank: `RERANK_ENDPOINT` is missing"), "{error}");
        let config = RerankConfig::from_env_with_endpoint("http://localhost:8000").unwrap();
        assert_eq!(config.format, RerankFormat::Cohere);
    }
}
