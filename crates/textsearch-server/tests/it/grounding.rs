//! `/v1/grounding`.

use serde_json::json;
use textsearch_core::{FixedSearch, TextSearchResult};
use textsearch_server::{SearchSource, ServerConfig, Services};

use crate::support::{ACME, GLOBEX, plain, services, start, tenants};

#[tokio::test]
async fn gemini_gets_snippets_and_uris() {
    let results = [
        TextSearchResult::new("Linked.").with_link("https://a.example").with_name("A"),
        TextSearchResult::new("Named.").with_name("B"),
    ];
    let source = SearchSource::new("docs", FixedSearch::new(results));
    let server = start(Services::new().with_source(source), ServerConfig::new()).await;
    // A member that the service may add.
    let answer = server.post("/v1/grounding", json!({ "query": "x", "language": "en" })).await;
    let expected = json!([
        { "snippet": "Linked.", "uri": "https://a.example" },
        { "snippet": "Named.", "uri": "B" },
    ]);
    assert_eq!(answer.ok(), expected);
}

#[tokio::test]
async fn no_results_are_an_empty_list() {
    let source = SearchSource::new("docs", FixedSearch::<TextSearchResult>::new([]));
    let server = start(Services::new().with_source(source), ServerConfig::new()).await;
    assert_eq!(server.post("/v1/grounding", json!({ "query": "x" })).await.ok(), json!([]));
}

#[tokio::test]
async fn the_key_in_the_url_names_the_tenant() {
    let server = start(services(), tenants()).await;
    for (key, snippet) in [(ACME, "Acme sells anvils."), (GLOBEX, "Globex sells lasers.")] {
        let path = format!("/v1/grounding?key={key}");
        let answer = server.post(&path, json!({ "query": "sells" })).await.ok();
        assert_eq!(answer[0]["snippet"], snippet);
        let of_others = answer.as_array().unwrap().iter().any(|result| {
            let uri = result["uri"].as_str().unwrap();
            !uri.contains(key.split('-').next().unwrap())
        });
        assert!(!of_others, "{answer}");
    }
}

#[tokio::test]
async fn wrong_keys_are_refused() {
    let server = start(services(), tenants()).await;
    let double = format!("?key={ACME}&key={GLOBEX}");
    for query in ["", "?key=", "?key=unknown-unknown-unknown", "?key=%0A", "?token=x", &double] {
        let path = format!("/v1/grounding{query}");
        server.post(&path, json!({ "query": "x" })).await.problem(401);
    }
}

#[tokio::test]
async fn other_routes_take_no_key_in_the_url() {
    let server = start(services(), tenants()).await;
    for path in ["/v1/search", "/v1/prompt", "/mcp"] {
        let path = format!("{path}?key={ACME}");
        server.post(&path, json!({ "query": "x" })).await.problem(401);
    }
}

#[tokio::test]
async fn the_header_wins_over_the_url() {
    let server = start(services(), tenants()).await.with_token(GLOBEX);
    let path = format!("/v1/grounding?key={ACME}");
    let answer = server.post(&path, json!({ "query": "x" })).await.ok();
    assert_eq!(answer[0]["snippet"], "Globex sells lasers.");
}

#[tokio::test]
async fn a_request_without_a_query_is_invalid() {
    plain().await.post("/v1/grounding", json!({ "q": "x" })).await.problem(400);
}
