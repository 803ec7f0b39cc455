use serde_json::{Value, json};
use textsearch_conformance::{RecordedRequest, Server, assert_filter_table};
use textsearch_core::TextSearchRecord;
use textsearch_serper::{
    Result, SearchOptions, SearchResults, SerperConfig, SerperPage, SerperTextSearch,
    TextSearchConnector, http::HttpSettings,
};

const KEY: &str = "open-sesame-1";
/// The shape of <https://serper.dev/playground>.
const FIXTURE: &str = include_str!("../fixtures/search.json");

/// Searches on a server with one response. Returns the results and requests.
async fn search(
    change: impl FnOnce(SerperConfig) -> SerperConfig,
    filter: &str,
    (status, body): (u16, &str),
) -> (Result<SearchResults<SerperPage>>, Vec<RecordedRequest>) {
    let server = Server::of([(status, body.to_owned())]).await;
    let http = HttpSettings::default().with_proxy(false).with_max_attempts(1);
    let config = SerperConfig::new(KEY).with_endpoint(server.url().as_str());
    let search = SerperTextSearch::new(change(config.with_http_settings(http))).unwrap();
    let options = SearchOptions::top(2).with_filter(filter.parse().unwrap());
    let results = search.records("rust", &options).await;
    (results, server.requests())
}

async fn sent(filter: &str) -> Value {
    search(|config| config, filter, (200, FIXTURE)).await.1[0].json()
}

#[tokio::test]
async fn each_setting_becomes_a_parameter() {
    let change = |config: SerperConfig| {
        config
            .with_country("de")
            .with_language("pt-BR")
            .with_location("Leith")
            .with_autocorrect(false)
    };
    let (_, requests) = search(change, "true", (200, FIXTURE)).await;
    let expected = json!({
        "q": "rust", "page": 1, "gl": "de", "hl": "pt-BR", "location": "Leith", "autocorrect": false
    });
    assert_eq!(requests[0].json(), expected);
    assert_eq!((requests[0].method.as_str(), requests[0].path.as_str()), ("POST", "/search"));
    assert_eq!(requests[0].header("x-api-key"), Some(KEY));
}

#[tokio::test]
async fn filters_become_operators_and_a_time() {
    for (filter, expected) in [
        (
            r#"site = "docs.rs" and site != "old.docs.rs""#,
            json!({ "q": "site:docs.rs -site:old.docs.rs rust", "page": 1 }),
        ),
        (
            r#"published >= "2025-03-01""#,
            json!({ "q": "rust", "page": 1, "tbs": "cdr:1,cd_min:03/01/2025" }),
        ),
        (r#"time_range = "hour""#, json!({ "q": "rust", "page": 1, "tbs": "qdr:h" })),
    ] {
        assert_eq!(sent(filter).await, expected, "{filter}");
    }
}

#[tokio::test]
async fn unsupported_filters_and_values_are_rejected_unsent() {
    for (filter, expected) in [
        (r#"language = "de""#, "language"),
        (r#"time_range = "decade""#, "expected hour, day"),
        (
            r#"time_range = "day" and published >= "2025-01-01""#,
            "either `time_range` or `published`",
        ),
    ] {
        let (results, requests) = search(|config| config, filter, (200, FIXTURE)).await;
        let error = results.unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(requests.len(), 0);
    }
}

#[test]
fn an_invalid_setting_names_the_allowed_values() {
    let new = || SerperConfig::new("key");
    for (config, expected) in [
        (new().with_country("Germany"), "`gl` is `Germany`; expected two letters"),
        (new().with_language("?"), "`hl` is `?`; expected a language"),
        (SerperConfig::new(""), "`api_key` is empty"),
    ] {
        let error = SerperTextSearch::new(config).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[tokio::test]
async fn a_record_has_all_documented_fields() {
    let results = search(|config| config, "true", (200, FIXTURE)).await.0.unwrap();
    assert_eq!(json!(results.metadata())["credits"], 1);
    let pages = results.into_vec().await.unwrap();
    let expected = json!({
        "Title": "Announcing the new release",
        "Link": "https://blog.example.org/release",
        "Snippet": "The team is happy to announce a new version.",
        "Date": "Mar 31, 2025",
        "Position": 1,
        "Attributes": { "Rating": "4.5" },
        "Sitelinks": [{ "title": "Archive", "link": "https://blog.example.org/archive" }]
    });
    assert_eq!(serde_json::to_value(&pages[0]).unwrap(), expected);
    let result = pages[0].to_result();
    assert_eq!(
        (result.value, result.link),
        (pages[0].snippet.clone(), Some(pages[0].link.clone()))
    );
    assert_eq!((pages.len(), pages[1].position), (2, None));
}

#[tokio::test]
async fn each_error_has_its_kind_and_keeps_the_message() {
    for (status, message, kind) in [
        (403, "Unauthorized.", "authentication"),
        (429, "Too many requests", "rate_limited"),
        (400, "Not enough credits", "quota_exceeded"),
        (500, "Internal", "unavailable"),
    ] {
        let body =
            json!({ "message": format!("{message} {KEY}"), "statusCode": status }).to_string();
        let (results, _) = search(|config| config, "true", (status, &body)).await;
        let error = results.unwrap_err();
        assert_eq!(error.kind().name(), kind, "{status}");
        assert!(error.message().ends_with(&format!("{message} ***")), "{error}");
    }
}

#[test]
fn the_readme_lists_the_fields_with_their_operators() {
    let search = SerperTextSearch::new(SerperConfig::new(KEY)).unwrap();
    assert_filter_table(include_str!("../../README.md"), search.fields());
}
