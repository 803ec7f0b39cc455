//! Several nodes, and connections that break.

use std::{net::TcpListener, time::Duration};

use textsearch_conformance::Server;
use textsearch_qdrant::{Error, ErrorKind, QdrantConfig, QdrantStore, vector::VectorStore as _};

use tokio::time::Instant;
use tonic::Status;

use crate::recorder::{Listening, collection, definition, record};

async fn nobody() -> String {
    Server::nowhere().await.as_str().trim_end_matches('/').to_owned()
}

/// Accepts connections, but never responds.
struct Silent(TcpListener);

impl Silent {
    fn listening() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        Self(listener)
    }

    fn url(&self) -> String {
        format!("http://{}", self.0.local_addr().unwrap())
    }

    fn connections(&self) -> usize {
        std::iter::from_fn(|| self.0.accept().ok()).count()
    }
}

#[tokio::test]
async fn fails_over_from_unreachable_node() {
    let server = Listening::start().await;
    let config = QdrantConfig::new(nobody().await).with_node(&server.url).with_max_attempts(1);
    let docs = collection(config);
    assert!(docs.exists().await.unwrap());
    docs.upsert(vec![record("a")]).await.unwrap();
    assert_eq!(server.log.lock().unwrap().requests, 2);
}

#[tokio::test]
async fn missing_server_is_unavailable() {
    let url = nobody().await;
    let config = QdrantConfig::new(&url).with_max_attempts(2);
    let config = config.with_backoff(Duration::from_millis(1), Duration::from_millis(1));
    let error = collection(config).exists().await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Unavailable, "{error}");
    assert!(error.message().contains(&url), "{error}");
}

#[tokio::test]
async fn fails_over_from_broken_connection() {
    let first = Listening::start().await;
    let url = first.url.clone();
    let second = Listening::start().await;
    let config = QdrantConfig::new(url).with_node(&second.url).with_connections(1);
    let store = QdrantStore::new(config).unwrap();
    let docs = store.stored_collection("docs", definition()).unwrap();
    assert!(docs.exists().await.unwrap());
    drop(first);
    assert!(docs.exists().await.unwrap());
    assert_eq!(second.log.lock().unwrap().requests, 1);
}

#[tokio::test]
async fn creating_a_store_sends_nothing() {
    let server = Listening::start().await;
    drop(collection(server.config()));
    assert_eq!(server.log.lock().unwrap().requests, 0);
}

#[tokio::test]
async fn fails_over_from_silent_node() {
    let silent = Silent::listening();
    let server = Listening::start().await;
    let config = QdrantConfig::new(silent.url()).with_node(&server.url).with_max_attempts(1);
    let docs = collection(config.with_timeout(Duration::from_secs(3)));
    assert!(docs.exists().await.unwrap());
    assert!(silent.connections() > 0);
    docs.upsert(vec![record("a")]).await.unwrap();
    assert_eq!((silent.connections(), server.log.lock().unwrap().requests), (0, 2));
}

#[tokio::test]
async fn silent_nodes_leave_time_for_later_nodes() {
    let first = Silent::listening();
    let second = Silent::listening();
    let server = Listening::start().await;
    let config = QdrantConfig::new(first.url()).with_node(second.url()).with_node(&server.url);
    let all = Duration::from_secs(9);
    let docs = collection(config.with_total_timeout(all).with_timeout(all));
    docs.upsert(vec![record("a")]).await.unwrap();
    assert_eq!(server.log.lock().unwrap().requests, 1);
}

#[tokio::test]
async fn failed_node_is_not_tried_first_again() {
    let server = Listening::start().await;
    let silent = Silent::listening();
    let config = server.config().with_node(silent.url()).with_max_attempts(1);
    let store = QdrantStore::new(config.with_timeout(Duration::from_secs(2))).unwrap();
    let docs = store.stored_collection("docs", definition()).unwrap();
    // The client itself makes one retry.
    server.fail([Some(Status::unavailable("later")), Some(Status::unavailable("later"))]);
    let error = docs.exists().await.unwrap_err();
    assert!(error.message().contains(&silent.url()), "{error}");
    assert_eq!(store.client().unwrap().config.uri, server.url);
}

#[tokio::test]
async fn unanswered_request_ends_with_total_timeout() {
    let silent = Silent::listening();
    let config = QdrantConfig::new(silent.url()).with_timeout(Duration::from_millis(400));
    let config = config.with_backoff(Duration::from_millis(1), Duration::from_millis(1));
    let docs =
        collection(config.with_max_attempts(1_000).with_total_timeout(Duration::from_secs(1)));
    let began = Instant::now();
    let error = docs.exists().await.unwrap_err();
    let took = began.elapsed();
    // Two attempts, and no third in the remaining time.
    assert!((700..20_000).contains(&took.as_millis()), "{took:?}");
    assert_eq!(*error.kind(), ErrorKind::Timeout, "{error}");
    assert!(error.message().starts_with("no answer in time: "), "{error}");
    assert!(error.message().contains(&silent.url()), "{error}");
}

/// Requests TLS, which the node doesn't speak.
async fn encrypted(url: &str) -> Error {
    let url = url.replacen("http://", "https://", 1);
    let config = QdrantConfig::new(url).with_max_attempts(1).with_timeout(Duration::from_secs(2));
    let docs = collection(config.with_connect_timeout(Duration::from_secs(2)));
    let asked = tokio::time::timeout(Duration::from_secs(20), docs.exists());
    asked.await.unwrap().unwrap_err()
}

#[tokio::test]
async fn https_never_falls_back_to_plain_text() {
    let server = Listening::start().await;
    let error = encrypted(&server.url).await;
    assert_eq!(*error.kind(), ErrorKind::Unavailable, "{error}");
    assert_eq!(server.log.lock().unwrap().requests, 0);
}

#[tokio::test]
async fn silent_tls_handshake_times_out() {
    let silent = Silent::listening();
    let error = encrypted(&silent.url()).await;
    assert!(error.is_retryable(), "{error}");
    assert!(silent.connections() > 0);
}
