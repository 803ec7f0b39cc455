use textsearch_brave::{BraveTextSearch, ErrorKind, SearchOptions, TextSearchConnector};
use textsearch_conformance::{Response, Server};

use crate::support::{answer, config};

async fn links(server: &Server, options: SearchOptions) -> Vec<String> {
    let search = BraveTextSearch::new(config(server)).unwrap();
    let results = search.records("rust", &options).await.unwrap();
    let pages = results.into_vec().await.unwrap();
    pages.into_iter().map(|page| page.url.replace("https://docs.rs/", "")).collect()
}

fn requested(server: &Server) -> Vec<(String, String)> {
    server
        .requests()
        .iter()
        .map(|asked| {
            (
                asked.parameter("count").unwrap_or_default().to_owned(),
                asked.parameter("offset").unwrap_or_default().to_owned(),
            )
        })
        .collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(count, offset)| ((*count).to_owned(), (*offset).to_owned())).collect()
}

#[tokio::test]
async fn a_small_search_requests_one_small_page() {
    let server = Server::of([answer(0..7, true)]).await;
    assert_eq!(links(&server, SearchOptions::top(4).with_skip(3)).await, ["3", "4", "5", "6"]);
    assert_eq!(requested(&server), pairs(&[("7", "0")]));
}

#[tokio::test]
async fn offset_counts_pages_of_twenty() {
    let server =
        Server::of([answer(0..20, true), answer(20..40, true), answer(40..60, true)]).await;
    let read = links(&server, SearchOptions::top(3).with_skip(38)).await;
    assert_eq!(read, ["38", "39", "40"]);
    assert_eq!(requested(&server), pairs(&[("20", "0"), ("20", "1"), ("20", "2")]));
}

#[tokio::test]
async fn skip_is_exact_for_short_and_overlapping_pages() {
    let server = Server::of([answer(0..18, true), answer(15..33, true)]).await;
    let read = links(&server, SearchOptions::top(3).with_skip(17)).await;
    assert_eq!(read, ["17", "18", "19"]);
}

#[tokio::test]
async fn skip_unread_starts_at_a_later_page() {
    let server = Server::of([answer(20..40, true), answer(40..60, true)]).await;
    let search = BraveTextSearch::new(config(&server).with_skip_unread(true)).unwrap();
    let options = SearchOptions::top(3).with_skip(38);
    let results = search.records("rust", &options).await.unwrap().into_vec().await.unwrap();
    let links: Vec<_> = results.iter().map(|page| page.url.as_str()).collect();
    assert_eq!(links, ["https://docs.rs/38", "https://docs.rs/39", "https://docs.rs/40"]);
    assert_eq!(requested(&server), pairs(&[("20", "1"), ("20", "2")]));
}

#[tokio::test]
async fn the_stream_ends_when_brave_says_so() {
    let server = Server::of([answer(0..20, true), answer(20..30, false)]).await;
    assert_eq!(links(&server, SearchOptions::top(100)).await.len(), 30);
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn a_page_without_results_is_the_last_one() {
    let server = Server::of([answer(0..20, true), answer(0..0, true)]).await;
    assert_eq!(links(&server, SearchOptions::top(100)).await.len(), 20);
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn by_default_only_a_full_page_has_a_successor() {
    let bare = |answer: Response| {
        let body = String::from_utf8(answer.body).unwrap();
        (200, body.replace("more_results_available", "something_else"))
    };
    let server = Server::of([bare(answer(0..20, true)), bare(answer(20..25, true))]).await;
    assert_eq!(links(&server, SearchOptions::top(100)).await.len(), 25);
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn the_eleventh_page_is_never_requested() {
    let pages = (0..11).map(|page| answer(20 * page..20 * (page + 1) - 1, true));
    let server = Server::of(pages).await;
    assert_eq!(links(&server, SearchOptions::top(200)).await.len(), 190);
    assert_eq!(requested(&server).last().unwrap().1, "9");
}

#[tokio::test]
async fn skip_plus_top_beyond_200_is_rejected() {
    let server = Server::of([answer(0..20, true)]).await;
    let search = BraveTextSearch::new(config(&server)).unwrap();
    let options = SearchOptions::top(1).with_skip(200);
    let error = search.records("rust", &options).await.unwrap_err();
    assert_eq!(error.to_string(), "brave: `skip + top` is 200 + 1; expected at most 200");
    assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }));
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test]
async fn a_top_of_zero_sends_no_request() {
    let server = Server::of([answer(0..20, true)]).await;
    assert!(links(&server, SearchOptions::top(0).with_skip(5)).await.is_empty());
    assert_eq!(server.requests().len(), 0);
}
