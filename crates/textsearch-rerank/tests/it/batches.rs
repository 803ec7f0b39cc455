use std::time::Duration;

use textsearch_conformance::{Action, RecordedRequest, Server};
use textsearch_rerank::{ErrorKind, RerankClient, RerankConfig, RerankFormat, Reranker as _};

use crate::support::{by_number, config, scores, texts};

fn sizes(server: &Server) -> Vec<usize> {
    let size = |request: &RecordedRequest| {
        let body = request.json();
        body["documents"].as_array().or(body["texts"].as_array()).unwrap().len()
    };
    let mut sizes: Vec<usize> = server.requests().iter().map(size).collect();
    sizes.sort_unstable();
    sizes
}

async fn server() -> Server {
    Server::start(|request, _| Action::Answer(by_number(request))).await
}

#[tokio::test]
async fn batches_keep_the_order_of_the_texts() {
    let server = server().await;
    let mut config = config(&server).with_batch_limits(5, 1000);
    config.concurrent_batches = 3;
    let expected: Vec<f64> = (0..23).map(f64::from).collect();
    assert_eq!(scores(config, 23).await.unwrap(), expected);
    assert_eq!(sizes(&server), [3, 5, 5, 5, 5]);
    assert!(server.max_concurrent() <= 3);
}

#[tokio::test]
async fn ten_thousand_texts_are_split_at_the_default_limit() {
    let server = server().await;
    let expected: Vec<f64> = (0..10_000).map(f64::from).collect();
    assert_eq!(scores(config(&server), 10_000).await.unwrap(), expected);
    assert_eq!(sizes(&server), [1000; 10]);
}

#[tokio::test]
async fn tei_gets_32_texts_at_once() {
    let server = Server::of([(429, r#"{ "error": "overloaded", "error_type": "Overloaded" }"#)]);
    let server = server.await;
    let mut config = config(&server).with_format(RerankFormat::Tei);
    config.concurrent_batches = 1;
    scores(config, 100).await.unwrap_err();
    assert_eq!(sizes(&server), [32]);
}

#[tokio::test]
async fn huge_texts_are_sent_alone() {
    let server = server().await;
    let mut config = config(&server);
    config.max_text_chars = 1_000_000;
    let client = RerankClient::new(config).unwrap();
    let huge = |number: usize| format!("text {}{number}", "0".repeat(600_000));
    let texts = [huge(1), huge(2), "text 3".to_owned(), "text 4".to_owned()];
    assert_eq!(client.rerank("a query", &texts).await.unwrap(), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(sizes(&server), [1, 3]);
}

#[tokio::test]
async fn texts_beyond_the_limit_are_cut() {
    let server = server().await;
    let client = RerankClient::new(config(&server)).unwrap();
    let texts = [format!("text 1{}", " ".repeat(5_000_000)), "text 2".to_owned()];
    assert_eq!(client.rerank("a query", &texts).await.unwrap(), [1.0, 2.0]);
    let sent = server.requests()[0].json()["documents"][0].as_str().unwrap().len();
    assert_eq!(sent, 100_000);
}

async fn failing(config: impl FnOnce(RerankConfig) -> RerankConfig) -> (ErrorKind, usize) {
    let server = Server::start(|request, _| match request.json()["documents"][0].as_str() {
        Some("text 0") => Action::AnswerAfter(Duration::from_secs(600), by_number(request)),
        Some("text 4") => Action::Answer((402, r#"{ "message": "pay" }"#).into()),
        _ => Action::Answer(by_number(request)),
    })
    .await;
    let error = scores(config(crate::support::config(&server)), 100).await.unwrap_err();
    (error.kind().clone(), server.count())
}

#[tokio::test]
async fn a_failure_ends_the_call_and_waits_for_no_other_batch() {
    let limits = |config: RerankConfig| {
        let mut config = config.with_batch_limits(2, 99);
        config.concurrent_batches = 2;
        config
    };
    let (kind, requests) = failing(limits).await;
    assert_eq!(kind, ErrorKind::QuotaExceeded);
    assert!(requests <= 4, "{requests}");
}

#[tokio::test]
async fn a_dropped_call_cancels_its_requests() {
    let server = Server::start(|_, _| Action::Stall(Vec::new())).await;
    let mut config = config(&server).with_batch_limits(1, 99);
    config.concurrent_batches = 3;
    let client = RerankClient::new(config).unwrap();
    let task = tokio::spawn(async move { client.rerank("a query", &texts(5)).await });
    server.until_asked(3).await;
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    tokio::time::timeout(Duration::from_secs(20), server.wait_for_disconnects(3)).await.unwrap();
    assert_eq!(server.count(), 3);
}
