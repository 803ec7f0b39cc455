//! Tokens and rights.

use reqwest::Method;
use serde_json::json;
use textsearch_server::{AccessToken, Right, Server, ServerConfig, ServerError};

use crate::support::{ACME, ADMIN, send, services, start, tenants};

#[tokio::test]
async fn only_known_tokens_are_admitted() {
    let server = start(services(), tenants()).await;
    let body = json!({ "query": "x" });
    let answer = server.post("/v1/search", body.clone()).await;
    assert_eq!(answer.headers["www-authenticate"], "Bearer");
    answer.problem(401);
    for wrong in
        ["Bearer acme-acme-acme-acm", "Bearer ", "Basic acme-acme-acme-acme", ACME, "Bearer é"]
    {
        let request = server.request(Method::POST, "/v1/search").json(&body);
        send(request.header("authorization", wrong)).await.problem(401);
    }
    server.with_token(ACME).post("/v1/search", body).await.ok();
}

#[tokio::test]
async fn each_endpoint_needs_its_right() {
    let none = AccessToken::new("none", ACME).with_rights([]);
    let server = start(services(), ServerConfig::new().with_token(none)).await.with_token(ACME);
    for (path, right) in [("/v1/search", "search"), ("/v1/prompt", "prompt"), ("/mcp", "search")] {
        let problem = server.post(path, json!({})).await.problem(403);
        assert_eq!(problem["detail"], format!("the caller lacks the right `{right}`"));
    }
    server.get("/metrics").await.problem(403);
    assert_eq!(server.get("/v1/capabilities").await.ok()["rights"], json!([]));
}

#[tokio::test]
async fn metrics_need_a_right_if_there_are_tokens() {
    let server = start(services(), tenants()).await;
    server.get("/metrics").await.problem(401);
    server.with_token(ACME).get("/metrics").await.problem(403);
    assert_eq!(server.with_token(ADMIN).get("/metrics").await.status, 200);
}

#[test]
fn weak_and_repeated_tokens_are_refused() {
    let message = |tokens: &[(&str, &str)]| {
        let tokens = tokens.iter().map(|(name, token)| AccessToken::new(*name, *token));
        let config = ServerConfig::new().with_tokens(tokens);
        Server::new(services(), config).unwrap_err().to_string()
    };
    assert!(message(&[("a", "short")]).contains("is too short"));
    assert!(message(&[("a", "with white space in it")]).contains("other characters"));
    assert!(message(&[("a", ACME), ("a", ADMIN)]).contains("the name `a` twice"));
    assert!(message(&[("a", ACME), ("b", ACME)]).contains("the token of `b` twice"));
}

#[test]
fn a_filter_that_a_source_lacks_is_refused() {
    let token = AccessToken::new("a", ACME).with_fixed_filter("tenant = 1".parse().unwrap());
    let error = Server::new(services(), ServerConfig::new().with_token(token)).unwrap_err();
    assert!(matches!(error, ServerError::UnsupportedFilter { .. }), "{error}");
}

#[test]
fn nobody_writes_without_a_token() {
    let mut config = ServerConfig::new();
    config.anonymous_rights = [Right::Upsert].into();
    let error = Server::new(services(), config).unwrap_err();
    assert!(error.to_string().contains("only a token may write"), "{error}");
}
