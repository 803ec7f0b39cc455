//! Hostile requests.

use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use textsearch_server::ServerConfig;

use crate::support::{TestServer, plain, send, services, start};

async fn with_large_templates() -> TestServer {
    let mut config = ServerConfig::new();
    config.max_template_bytes = 64 << 10;
    start(services(), config).await
}

#[tokio::test]
async fn a_deep_filter_is_refused() {
    let server = plain().await;
    let mut filter = json!({ "field": "Name", "operator": "eq", "value": "x" });
    for _ in 0..100 {
        filter = json!({ "not": filter });
    }
    let problem = server.post("/v1/search", json!({ "query": "x", "filter": filter })).await;
    assert!(problem.problem(400)["detail"].as_str().unwrap().contains("at most 64 levels"));
    let text = format!("{}Name = \"x\"", "not ".repeat(10_000));
    server.post("/v1/search", json!({ "query": "x", "filter": text })).await.problem(400);
    let body = format!("{{\"query\":\"x\",\"filter\":{}", "{\"not\":".repeat(100_000));
    let request = server.request(Method::POST, "/v1/search").body(body);
    send(request.header("content-type", "application/json")).await.problem(400);
}

#[tokio::test]
async fn huge_numbers_are_refused() {
    let server = plain().await;
    for number in ["18446744073709551615", "18446744073709551616", "-1", "1e99", "1.5"] {
        for member in ["top", "skip"] {
            let body = format!("{{\"query\":\"x\",\"{member}\":{number}}}");
            let request = server.request(Method::POST, "/v1/search").body(body);
            send(request.header("content-type", "application/json")).await.problem(400);
        }
    }
}

#[tokio::test]
async fn template_bombs_are_defused() {
    let server = with_large_templates().await;
    let many = "{{#each (range 1 99999)}}{{#each (range 1 99999)}}x{{/each}}{{/each}}";
    let doubling =
        format!("{{{{set \"x\" \"0123456789\"}}}}{}", "{{set \"x\" (concat x x)}}".repeat(60));
    let sums = format!("{{{{{} 1{}}}}}", "add (".repeat(50), ")".repeat(50));
    for template in [many, &doubling, &sums] {
        let problem = server.post("/v1/prompt", json!({ "template": template })).await.problem(400);
        assert!(problem["line"].is_number(), "{problem}");
    }
    let body = json!({
        "template": "{{$x}}".repeat(10_000), "format": "semantic-kernel",
        "arguments": { "x": "x".repeat(100_000) },
    });
    server.post("/v1/prompt", body).await.problem(400);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn deeply_nested_templates_do_not_exhaust_the_stack() {
    let server = with_large_templates().await;
    let depth = 10_000;
    for template in [
        format!("{{{{{}x{}}}}}", "a (".repeat(depth), ")".repeat(depth)),
        format!("{}{}", "{{#if a}}".repeat(3_000), "{{/if}}".repeat(3_000)),
        "{{#each".repeat(9_000),
        "{{!--".repeat(depth),
        "<message>".repeat(5_000),
    ] {
        let answer = server.post("/v1/prompt", json!({ "template": template })).await;
        assert!([200, 400].contains(&answer.status.as_u16()), "{}", answer.text);
    }
    assert_eq!(server.get("/health").await.status, 200);
}

#[tokio::test]
async fn line_breaks_stay_in_their_strings() {
    let server = plain().await;
    let name = "x\r\nSet-Cookie: a=b\r\n\r\n";
    let answer = server.post("/v1/search", json!({ "query": name, "source": name })).await;
    assert!(!answer.headers.contains_key("set-cookie"));
    answer.problem(400);
    let body = json!({ "template": "{{x}}", "arguments": { "x": name } });
    assert_eq!(server.post("/v1/prompt", body).await.ok()["text"], name);
}

#[tokio::test]
async fn a_request_with_two_hosts_is_refused() {
    let server = plain().await;
    let address = server.url.strip_prefix("http://").unwrap();
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let request = "GET /v1/capabilities HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\
                   Connection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).await.unwrap();
    assert!(response.starts_with("HTTP/1.1 40"), "{response}");
}

#[tokio::test]
async fn broken_json_has_a_position() {
    let server = plain().await;
    let request = server.request(Method::POST, "/v1/search").body("{\"query\":\n oops}");
    let problem = send(request.header("content-type", "application/json")).await.problem(400);
    assert_eq!((&problem["line"], &problem["column"]), (&json!(2), &json!(2)));
    assert_ne!(problem["detail"], Value::Null);
}
