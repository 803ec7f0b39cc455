//! Tokens appear in no error, log or `Debug` output.

use serde_json::json;
use textsearch_conformance::LogCapture;
use textsearch_server::{AccessToken, Server, ServerConfig};

use crate::{
    oauth::provider::IdentityProvider,
    support::{ACME, services, start, tenants},
};

#[test]
fn debug_shows_no_token() {
    let config = tenants();
    let server = Server::new(services(), config.clone()).unwrap();
    let printed = format!("{config:?} {server:?} {:?}", server.service());
    assert!(!printed.contains(ACME), "{printed}");
}

#[test]
fn errors_show_no_token() {
    for tokens in [
        vec![AccessToken::new("a", ACME), AccessToken::new("b", ACME)],
        vec![AccessToken::new("a", "short s3cret")],
    ] {
        let error = Server::new(services(), ServerConfig::new().with_tokens(tokens)).unwrap_err();
        let printed = format!("{error} {error:?}");
        assert!(!printed.contains(ACME) && !printed.contains("s3cret"), "{printed}");
    }
}

#[tokio::test]
async fn logs_at_trace_show_neither_token_nor_query() {
    let log = LogCapture::start();
    requests().await;
    let text = log.text();
    assert!(text.contains("textsearch.tenant=\"acme\""), "{text}");
    for secret in [ACME, "unknown-unknown-unknown", "my-own-query"] {
        assert!(!text.contains(secret), "{text}");
    }
}

async fn requests() {
    let server = start(services(), tenants()).await;
    let acme = server.with_token(ACME);
    acme.post("/v1/search", json!({ "query": "my-own-query" })).await.ok();
    acme.post("/v1/search", json!({ "query": "x", "top": 999 })).await.problem(400);
    server
        .post(&format!("/v1/grounding?key={ACME}"), json!({ "query": "my-own-query" }))
        .await
        .ok();
    let unknown = "/v1/grounding?key=unknown-unknown-unknown";
    server.post(unknown, json!({ "query": "x" })).await.problem(401);
    acme.mcp("tools/list", json!({})).await.ok();
    server.with_token("unknown-unknown-unknown").get("/v1/capabilities").await.problem(401);
}

#[tokio::test]
async fn logs_at_trace_show_no_token_of_a_provider() {
    let provider = IdentityProvider::start().await;
    let mut claims = provider.claims();
    claims["active"] = json!(true);
    claims["email"] = json!("ann@acme.example");
    provider.issue("opaque-and-known", claims);
    let oauth = provider.config().with_introspection("search", "a secret");
    let config = tenants().with_oauth(oauth);
    assert!(!format!("{config:?}").contains("a secret"));
    let log = LogCapture::start();
    let server = start(services(), config).await;
    let body = json!({ "query": "x" });
    server.with_token("opaque-and-known").post("/v1/search", body.clone()).await.ok();
    server.with_token("opaque-and-unknown").post("/v1/search", body.clone()).await.problem(401);
    provider.stop();
    server.with_token("opaque-and-late").post("/v1/search", body).await.problem(503);
    let text = log.text();
    assert!(text.contains("the identity provider cannot be asked"), "{text}");
    for secret in ["opaque-and", "a secret", "a%20secret", "c2VhcmNoOm", "ann@acme.example"] {
        assert!(!text.contains(secret), "{text}");
    }
}
