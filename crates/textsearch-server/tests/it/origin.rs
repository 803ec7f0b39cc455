//! Hosts and origins.

use reqwest::Method;
use serde_json::json;
use textsearch_server::{Server, ServerConfig};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::support::{ACME, TestServer, plain, send, services, start, tenants};

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
    let own = server.url.clone();
    let host = own.strip_prefix("http://").unwrap();
    let (bare, other) = (format!("//{host}"), format!("ftp://{host}"));
    for origin in [
        "https://evil.example",
        "null",
        "http://127.0.0.1",
        "http://localhost:1",
        host,
        &bare,
        &other,
    ] {
        assert_eq!(status(&server, "origin", origin).await, 403, "{origin}");
    }
    assert_eq!(status(&server, "origin", &own).await, 200);
}

/// Sends one search with these lines in its head. Returns the status.
async fn status_of_head(server: &TestServer, target: &str, lines: &[&str]) -> String {
    let mut stream = TcpStream::connect(server.url.strip_prefix("http://").unwrap()).await.unwrap();
    let body = r#"{"query":"x"}"#;
    let head = format!(
        "POST {target} HTTP/1.1\r\n{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        lines.join("\r\n"),
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).await.unwrap();
    response.split(' ').nth(1).unwrap().to_owned()
}

#[tokio::test]
async fn requests_that_name_two_hosts_or_origins_are_refused() {
    let server = plain().await;
    let (host, page) = ("Host: localhost", "Origin: http://localhost");
    for (target, lines, expected) in [
        ("/v1/search", &[host, page][..], "200"),
        ("http://localhost/v1/search", &[host], "200"),
        ("http://localhost/v1/search", &["Host: evil.example"], "403"),
        ("http://evil.example/v1/search", &[host], "403"),
        ("/v1/search", &["Host: evil@127.0.0.1"], "403"),
        ("/v1/search", &[host, "Host: evil.example"], "403"),
        ("/v1/search", &[host, page, "Origin: https://evil.example"], "403"),
    ] {
        assert_eq!(status_of_head(&server, target, lines).await, expected, "{target} {lines:?}");
    }
}

#[tokio::test]
async fn a_token_sent_twice_is_refused() {
    let server = start(services(), tenants()).await;
    let right = format!("Authorization: Bearer {ACME}");
    let send = |lines: Vec<String>| {
        let server = &server;
        async move {
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            status_of_head(server, "/v1/search", &lines).await
        }
    };
    let host = "Host: localhost".to_owned();
    assert_eq!(send(vec![host.clone(), right.clone()]).await, "200");
    assert_eq!(send(vec![host, right, "Authorization: Bearer wrong".to_owned()]).await, "401");
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
