//! Health, metrics, headers and unknown paths.

use http::Request;
use http_body_util::{BodyExt as _, Full};
use serde_json::json;
use textsearch_server::{Server, ServerConfig};
use tower_service::Service as _;

use crate::support::{plain, services};

#[tokio::test]
async fn health_needs_no_token() {
    assert_eq!(plain().await.get("/health").await.ok(), json!({ "status": "ok" }));
}

#[tokio::test]
async fn metrics_count_requests_by_route() {
    let server = plain().await;
    server.post("/v1/search", json!({ "query": "x" })).await.ok();
    server.get("/nowhere/else").await.problem(404);
    let text = server.get("/metrics").await.text;
    let count = r#"textsearch_request_duration_seconds_count{route="/v1/search",method="POST",status="200"} 1"#;
    assert!(text.contains(count), "{text}");
    assert!(text.contains("textsearch_results_total 3"), "{text}");
    assert!(text.contains(r#"route="none",method="GET",status="404""#), "{text}");
    assert!(!text.contains("nowhere"), "{text}");
}

#[tokio::test]
async fn unknown_paths_and_methods_are_problems() {
    let server = plain().await;
    server.get("/v2/search").await.problem(404);
    server.get("/v1/search").await.problem(405);
    server.post("/query", json!({ "queries": [] })).await.problem(404);
}

#[tokio::test]
async fn browsers_may_not_misuse_responses() {
    let server = plain().await;
    for answer in [server.get("/v1/capabilities").await, server.get("/x").await] {
        assert_eq!(answer.headers["x-content-type-options"], "nosniff");
        assert_eq!(answer.headers["cache-control"], "no-store");
        let policy = "default-src 'none'; frame-ancestors 'none'";
        assert_eq!(answer.headers["content-security-policy"], policy);
    }
}

#[tokio::test]
async fn a_server_mounts_as_a_service() {
    let mut service = Server::new(services(), ServerConfig::new()).unwrap().service();
    let request = Request::get("/health").header("host", "localhost");
    let response = service.call(request.body(Full::<bytes::Bytes>::default()).unwrap()).await;
    let body = response.unwrap().into_body().collect().await.unwrap().to_bytes();
    assert_eq!(body, r#"{"status":"ok"}"#);
}
