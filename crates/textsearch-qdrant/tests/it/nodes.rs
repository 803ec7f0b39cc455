//! Several nodes, and connections that break.

use std::time::Duration;

use textsearch_qdrant::{ErrorKind, QdrantConfig, QdrantStore, vector::VectorStore as _};

use crate::recorder::{Listening, collection, definition, record};

/// The address of a port where nobody listens.
async fn nobody() -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

#[tokio::test]
async fn the_next_node_is_asked_where_one_cannot_be_reached() {
    let server = Listening::start().await;
    let config = QdrantConfig::new(nobody().await).with_node(&server.url).with_max_attempts(1);
    let docs = collection(config);
    assert!(docs.exists().await.unwrap());
    docs.upsert(vec![record("a")]).await.unwrap();
    assert_eq!(server.log.lock().unwrap().requests, 2);
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unavailable() {
    let url = nobody().await;
    let config = QdrantConfig::new(&url).with_max_attempts(2);
    let config = config.with_backoff(Duration::from_millis(1), Duration::from_millis(1));
    let error = collection(config).exists().await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Unavailable, "{error}");
    assert!(error.message().contains(&url), "{error}");
}

#[tokio::test]
async fn a_connection_that_broke_is_made_again() {
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
async fn making_a_store_asks_nothing() {
    let server = Listening::start().await;
    drop(collection(server.config()));
    assert_eq!(server.log.lock().unwrap().requests, 0);
}
