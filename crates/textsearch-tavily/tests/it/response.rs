use serde_json::json;
use textsearch_conformance::{Response, Server};
use textsearch_core::{TextSearchRecord, filter::DateTime};
use textsearch_tavily::{
    SearchOptions, SearchResults, TavilyTextSearch, TavilyWebPage, TextSearchConnector,
};

use crate::support::config;

async fn results() -> SearchResults<TavilyWebPage> {
    let server = Server::of([(200, include_str!("../fixtures/search.json"))]).await;
    let search = TavilyTextSearch::new(config(&server)).unwrap();
    search.records("rust release this week", &SearchOptions::top(5)).await.unwrap()
}

async fn pages() -> Vec<TavilyWebPage> {
    results().await.into_vec().await.unwrap()
}

#[tokio::test]
async fn a_record_has_all_documented_fields() {
    let expected = json!({
        "Title": "Announcing the new release",
        "Url": "https://blog.example.org/release",
        "Content": "The team is happy to announce a new version. [...] It stabilises async closures.",
        "Score": 0.9312,
        "RawContent": "# Announcing the new release\n\nThe team is happy to announce a new version.",
        "PublishedDate": "Mon, 31 Mar 2025 08:15:00 GMT",
        "Favicon": "https://blog.example.org/favicon.ico",
        "Images": ["https://blog.example.org/cover.png"]
    });
    assert_eq!(serde_json::to_value(&pages().await[0]).unwrap(), expected);
}

#[tokio::test]
async fn missing_and_unknown_fields_are_harmless() {
    let pages = pages().await;
    let bare = json!({ "Title": "A page with hardly anything", "Url": "https://bare.example.net/", "Content": "" });
    assert_eq!(serde_json::to_value(&pages[2]).unwrap(), bare);
    assert_eq!(pages[1].raw_content, None);
}

#[tokio::test]
async fn a_result_has_name_text_link_score_and_date() {
    let pages = pages().await;
    let result = pages[0].to_result();
    assert_eq!(result.name.as_deref(), Some("Announcing the new release"));
    assert_eq!(result.value, pages[0].content);
    assert_eq!(pages[0].text(), pages[0].content);
    assert_eq!(result.link.as_deref(), Some("https://blog.example.org/release"));
    assert_eq!(result.score, Some(0.9312));
    let published = |page: &TavilyWebPage| page.to_result().published;
    assert_eq!(published(&pages[0]), Some(DateTime::parse("2025-03-31T08:15:00Z").unwrap()));
    assert_eq!(published(&pages[1]), Some(DateTime::parse("2025-04-01").unwrap()));
    assert_eq!(published(&pages[2]), None);
}

#[tokio::test]
async fn metadata_keeps_tavilys_names() {
    let results = results().await;
    let expected = json!({
        "query": "rust release this week",
        "answer": "A new stable version came out on Thursday; it stabilises async closures.",
        "images": [{ "url": "https://images.example.org/crab.png", "description": "A crab that waves" }],
        "response_time": 1.67,
        "auto_parameters": { "topic": "news", "search_depth": "basic" },
        "usage": { "credits": 1 },
        "request_id": "123e4567-e89b-42d3-a456-426614174111"
    });
    assert_eq!(json!(results.metadata()), expected);
    assert_eq!(results.total_count(), None);
}

async fn answered(results: serde_json::Value) -> textsearch_tavily::Result<Vec<TavilyWebPage>> {
    let server = Server::of([Response::json(&json!({ "results": results }))]).await;
    let search = TavilyTextSearch::new(config(&server)).unwrap();
    search.records("rust", &SearchOptions::top(5)).await?.into_vec().await
}

#[tokio::test]
async fn mistyped_fields_count_as_missing() {
    let page = json!({
        "title": "A", "url": "https://a.example/", "content": "B", "score": "high", "raw_content": ["C"],
        "published_date": 2025, "favicon": {}, "images": "none",
    });
    let pages = answered(json!([page, { "url": "https://b.example/" }])).await.unwrap();
    let expected = json!({ "Title": "A", "Url": "https://a.example/", "Content": "B" });
    assert_eq!(serde_json::to_value(&pages[0]).unwrap(), expected);
    assert_eq!(pages[1].url, "https://b.example/");
}

#[tokio::test]
async fn a_result_with_a_mistyped_url_is_dropped() {
    let results =
        json!([{ "url": 7, "title": "A" }, { "url": "https://b.example/", "title": "B" }]);
    let pages = answered(results).await.unwrap();
    assert_eq!(pages.iter().map(|page| page.title.as_str()).collect::<Vec<_>>(), ["B"]);
}
