//! Dropping a run halfway leaves nothing behind.

use std::{future::Future, sync::Arc, time::Duration};

use serde_json::json;
use textsearch_conformance::{
    Action, Server,
    chat::{Fault, Turn},
};
use textsearch_core::{FixedSearch, TextSearchResult};
use textsearch_kernel::{KernelPlugin, TextSearchPlugins as _, chat::ChatEvent};
use textsearch_searxng::{SearxngConfig, SearxngTextSearch};

use crate::support::{Talk, auto, question};

fn plugin() -> KernelPlugin {
    FixedSearch::new([TextSearchResult::new("It.")]).create_with_search("Web").unwrap()
}

fn call() -> Turn {
    Turn::tool_call("Web-Search", &json!({ "query": "it" }))
}

fn stalled() -> Turn {
    Turn::text("It is it. ".repeat(40)).with_fault(Fault::Stall)
}

async fn soon(future: impl Future<Output = ()>) {
    tokio::time::timeout(Duration::from_secs(10), future).await.expect("it was to happen soon");
}

#[tokio::test]
async fn dropping_the_future_closes_the_connection() {
    let talk = Talk::with([call(), stalled()], [plugin()]).await;
    let run = tokio::spawn({
        let kernel = talk.kernel.clone();
        async move { kernel.chat(question(), auto()).await }
    });
    soon(async {
        while talk.model.requests().len() < 2 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    })
    .await;
    assert_eq!(talk.model.hung_up(), 0);
    run.abort();
    soon(talk.model.wait_for_disconnects(1)).await;
    talk.model.assert_valid();
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    let talk = Talk::with([call(), stalled()], [plugin()]).await;
    let mut events = talk.kernel.chat_streaming(question(), auto()).await.unwrap();
    while !matches!(events.next().await.unwrap().unwrap(), ChatEvent::Text(_)) {}
    assert_eq!(talk.model.hung_up(), 0);
    drop(events);
    soon(talk.model.wait_for_disconnects(1)).await;
}

#[tokio::test]
async fn dropping_the_run_stops_its_search() {
    let engine = Server::start(|_, _| Action::Stall(b"HTTP/1.1 200 OK\r\n".to_vec())).await;
    let config = SearxngConfig::new(engine.endpoint().base())
        .with_http_settings(engine.endpoint().http_settings().clone());
    let search = Arc::new(SearxngTextSearch::new(config).unwrap());
    let talk = Talk::with([call()], [search.create_with_search("Web").unwrap()]).await;
    let mut events = talk.kernel.chat_streaming(question(), auto()).await.unwrap();
    assert!(matches!(events.next().await, Some(Ok(ChatEvent::CallStarted { .. }))));
    let asked = tokio::select! {
        _ = events.next() => false,
        () = engine.until_asked(1) => true,
    };
    assert!(asked, "the search does not end by itself");
    drop(events);
    soon(engine.wait_for_disconnects(1)).await;
    assert_eq!(talk.model.requests().len(), 1);
}
