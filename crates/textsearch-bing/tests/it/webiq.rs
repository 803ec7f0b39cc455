use serde_json::{Value, json};
use textsearch_bing::{
    ErrorKind, Filter, Result, SafeSearch, SearchOptions, SearchResults, TextSearchConnector,
    WebIqConfig, WebIqContent, WebIqPage, WebIqTextSearch, http::HttpSettings,
};
use textsearch_conformance::{Capabilities, Document, RecordedRequest, Response, Server};
use textsearch_core::{TextSearchRecord, filter::DateTime};

const KEY: &str = "open-sesame-1";
/// The shape of <https://learn.microsoft.com/web-iq/reference/web-search>.
const FIXTURE: &str = include_str!("../fixtures/web_iq.json");

fn config(server: &Server) -> WebIqConfig {
    let http = HttpSettings::default().with_proxy(false).with_max_attempts(1);
    WebIqConfig::new(KEY).with_endpoint(server.url().as_str()).with_http_settings(http)
}

async fn results(status: u16, body: &str) -> Result<SearchResults<WebIqPage>> {
    let server = Server::of([(status, body.to_owned())]).await;
    let search = WebIqTextSearch::new(config(&server)).unwrap();
    search.records("rust", &SearchOptions::top(5)).await
}

/// Returns the body of the request for three results. `None`: no request.
async fn body(
    change: impl FnOnce(WebIqConfig) -> WebIqConfig,
    filter: &str,
) -> Result<Option<Value>> {
    let server = Server::of([(200, FIXTURE)]).await;
    let search = WebIqTextSearch::new(change(config(&server)))?;
    let options = SearchOptions::top(3).with_filter(filter.parse().unwrap());
    let results = search.records("rust OR go", &options).await;
    assert!(results.is_ok() || server.requests().is_empty(), "{filter}");
    results?;
    Ok(server.requests().first().map(|request| request.json()))
}

#[tokio::test]
async fn the_key_is_sent_only_in_its_header() {
    let server = Server::of([(200, FIXTURE)]).await;
    let search = WebIqTextSearch::new(config(&server)).unwrap();
    search.records("rust", &SearchOptions::top(1)).await.unwrap();
    let request = server.requests().remove(0);
    assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/v3/search/web"));
    assert_eq!(request.header("x-apikey"), Some(KEY));
    assert_eq!(format!("{:?} {}", request.headers, request.url).matches(KEY).count(), 1);
}

#[tokio::test]
async fn each_setting_becomes_a_parameter() {
    let change = |config: WebIqConfig| {
        config
            .with_region("DE")
            .with_language("de")
            .with_content(WebIqContent::Markdown)
            .with_max_characters(3_000)
            .with_safe_search(SafeSearch::Moderate)
            .with_location(52.5, 13.4)
    };
    let expected = json!({
        "query": "rust OR go", "maxResults": 3, "region": "DE", "language": "de",
        "contentFormat": "markdown", "maxLength": 3_000, "safeSearch": "strict",
        "location": "lat:52.5;long:13.4"
    });
    assert_eq!(body(change, "true").await.unwrap(), Some(expected));
}

#[tokio::test]
async fn sites_become_operators() {
    for (filter, query) in [
        (r#"site = "Docs.rs""#, "site:docs.rs (rust OR go)"),
        (r#"site != "a.com" and site != "b.com""#, "-site:a.com -site:b.com (rust OR go)"),
        (
            r#"site = "docs.rs" and site != "old.docs.rs""#,
            "site:docs.rs -site:old.docs.rs (rust OR go)",
        ),
    ] {
        let body = body(|config| config, filter).await.unwrap().unwrap();
        assert_eq!(body["query"], query);
    }
    let never = r#"site = "a.com" and site = "b.com""#;
    assert_eq!(body(|config| config, never).await.unwrap(), None);
}

#[tokio::test]
async fn unsupported_filters_are_rejected_unsent() {
    let filters = [
        r#"site = "a.com" or site = "b.com""#,
        r#"site in ["a.com", "b.com"]"#,
        r#"language = "de""#,
    ];
    for filter in filters {
        let error = body(|config| config, filter).await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::UnsupportedFilter { .. }), "{error:?}");
    }
}

#[test]
fn an_invalid_setting_names_the_allowed_values() {
    let new = || WebIqConfig::new("key");
    for (config, expected) in [
        (new().with_region("Germany"), "`region` is `Germany`; expected two letters"),
        (new().with_max_characters(0), "`maxLength` is `0`; expected 1 to 500000"),
        (WebIqConfig::new(""), "`api_key` is empty"),
    ] {
        let error = WebIqTextSearch::new(config).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[tokio::test]
async fn a_record_has_all_documented_fields() {
    let results = results(200, FIXTURE).await.unwrap();
    let facts = json!({ "querySignals": { "freshness": true }, "traceId": "5f0c1d2e3b4a" });
    assert_eq!(json!(results.metadata()), facts);
    let pages = results.into_vec().await.unwrap();
    let expected = json!({
        "Title": "Announcing the new release",
        "Url": "https://blog.example.org/release",
        "Content": "The team is happy to announce a new version.",
        "LastUpdatedAt": "2025-03-31T08:15:00Z",
        "CrawledAt": "2025-04-02T00:00:00Z",
        "Language": "en",
        "IsAdult": false,
        "ContentTier": "standard",
        "SourceQuality": "preferred"
    });
    assert_eq!(serde_json::to_value(&pages[0]).unwrap(), expected);
    let published = pages[0].to_result().published;
    assert_eq!(published, Some(DateTime::parse("2025-03-31T08:15:00Z").unwrap()));
    assert_eq!((pages.len(), pages[1].title.as_str()), (2, ""));
}

#[tokio::test]
async fn each_error_has_its_kind_and_all_texts() {
    for (status, kind) in [
        (401, "authentication"),
        (429, "rate_limited"),
        (500, "unavailable"),
        (400, "unexpected_status"),
    ] {
        let body = json!({
            "errorCode": "SomeCode", "errorCategory": "UserError", "userMessage": "It is wrong",
            "technicalDetails": format!("maxResults, {KEY}"), "requestId": "1"
        });
        let error = results(status, &body.to_string()).await.unwrap_err();
        assert_eq!(error.kind().name(), kind, "{status}");
        assert!(error.message().ends_with("It is wrong: maxResults, ***"), "{error}");
        assert!(error.to_string().contains("SomeCode"), "{error}");
    }
}

fn answer(request: &RecordedRequest, documents: &[Document]) -> Response {
    let count = request.json()["maxResults"].as_u64().unwrap_or(10);
    if count > 50 || request.header("x-apikey").is_none() {
        return Response::json(&json!({ "errorCode": "X" })).with_status(400);
    }
    let documents = documents.iter().take(usize::try_from(count).unwrap());
    let pages: Vec<Value> = documents
        .map(|document| json!({ "title": document.name, "content": document.text, "url": document.link, "lastUpdatedAt": document.published }))
        .collect();
    Response::json(&json!({ "webResults": pages, "traceId": "1" }))
}

fn capabilities() -> Capabilities {
    let has = |words: &'static str| {
        move |request: &RecordedRequest| {
            let body = request.json();
            format!(" {} ", body["query"].as_str().unwrap_or_default()).contains(words)
        }
    };
    Capabilities::default()
        .with_max_results(50)
        .without_pages()
        .with_published()
        .with_site_field("site")
        .with_query_operators(&["OR", "AND", "NOT", "-", "+", "|", "(", "site:"])
        .with_error_answer(|status, message| {
            let error = json!({ "errorCode": "X", "userMessage": message });
            Response::json(&error).with_status(status)
        })
        .with_filter(Filter::eq("site", "example.com"), has(" site:example.com "))
        .with_filter(Filter::ne("site", "example.org"), has(" -site:example.org "))
}

textsearch_conformance::suite!(
    |endpoint| {
        let config = WebIqConfig::new(endpoint.key()).with_endpoint(endpoint.base());
        WebIqTextSearch::new(config.with_http_settings(endpoint.http_settings().clone()))
    },
    answer,
    capabilities(),
);
