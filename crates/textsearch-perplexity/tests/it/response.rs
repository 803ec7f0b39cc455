use serde_json::json;
use textsearch_conformance::{Response, Server};
use textsearch_core::{TextSearchRecord, filter::DateTime};
use textsearch_perplexity::{
    PerplexityConfig, PerplexityPage, PerplexityTextSearch, SearchOptions, TextSearchConnector,
};

use crate::support::{answer, config, search};

const FIXTURE: &str = include_str!("../fixtures/search.json");

async fn pages(body: impl Into<Response>, top: usize) -> Vec<PerplexityPage> {
    let server = Server::of([body.into()]).await;
    let results = search(&server).records("rust", &SearchOptions::top(top)).await.unwrap();
    results.into_vec().await.unwrap()
}

fn urls(pages: &[PerplexityPage]) -> Vec<&str> {
    pages.iter().map(|page| page.url.as_str()).collect()
}

#[tokio::test]
async fn a_record_has_all_documented_fields() {
    let pages = pages((200, FIXTURE), 5).await;
    let expected = json!({
        "Title": "Announcing the new release",
        "Url": "https://blog.example.org/release",
        "Snippet": "The team is happy to announce a new version. It stabilises async closures.",
        "Date": "2025-03-31",
        "LastUpdated": "2025-09-19"
    });
    assert_eq!(serde_json::to_value(&pages[0]).unwrap(), expected);
    assert_eq!(pages.len(), 2, "a result with a mistyped snippet is left out");
}

#[tokio::test]
async fn a_result_has_name_text_link_and_date() {
    let pages = pages((200, FIXTURE), 5).await;
    let result = pages[0].to_result();
    assert_eq!(result.name.as_deref(), Some("Announcing the new release"));
    assert_eq!(result.value, pages[0].snippet);
    assert_eq!(result.link.as_deref(), Some("https://blog.example.org/release"));
    assert_eq!(result.published, Some(DateTime::parse("2025-03-31").unwrap()));
    assert_eq!(pages[1].to_result().published, None);
}

#[tokio::test]
async fn metadata_has_id_and_server_time() {
    let server = Server::of([(200, FIXTURE)]).await;
    let results = search(&server).records("rust", &SearchOptions::top(5)).await.unwrap();
    let expected = json!({
        "id": "e38104d5-6bd7-4d82-bc4e-0a21179d1f77", "server_time": "2025-09-20T08:00:00Z"
    });
    assert_eq!(json!(results.metadata()), expected);
}

#[tokio::test]
async fn more_results_than_requested_are_cut() {
    let sent = ["https://a.example/1", "https://a.example/2", "https://a.example/3"];
    assert_eq!(urls(&pages(answer(&sent), 2).await), &sent[..2]);
}

#[tokio::test]
async fn max_results_can_be_raised_for_other_services() {
    let links: Vec<String> = (0..25).map(|number| format!("https://a.example/{number}")).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    let server = Server::of([answer(&links)]).await;
    let error = search(&server).records("rust", &SearchOptions::top(25)).await.unwrap_err();
    assert!(error.to_string().contains("at most 20"), "{error}");
    let mut raised: PerplexityConfig = config(&server);
    raised.max_results = 50;
    let search = PerplexityTextSearch::new(raised).unwrap();
    let results = search.records("rust", &SearchOptions::top(25)).await.unwrap();
    assert_eq!(urls(&results.into_vec().await.unwrap()), links);
    assert_eq!(server.requests()[0].json()["max_results"], 25);
}
