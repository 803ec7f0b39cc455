use serde_json::{Value, json};
use textsearch_brave::{
    BraveContextConfig, BraveContextPage, BraveContextSearch, BraveThreshold, Filter, Result,
    SearchOptions, TextSearchConnector, TimeRange, http::HttpSettings,
};
use textsearch_conformance::{Capabilities, Document, RecordedRequest, Response, Server};
use textsearch_core::{TextSearchRecord, filter::DateTime};

use crate::support::KEY;

/// The shape of <https://api-dashboard.search.brave.com/documentation/services/llm-context>.
const FIXTURE: &str = include_str!("../fixtures/llm_context.json");

fn config(server: &Server) -> BraveContextConfig {
    let http = HttpSettings::default().with_proxy(false).with_max_attempts(1);
    BraveContextConfig::new(KEY).with_endpoint(server.url().as_str()).with_http_settings(http)
}

/// Returns the request for three results. `None`: no request.
async fn request(
    change: impl FnOnce(BraveContextConfig) -> BraveContextConfig,
    filter: &str,
) -> Result<Option<RecordedRequest>> {
    let server = Server::of([(200, FIXTURE)]).await;
    let search = BraveContextSearch::new(change(config(&server)))?;
    let options = SearchOptions::top(3).with_filter(filter.parse().unwrap());
    let results = search.records("rust", &options).await;
    assert!(results.is_ok() || server.requests().is_empty(), "{filter}");
    results?;
    Ok(server.requests().into_iter().next())
}

async fn pages() -> Vec<BraveContextPage> {
    let server = Server::of([(200, FIXTURE)]).await;
    let search = BraveContextSearch::new(config(&server)).unwrap();
    let results = search.records("rust", &SearchOptions::top(5)).await.unwrap();
    assert!(results.metadata().is_empty());
    results.into_vec().await.unwrap()
}

#[tokio::test]
async fn each_setting_becomes_a_parameter() {
    let change = |config: BraveContextConfig| {
        config
            .with_max_tokens(4_096)
            .with_max_tokens_per_url(1_024)
            .with_threshold(BraveThreshold::Strict)
            .with_country("de")
            .with_search_language("en")
            .with_time_range(TimeRange::Week)
    };
    let request = request(change, "true").await.unwrap().unwrap();
    assert_eq!((request.method.as_str(), request.path.as_str()), ("GET", "/res/v1/llm/context"));
    assert_eq!(request.header("x-subscription-token"), Some(KEY));
    for (name, value) in [
        ("q", "rust"),
        ("count", "20"),
        ("maximum_number_of_urls", "3"),
        ("maximum_number_of_tokens", "4096"),
        ("maximum_number_of_tokens_per_url", "1024"),
        ("context_threshold_mode", "strict"),
        ("country", "DE"),
        ("search_lang", "en"),
        ("freshness", "pw"),
    ] {
        assert_eq!(request.all(name), [value], "{name}");
    }
}

#[tokio::test]
async fn sites_become_rules_of_a_goggle() {
    for (filter, rules) in [
        (r#"site in ["docs.rs", "crates.io"]"#, "$discard\n$site=docs.rs\n$site=crates.io"),
        (r#"site != "a.com" and site != "b.com""#, "$discard,site=a.com\n$discard,site=b.com"),
    ] {
        let request = request(|config| config, filter).await.unwrap().unwrap();
        assert_eq!(request.all("goggles"), [rules]);
    }
}

#[tokio::test]
async fn impossible_filters_send_no_request() {
    for never in [r#"site = "a.com" and site = "b.com""#, r#"published >= "9000-01-01""#] {
        assert!(request(|config| config, never).await.unwrap().is_none(), "{never}");
    }
}

#[tokio::test]
async fn invalid_settings_and_filters_are_rejected_unsent() {
    let too_few = |config: BraveContextConfig| config.with_max_tokens(100);
    let error = request(too_few, "true").await.unwrap_err();
    let expected = "`maximum_number_of_tokens` is `100`; expected 1024 to 32768";
    assert!(error.to_string().contains(expected), "{error}");
    for (filter, expected) in [
        (r#"language = "de""#, "language"),
        (r#"freshness = "px""#, "expected pd, pw, pm, py"),
        (r#"freshness = "pd" and published >= "2025-01-01""#, "expected only one of them"),
    ] {
        let error = request(|config| config, filter).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[tokio::test]
async fn a_record_has_texts_and_its_source() {
    let pages = pages().await;
    let expected = json!({
        "Title": "Async functions in traits",
        "Url": "https://blog.example.org/async-traits",
        "Snippets": ["An async function in a trait returns impl Future.", "{\"cost\": \"one allocation\"}"],
        "Hostname": "blog.example.org",
        "Age": ["Monday, March 31, 2025", "2025-03-31", "20 days ago"]
    });
    assert_eq!(serde_json::to_value(&pages[0]).unwrap(), expected);
    let result = pages[0].to_result();
    assert_eq!(result.value, pages[0].snippets.join("\n\n"));
    assert_eq!(result.published, Some(DateTime::parse("2025-03-31").unwrap()));
    assert_eq!((pages.len(), pages[1].to_result().published), (2, None));
}

fn answer(request: &RecordedRequest, documents: &[Document]) -> Response {
    let urls = request.number("maximum_number_of_urls", 20);
    if urls > 50 || request.header("x-subscription-token").is_none() {
        return Response::json(&json!({ "error": { "code": "VALIDATION" } })).with_status(422);
    }
    let documents = || documents.iter().take(urls);
    let generic: Vec<Value> = documents()
        .map(|document| json!({ "title": document.name, "url": document.link, "snippets": [document.text] }))
        .collect();
    let source = |document: &Document| {
        (document.link.clone(), json!({ "hostname": "example.com", "age": [document.published] }))
    };
    let sources: serde_json::Map<_, _> = documents().map(source).collect();
    Response::json(&json!({ "grounding": { "generic": generic }, "sources": sources }))
}

fn capabilities() -> Capabilities {
    let is = |name: &'static str, value: &'static str| {
        move |request: &RecordedRequest| request.all(name) == [value]
    };
    Capabilities::default()
        .with_max_results(50)
        .without_pages()
        .with_published()
        .with_site_field("site")
        .with_query_operators(&["OR", "AND", "NOT", "-", "+", "|", "(", "site:"])
        .with_error_answer(|status, message| {
            let error = json!({ "code": "X", "detail": message, "status": status });
            Response::json(&json!({ "type": "ErrorResponse", "error": error })).with_status(status)
        })
        .with_filter(
            Filter::eq("site", "example.com"),
            is("goggles", "$discard\n$site=example.com"),
        )
        .with_filter(Filter::ne("site", "example.org"), is("goggles", "$discard,site=example.org"))
        .with_filter(
            Filter::ge("published", "2025-01-01").and(Filter::le("published", "2025-03-31")),
            is("freshness", "2025-01-01to2025-03-31"),
        )
        .with_filter(Filter::eq("freshness", "pw"), is("freshness", "pw"))
}

textsearch_conformance::suite!(
    |endpoint| {
        let config = BraveContextConfig::new(endpoint.key()).with_endpoint(endpoint.base());
        BraveContextSearch::new(config.with_http_settings(endpoint.http_settings().clone()))
    },
    answer,
    capabilities(),
);
