//! Limits of size, time and concurrency.

use std::time::Duration;

use serde_json::json;
use textsearch_server::{AccessToken, SearchSource, Server, ServerConfig, Services};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::Instant,
};

use crate::support::{ACME, Endless, GLOBEX, TestServer, services, start};

#[tokio::test]
async fn a_large_body_is_refused() {
    let mut config = ServerConfig::new();
    config.max_body_bytes = 1_000;
    let server = start(services(), config).await;
    let body = json!({ "query": "x".repeat(2_000) });
    server.post("/v1/search", body).await.problem(413);
}

#[tokio::test]
async fn a_filter_has_at_most_a_thousand_values() {
    let server = start(services(), ServerConfig::new()).await;
    let search = async |filter: String| {
        server.post("/v1/search", json!({ "query": "x", "filter": filter })).await
    };
    let joined = |count| vec!["Source = \"acme\""; count].join(" or ");
    search(joined(1_000)).await.ok();
    let problem = search(joined(1_001)).await.problem(400);
    assert_eq!(problem["allowed"], json!(["at most 1000"]));
    search(format!("Source in ({})", vec!["\"acme\""; 1_001].join(", "))).await.problem(400);
}

#[tokio::test]
async fn a_rendered_prompt_is_limited_as_json() {
    let mut config = ServerConfig::new();
    config.max_response_bytes = 10_000;
    let server = start(services(), config).await;
    let render = async |control: String| {
        let arguments = json!({ "x": control });
        server.post("/v1/prompt", json!({ "template": "{{x}}", "arguments": arguments })).await
    };
    render("a".repeat(4_000)).await.ok();
    render("\u{1}".repeat(4_000)).await.problem(413);
}

#[tokio::test]
async fn a_slow_search_is_stopped() {
    let endless = Endless::default();
    let services = Services::new().with_source(SearchSource::new("docs", endless.clone()));
    let mut config = ServerConfig::new();
    config.request_timeout = Duration::from_secs(1);
    let server = start(services, config).await;
    let problem = server.post("/v1/search", json!({ "query": "x" })).await.problem(504);
    assert_eq!(problem["detail"], "the request took longer than 1 s and was stopped");
    let dropped = endless.dropped.notified();
    tokio::time::timeout(Duration::from_secs(30), dropped).await.unwrap();
    server.post("/v1/prompt", json!({ "template": "{{docs-Search 'x'}}" })).await.problem(504);
}

#[tokio::test]
async fn too_many_requests_at_once_are_refused() {
    let endless = Endless::default();
    let services = Services::new().with_source(SearchSource::new("docs", endless.clone()));
    let mut config = ServerConfig::new();
    config.max_concurrent_requests = 1;
    let server = start(services, config).await;
    let body = json!({ "query": "x" });
    let first =
        tokio::spawn(server.request(reqwest::Method::POST, "/v1/search").json(&body).send());
    endless.started.notified().await;
    let answer = server.post("/v1/search", body).await;
    assert_eq!(answer.headers["retry-after"], "1");
    answer.problem(503);
    assert_eq!(server.get("/health").await.status, 200);
    first.abort();
    endless.dropped.notified().await;
    assert_eq!(server.get("/v1/capabilities").await.status, 200);
}

#[tokio::test]
async fn a_token_holds_at_most_half_of_the_places() {
    let endless = Endless::default();
    let services = Services::new().with_source(SearchSource::new("docs", endless.clone()));
    let mut config = ServerConfig::new()
        .with_token(AccessToken::new("acme", ACME))
        .with_token(AccessToken::new("globex", GLOBEX));
    config.max_concurrent_requests = 2;
    let server = start(services, config).await;
    let acme = server.with_token(ACME);
    let globex = server.with_token(GLOBEX);
    let body = json!({ "query": "x" });
    let first = acme.request(reqwest::Method::POST, "/v1/search").json(&body).send();
    let _first = tokio::spawn(first);
    endless.started.notified().await;
    let answer = acme.post("/v1/search", body).await;
    assert_eq!(answer.headers["retry-after"], "1");
    answer.problem(429);
    assert_eq!(globex.get("/v1/capabilities").await.status, 200);
}

/// Opens a connection and sends a body of 100 bytes but for its end.
async fn drip(server: &TestServer, path: &str, sent: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(server.url.strip_prefix("http://").unwrap()).await.unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\
         Content-Type: application/json\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(sent).await.unwrap();
    stream
}

#[tokio::test]
async fn slow_bodies_hold_no_place() {
    let mut config = ServerConfig::new();
    config.max_concurrent_requests = 1;
    let server = start(services(), config).await;
    let mut dripping = Vec::new();
    for path in ["/mcp", "/v1/search", "/mcp"] {
        dripping.push(drip(&server, path, b"{").await);
    }
    server.post("/v1/search", json!({ "query": "x" })).await.ok();
}

#[tokio::test]
async fn a_slow_body_of_mcp_is_cut_off() {
    let mut config = ServerConfig::new();
    config.request_timeout = Duration::from_millis(50);
    let server = start(services(), config).await;
    let mut response = String::new();
    drip(&server, "/mcp", b"{").await.read_to_string(&mut response).await.unwrap();
    assert!(response.starts_with("HTTP/1.1 504"), "{response}");
}

#[tokio::test]
async fn bodies_that_arrive_have_a_limit_together() {
    let mut config = ServerConfig::new();
    config.max_concurrent_requests = 1;
    config.max_body_bytes = 100;
    let server = start(services(), config).await;
    let mut left = drip(&server, "/mcp", &[b' '; 90]).await;
    let mut right = drip(&server, "/mcp", &[b' '; 90]).await;
    // The server refuses the one that it reads last. The other still waits.
    let mut first = [0; 12];
    let mut second = [0; 12];
    let refused = tokio::select! {
        read = left.read_exact(&mut first) => { read.unwrap(); first }
        read = right.read_exact(&mut second) => { read.unwrap(); second }
    };
    assert_eq!(&refused, b"HTTP/1.1 503");
}

#[tokio::test]
async fn a_disconnect_drops_the_search() {
    let endless = Endless::default();
    let services = Services::new().with_source(SearchSource::new("docs", endless.clone()));
    let server = start(services, ServerConfig::new()).await;
    let request =
        server.request(reqwest::Method::POST, "/v1/search").json(&json!({ "query": "x" }));
    let running = tokio::spawn(request.send());
    endless.started.notified().await;
    running.abort();
    let dropped = endless.dropped.notified();
    tokio::time::timeout(Duration::from_secs(10), dropped).await.unwrap();
}

#[test]
fn a_limit_of_zero_is_refused() {
    let mut config = ServerConfig::new();
    config.max_top = 0;
    let error = Server::new(services(), config).unwrap_err();
    assert_eq!(error.to_string(), "the setting `max_top` is 0: expected 1 or more");
}

#[tokio::test]
async fn a_body_that_never_ends_is_cut_off() {
    let mut config = ServerConfig::new();
    config.request_timeout = Duration::from_millis(50);
    let server = start(services(), config).await;
    let mut response = String::new();
    drip(&server, "/v1/search", b"{").await.read_to_string(&mut response).await.unwrap();
    assert!(response.starts_with("HTTP/1.1 504"), "{response}");
}

#[tokio::test(start_paused = true)]
async fn half_a_head_does_not_keep_its_connection() {
    let server = start(services(), ServerConfig::new()).await;
    let address = server.url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let begun = Instant::now();
    stream.write_all(b"POST /v1/search HTTP/1.1\r\nHost: local").await.unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).await.unwrap();
    assert_eq!((response.as_str(), begun.elapsed().as_secs()), ("", 30));
}
