//! Errors that callers get for the server's responses.

use std::time::Duration;

use textsearch_qdrant::{ErrorKind, Filter, vector::ScanOptions, vector::VectorSearchOptions};
use tonic::{Code, Status, metadata::MetadataMap};

use crate::recorder::{Listening, collection};

const KEY: &str = "sesame-open-1234";

async fn error(server: &Listening, status: Status) -> textsearch_qdrant::Error {
    server.fail([Some(status.clone()), Some(status)]);
    let docs = collection(server.config().with_api_key(KEY).with_max_attempts(1));
    docs.exists().await.unwrap_err()
}

#[tokio::test]
async fn key_is_sent_and_never_shown() {
    let server = Listening::start().await;
    let refused = error(&server, Status::unauthenticated(format!("{KEY} is wrong"))).await;
    assert_eq!(*refused.kind(), ErrorKind::Authentication);
    assert!(!format!("{refused} {refused:?}").contains(KEY), "{refused:?}");
    assert_eq!(server.log.lock().unwrap().keys, [Some(KEY.to_owned())]);
}

#[tokio::test]
async fn error_names_missing_collection() {
    let server = Listening::start().await;
    let missing =
        error(&server, Status::not_found("Not found: Collection `docs` doesn't exist!")).await;
    assert_eq!(*missing.kind(), ErrorKind::collection_not_found("docs"));
}

fn too_much(seconds: &str) -> Status {
    let mut metadata = MetadataMap::new();
    metadata.insert("retry-after", seconds.parse().unwrap());
    Status::with_metadata(Code::ResourceExhausted, "too much", metadata)
}

#[tokio::test]
async fn error_has_retry_after_of_the_server() {
    let server = Listening::start().await;
    let limited = error(&server, too_much("3")).await;
    assert_eq!(*limited.kind(), ErrorKind::RateLimited);
    assert_eq!(limited.retry_after(), Some(Duration::from_secs(3)));
}

#[tokio::test]
async fn does_not_wait_longer_than_a_minute() {
    let server = Listening::start().await;
    server.fail([Some(too_much("61"))]);
    let docs = collection(server.config());
    let limited = tokio::time::timeout(Duration::from_secs(30), docs.exists()).await.unwrap();
    assert_eq!(limited.unwrap_err().retry_after(), Some(Duration::from_secs(61)));
    assert_eq!(server.log.lock().unwrap().requests, 1);
}

#[tokio::test]
async fn does_not_pause_without_time_for_another_attempt() {
    let server = Listening::start().await;
    server.fail([Some(too_much("28"))]);
    let total = Duration::from_secs(30);
    let docs = collection(server.config().with_total_timeout(total));
    let limited = tokio::time::timeout(Duration::from_secs(20), docs.exists()).await.unwrap();
    let limited = limited.unwrap_err();
    assert_eq!(*limited.kind(), ErrorKind::RateLimited, "{limited}");
    assert_eq!(limited.retry_after(), Some(Duration::from_secs(28)));
    assert_eq!(server.log.lock().unwrap().requests, 1);
}

#[tokio::test]
async fn permanent_failure_is_not_retried() {
    let server = Listening::start().await;
    server.fail([Some(Status::invalid_argument("Wrong input: dimension"))]);
    let failed = collection(server.config()).exists().await.unwrap_err();
    assert_eq!(*failed.kind(), ErrorKind::Backend);
    assert_eq!(failed.message(), "the server answered InvalidArgument: Wrong input: dimension");
    assert_eq!(server.log.lock().unwrap().requests, 1);
}

#[tokio::test]
async fn unsupported_filter_sends_no_request() {
    let server = Listening::start().await;
    let docs = collection(server.config());
    let long = Filter::lt("lang", "a".repeat(30));
    for filter in [long, Filter::eq("text", "a"), Filter::eq("unknown", 1)] {
        let scan = ScanOptions::default().with_filter(filter.clone());
        let refused = docs.scan(&scan).await.unwrap_err();
        assert!(matches!(refused.kind(), ErrorKind::UnsupportedFilter { .. }), "{refused}");
        let search = VectorSearchOptions::top(1).with_filter(filter.clone());
        assert!(docs.search(&vec![1.0, 0.0].into(), &search).await.is_err());
        assert!(docs.delete_matching(&filter).await.is_err());
    }
    assert_eq!(server.log.lock().unwrap().requests, 0);
}
