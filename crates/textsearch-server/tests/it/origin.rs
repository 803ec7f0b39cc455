//! Hosts and origins.

use reqwest::Method;
use serde_json::json;
use textsearch_server::{Server, ServerConfig};

use crate::support::{TestServer, plain, send, services, start};

async fn status(server: &TestServer, name: &'static str, value: &str) -> u16 {
    let request = server.request(Method::POST, "/v1/search").json(&json!({ "query": "x" }));
    send(request.header(name, value)).await.status.as_u16()
}

#[tokio::test]
async fn another_host_is_refused() {
    let server = plain().await;
    assert_eq!(status(&server, "host", "rebound.example").await, 403);
    assert_eq!(status(&server, "host", "localhost:1").await, 200);
    assert_eq!(status(&server, "host", "[::1]:1").await, 200);
    let config = ServerConfig::new().with_allowed_hosts(["search.example"]);
    let server = start(services(), config).await;
    assert_eq!(status(&server, "host", "127.0.0.1").await, 403);
    assert_eq!(status(&server, "host", "Search.example:443").await, 200);
}

#[tokio::test]
async fn pages_of_other_origins_are_refused() {
    let server = plain().await;
    for origin in ["https://evil.example", "null", "http://127.0.0.1", "http://localhost:1"] {
        assert_eq!(status(&server, "origin", origin).await, 403, "{origin}");
    }
    let own = server.url.clone();
    assert_eq!(status(&server, "origin", &own).await, 200);
}

#[tokio::test]
async fn a_listed_page_may_read_responses() {
    let config = ServerConfig::new().with_allowed_origins(["https://app.example"]);
    let server = start(services(), config).await;
    let request = server.request(Method::OPTIONS, "/v1/search");
    let answer = send(
        request
            .header("origin", "https://app.example")
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "authorization,content-type"),
    )
    .await;
    assert_eq!(answer.headers["access-control-allow-origin"], "https://app.example");
    assert_eq!(status(&server, "origin", "https://app.example").await, 200);
    assert_eq!(status(&server, "origin", "https://app.example:443").await, 200);
    assert_eq!(status(&server, "origin", "http://app.example").await, 403);
}

#[test]
fn an_origin_that_is_none_is_refused() {
    for wrong in ["app.example", "https://app.example/path", "*"] {
        let config = ServerConfig::new().with_allowed_origins([wrong]);
        let error = Server::new(services(), config).unwrap_err().to_string();
        assert_eq!(
            error,
            format!(
                "the setting `allowed_origins` has `{wrong}`; expected one such as https://app.example"
            )
        );
    }
}

#[tokio::test]
async fn an_own_page_may_call_mcp() {
    let server = plain().await;
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} });
    let request = server.request(Method::POST, "/mcp").json(&body);
    let request = request.header("accept", "application/json, text/event-stream");
    let own = server.url.clone();
    assert_eq!(send(request.header("origin", own)).await.status, 200);
}
