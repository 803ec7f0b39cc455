//! The server over HTTP.

use std::time::Duration;

use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};
use textsearch_kernel::textsearch_core::http::{HttpSettings, ReqwestTransport, Url};
use textsearch_mcp::{McpHttpConfig, McpServer};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::oneshot,
    time::Instant,
};

use crate::{
    support::{config, kernel, serve},
    tools::{eventually, watched},
};

fn server() -> McpServer {
    McpServer::new(kernel(), config()).unwrap()
}

struct Request<'a> {
    url: &'a Url,
    headers: Vec<(&'static str, &'a str)>,
    method: &'static str,
    params: Value,
}

impl<'a> Request<'a> {
    fn list(url: &'a Url) -> Self {
        Self { url, headers: Vec::new(), method: "tools/list", params: json!({}) }
    }

    fn with(mut self, name: &'static str, value: &'a str) -> Self {
        self.headers.push((name, value));
        self
    }

    async fn send(self) -> (StatusCode, String) {
        let body = json!({
            "jsonrpc": "2.0", "id": 1, "method": self.method, "params": self.params,
        });
        let client = ReqwestTransport::from_settings(&HttpSettings::default()).unwrap();
        let mut request = client
            .into_client()
            .post(self.url.as_str())
            .header(header::ACCEPT, "application/json, text/event-stream")
            .header(header::CONTENT_TYPE, "application/json")
            .body(body.to_string());
        for (name, value) in self.headers {
            request = request.header(name, value);
        }
        let response = request.send().await.unwrap();
        (response.status(), response.text().await.unwrap())
    }
}

async fn status(request: Request<'_>) -> StatusCode {
    request.send().await.0
}

#[tokio::test]
async fn a_request_stands_alone_without_a_session() {
    let url = serve(server(), McpHttpConfig::new()).await;
    let (status, body) = Request::list(&url).send().await;
    assert_eq!(status, StatusCode::OK, "{body}");
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(body["result"]["tools"][0]["name"], "Docs-GetSearchResults");
}

#[tokio::test]
async fn another_host_is_refused() {
    let url = serve(server(), McpHttpConfig::new()).await;
    let request = Request::list(&url).with("host", "rebound.example");
    assert_eq!(status(request).await, StatusCode::FORBIDDEN);

    let config = McpHttpConfig::new().with_allowed_hosts(["search.example"]);
    let url = serve(server(), config).await;
    assert_eq!(status(Request::list(&url)).await, StatusCode::FORBIDDEN);
    assert_eq!(status(Request::list(&url).with("host", "search.example")).await, StatusCode::OK);
}

#[tokio::test]
async fn a_web_page_is_refused_unless_allowed() {
    let url = serve(server(), McpHttpConfig::new()).await;
    for origin in ["https://evil.example", "null", "http://127.0.0.1", ""] {
        let request = Request::list(&url).with("origin", origin);
        assert_eq!(status(request).await, StatusCode::FORBIDDEN, "{origin}");
    }
    let config = McpHttpConfig::new().with_allowed_origins(["https://app.example:443"]);
    let url = serve(server(), config).await;
    let request = |origin| Request::list(&url).with("origin", origin);
    assert_eq!(status(request("https://app.example")).await, StatusCode::OK);
    assert_eq!(status(request("https://evil.example")).await, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn requests_that_name_two_callers_or_hosts_are_refused() {
    let config = McpHttpConfig::new()
        .with_allowed_origins(["https://app.example"])
        .with_bearer_token("s3cret");
    let url = serve(server(), config).await;
    let token = ("authorization", "Bearer s3cret");
    let page = ("origin", "https://app.example");
    for (headers, expected) in [
        (vec![token, page], StatusCode::OK),
        (vec![token, ("authorization", "Bearer wrong")], StatusCode::UNAUTHORIZED),
        (vec![token, page, ("origin", "https://evil.example")], StatusCode::FORBIDDEN),
        (vec![token, ("host", "evil@127.0.0.1")], StatusCode::FORBIDDEN),
    ] {
        let request = Request { headers: headers.clone(), ..Request::list(&url) };
        assert_eq!(status(request).await, expected, "{headers:?}");
    }
}

#[tokio::test]
async fn an_absolute_url_beside_another_host_is_refused() {
    let head =
        "POST http://localhost/mcp HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
    let (response, _) = begin(head).await;
    assert!(response.starts_with("HTTP/1.1 403"), "{response}");
}

#[tokio::test]
async fn an_allowed_page_may_read_the_answers() {
    let config = McpHttpConfig::new()
        .with_allowed_origins(["https://app.example"])
        .with_bearer_token("s3cret");
    let url = serve(server(), config).await;
    let client = ReqwestTransport::from_settings(&HttpSettings::default()).unwrap().into_client();
    let ask = |method: Method| {
        let request = client.request(method, url.as_str()).header("origin", "https://app.example");
        async move { request.send().await.unwrap() }
    };
    let preflight = ask(Method::OPTIONS).await;
    assert!(preflight.status().is_success(), "browsers send no token before");
    let allowed = preflight.headers();
    assert_eq!(allowed["access-control-allow-origin"], "https://app.example");
    let headers = allowed["access-control-allow-headers"].to_str().unwrap();
    assert!(headers.contains("authorization") && headers.contains("mcp-protocol-version"));

    let refused = ask(Method::POST).await;
    assert_eq!(refused.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(refused.headers()["access-control-allow-origin"], "https://app.example");
    assert_eq!(refused.headers()["vary"], "origin");
}

#[test]
fn settings_that_match_no_request_are_refused() {
    let refused = |config| server().http_service(config).unwrap_err().to_string();
    let config = McpHttpConfig::new().with_allowed_hosts([""; 0]);
    assert!(refused(config).contains("`allowed_hosts` is empty"));
    let config = McpHttpConfig::new().with_allowed_hosts(["https://x.example/"]);
    assert!(refused(config).contains("has `https://x.example/`; expected a host name"));
    for origin in ["app.example", "https://app.example/path", "file:///x", "*"] {
        let config = McpHttpConfig::new().with_allowed_origins([origin]);
        assert!(refused(config).contains("`allowed_origins` has"), "{origin}");
    }
    for token in ["", "a b", "ä"] {
        assert!(refused(McpHttpConfig::new().with_bearer_token(token)).contains("`bearer_token`"));
    }
}

#[tokio::test]
async fn only_the_token_opens_a_server_with_one() {
    let url = serve(server(), McpHttpConfig::new().with_bearer_token("s3cret")).await;
    let with = |value| Request::list(&url).with("authorization", value);
    assert_eq!(status(Request::list(&url)).await, StatusCode::UNAUTHORIZED);
    for wrong in ["Bearer s3cre", "Bearer s3cret2", "Bearer ", "Basic s3cret", "s3cret"] {
        assert_eq!(status(with(wrong)).await, StatusCode::UNAUTHORIZED, "{wrong}");
    }
    assert_eq!(status(with("Bearer s3cret")).await, StatusCode::OK);
    assert_eq!(status(with("bearer s3cret")).await, StatusCode::OK);
}

#[tokio::test]
async fn a_large_request_is_refused() {
    let mut config = McpHttpConfig::new();
    config.max_body_bytes = 1_000;
    let url = serve(server(), config).await;
    let mut request = Request::list(&url);
    request.params = json!({ "cursor": "x".repeat(2_000) });
    assert_eq!(status(request).await, StatusCode::PAYLOAD_TOO_LARGE);
}

#[test]
fn debug_shows_no_token() {
    let config = McpHttpConfig::new().with_bearer_token("s3cret");
    let service = server().http_service(config.clone()).unwrap();
    assert!(!format!("{config:?}{service:?}").contains("s3cret"));
}

#[tokio::test]
async fn shutdown_lets_running_calls_finish() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("http://{}/mcp", listener.local_addr().unwrap())).unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let mut config = config();
    config.call_timeout = Duration::from_millis(500);
    let (kernel, events) = watched();
    let server = McpServer::new(kernel, config).unwrap();
    let serving = tokio::spawn(async move {
        let shutdown = async { drop(stopped.await) };
        server.serve_http(listener, McpHttpConfig::new(), shutdown).await
    });
    let mut request = Request::list(&url);
    (request.method, request.params) = ("tools/call", json!({ "name": "Tools-Hang" }));
    let stopping = async {
        eventually(|| *events.lock().unwrap() == ["started"]).await;
        stop.send(()).unwrap();
    };
    let ((status, body), ()) = tokio::join!(request.send(), stopping);
    assert_eq!(status, StatusCode::OK);
    assert!(body.contains("took longer than 0.5 s"), "{body}");
    serving.await.unwrap().unwrap();
}

/// Sends the beginning of a request. Returns the response, and the seconds until the server closed
/// the connection.
async fn begin(request: &str) -> (String, u64) {
    let url = serve(server(), McpHttpConfig::new()).await;
    let mut stream = TcpStream::connect(url.socket_addrs(|| None).unwrap()[0]).await.unwrap();
    let begun = Instant::now();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).await.unwrap();
    (response, begun.elapsed().as_secs())
}

#[tokio::test(start_paused = true)]
async fn half_a_head_does_not_keep_its_connection() {
    let (response, seconds) = begin("POST /mcp HTTP/1.1\r\nHost: local").await;
    assert_eq!((response.as_str(), seconds), ("", 30));
}

#[tokio::test(start_paused = true)]
async fn an_idle_connection_is_closed() {
    assert_eq!(begin("").await, (String::new(), 30));
}

#[tokio::test(start_paused = true)]
async fn half_a_body_does_not_keep_its_connection() {
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\
                Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
                Connection: close\r\n\r\n{";
    let (response, seconds) = begin(head).await;
    assert!(response.starts_with("HTTP/1.1 408"), "{response}");
    // The time of a call, and ten seconds to send it.
    assert_eq!(seconds, 70);
}

#[tokio::test]
async fn a_huge_head_is_refused() {
    let head =
        format!("POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n", "x".repeat(1 << 20));
    let url = serve(server(), McpHttpConfig::new()).await;
    let mut stream = TcpStream::connect(url.socket_addrs(|| None).unwrap()[0]).await.unwrap();
    // The server may close the connection before it has read everything.
    let _sent = stream.write_all(head.as_bytes()).await;
    let mut response = [0; 12];
    if stream.read_exact(&mut response).await.is_ok() {
        assert_eq!(&response, b"HTTP/1.1 431");
    }
}

#[tokio::test]
async fn an_idle_connection_does_not_hold_up_the_shutdown() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = server();
    let serving = server.serve_http(listener, McpHttpConfig::new(), async {});
    let mut idle = TcpStream::connect(address).await.unwrap();
    idle.write_all(b"POST /mcp HTTP/1.1\r\nHost: local").await.unwrap();
    tokio::time::timeout(Duration::from_secs(20), serving).await.unwrap().unwrap();
}
