use textsearch_conformance::Server;
use textsearch_tavily::{ErrorKind, SearchOptions, TavilyTextSearch, TextSearchConnector};

use crate::support::{answer, config};

const URLS: [&str; 5] =
    ["https://a.com/", "https://b.com/", "https://b.com/", "https://c.com/", "https://d.com/"];

async fn links(server: &Server, options: SearchOptions) -> Vec<String> {
    let search = TavilyTextSearch::new(config(server)).unwrap();
    let results = search.records("rust", &options).await.unwrap();
    results.into_vec().await.unwrap().into_iter().map(|page| page.url).collect()
}

#[tokio::test]
async fn skipped_results_are_requested_and_dropped() {
    let server = Server::of([answer(&URLS)]).await;
    let read = links(&server, SearchOptions::top(2).with_skip(1)).await;
    assert_eq!(read, ["https://b.com/", "https://c.com/"]);
    assert_eq!(server.requests().len(), 1);
    assert_eq!(server.requests()[0].json()["max_results"], 3);
}

#[tokio::test]
async fn surplus_results_are_dropped() {
    let server = Server::of([answer(&URLS)]).await;
    assert_eq!(links(&server, SearchOptions::top(1)).await, ["https://a.com/"]);
}

#[tokio::test]
async fn skip_plus_top_beyond_20_is_rejected() {
    let server = Server::of([answer(&URLS)]).await;
    let search = TavilyTextSearch::new(config(&server)).unwrap();
    let options = SearchOptions::top(11).with_skip(10);
    let error = search.records("rust", &options).await.unwrap_err();
    assert_eq!(error.to_string(), "tavily: `skip + top` is 10 + 11; expected at most 20");
    assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }));
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test]
async fn a_top_of_zero_sends_no_request() {
    let server = Server::of([answer(&URLS)]).await;
    assert!(links(&server, SearchOptions::top(0)).await.is_empty());
    assert_eq!(server.requests().len(), 0);
}
