use serde_json::{Value, json};
use textsearch_conformance::Server;
use textsearch_core::{TextSearchRecord, filter::DateTime};
use textsearch_exa::{ExaPage, Result, SearchOptions, SearchResults, TextSearchConnector};

use crate::support::search;

/// The shape of <https://exa.ai/docs/reference/search>.
const FIXTURE: &str = include_str!("../fixtures/search.json");

async fn results(status: u16, body: &str) -> Result<SearchResults<ExaPage>> {
    let server = Server::of([(status, body.to_owned())]).await;
    search(&server).records("rust", &SearchOptions::top(5)).await
}

async fn pages() -> Vec<ExaPage> {
    results(200, FIXTURE).await.unwrap().into_vec().await.unwrap()
}

#[tokio::test]
async fn a_record_has_all_documented_fields() {
    let pages = pages().await;
    let expected = json!({
        "Title": "Announcing the new release",
        "Url": "https://blog.example.org/release",
        "Id": "https://blog.example.org/release",
        "Highlights": ["The team is happy to announce a new version.", "It stabilises async closures."],
        "PublishedDate": "2025-03-31T08:15:00.000Z",
        "Author": "Ann Author",
        "Image": "https://blog.example.org/cover.png",
        "Favicon": "https://blog.example.org/favicon.ico"
    });
    assert_eq!(serde_json::to_value(&pages[0]).unwrap(), expected);
    let bare = json!({ "Title": "", "Url": "https://bare.example.net/" });
    assert_eq!(serde_json::to_value(&pages[2]).unwrap(), bare);
}

#[tokio::test]
async fn the_text_is_the_page_or_its_highlights() {
    let pages = pages().await;
    let highlights = "The team is happy to announce a new version.\nIt stabilises async closures.";
    assert_eq!(pages[0].text(), highlights);
    assert_eq!(pages[1].text(), "# What is new\n\nA short tour.");
    assert_eq!(pages[2].text(), "");
}

#[tokio::test]
async fn a_result_has_name_text_link_score_and_date() {
    let pages = pages().await;
    let result = pages[0].to_result();
    assert_eq!(result.name.as_deref(), Some("Announcing the new release"));
    assert_eq!(result.value, pages[0].text());
    assert_eq!(result.link.as_deref(), Some("https://blog.example.org/release"));
    assert_eq!(result.published, Some(DateTime::parse("2025-03-31T08:15:00Z").unwrap()));
    assert_eq!((pages[1].to_result().score, pages[1].to_result().published), (Some(0.5), None));
}

#[tokio::test]
async fn metadata_keeps_exas_names() {
    let results = results(200, FIXTURE).await.unwrap();
    let expected = json!({
        "requestId": "b5947044c4b78efa9552a7c89b306d95", "searchType": "auto", "searchTime": 812.5,
        "costDollars": { "total": 0.007 }
    });
    assert_eq!(json!(results.metadata()), expected);
}

#[tokio::test]
async fn each_error_has_its_kind_and_keeps_the_message() {
    let cases = [
        (401, "INVALID_API_KEY", "authentication"),
        (402, "NO_MORE_CREDITS", "quota_exceeded"),
        (429, "RATE_LIMIT_EXCEEDED", "rate_limited"),
        (500, "INTERNAL_ERROR", "unavailable"),
        (400, "INVALID_REQUEST_BODY", "unexpected_status"),
    ];
    for (status, tag, kind) in cases {
        let body: Value = json!({ "requestId": "1", "error": "it is wrong", "tag": tag });
        let error = results(status, &body.to_string()).await.unwrap_err();
        assert_eq!(error.kind().name(), kind, "{status}");
        assert!(error.message().ends_with("it is wrong"), "{error}");
    }
}
