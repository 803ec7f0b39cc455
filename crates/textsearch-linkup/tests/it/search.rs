use serde_json::json;
use textsearch_conformance::{RecordedRequest, Server, assert_filter_table};
use textsearch_core::TextSearchRecord;
use textsearch_linkup::{
    LinkupConfig, LinkupDepth, LinkupPage, LinkupTextSearch, Result, SearchOptions,
    TextSearchConnector, http::HttpSettings,
};

const KEY: &str = "open-sesame-1";
/// The shape of <https://docs.linkup.so/api-reference/search/search>.
const FIXTURE: &str = include_str!("../fixtures/search.json");

/// Searches at `depth` on a server with one response. Returns the records and requests.
async fn search(
    depth: LinkupDepth,
    filter: &str,
    (status, body): (u16, String),
) -> (Result<Vec<LinkupPage>>, Vec<RecordedRequest>) {
    let server = Server::of([(status, body)]).await;
    let http = HttpSettings::default().with_proxy(false).with_max_attempts(1);
    let config = LinkupConfig::new(KEY).with_endpoint(server.url().as_str()).with_depth(depth);
    let search = LinkupTextSearch::new(config.with_http_settings(http)).unwrap();
    let options = SearchOptions::top(3).with_filter(filter.parse().unwrap());
    let pages = match search.records("rust", &options).await {
        Ok(results) => results.into_vec().await,
        Err(error) => Err(error),
    };
    (pages, server.requests())
}

fn fixture() -> (u16, String) {
    (200, FIXTURE.to_owned())
}

#[tokio::test]
async fn a_search_sends_filters_as_parameters() {
    let filter = r#"site in ["docs.rs", "crates.io"] and site != "old.docs.rs" and published >= "2025-01-01""#;
    let (_, requests) = search(LinkupDepth::Fast, filter, fixture()).await;
    let expected = json!({
        "q": "rust", "depth": "fast", "outputType": "searchResults", "maxResults": 3,
        "includeDomains": ["docs.rs", "crates.io"], "excludeDomains": ["old.docs.rs"],
        "fromDate": "2025-01-01"
    });
    assert_eq!(requests[0].json(), expected);
    assert_eq!((requests[0].method.as_str(), requests[0].path.as_str()), ("POST", "/v1/search"));
    assert_eq!(requests[0].header("authorization"), Some(format!("Bearer {KEY}").as_str()));
}

#[tokio::test]
async fn impossible_filters_send_no_request() {
    for filter in [
        r#"site = "docs.rs" and site = "crates.io""#,
        r#"published >= "2025-03-31" and published <= "2025-01-01""#,
    ] {
        let (pages, requests) = search(LinkupDepth::Standard, filter, fixture()).await;
        assert_eq!((pages.unwrap().len(), requests.len()), (0, 0), "{filter}");
    }
}

#[tokio::test]
async fn unsupported_filters_are_rejected_unsent() {
    for filter in [r#"language = "de""#, r#"not (published >= "2025-01-01")"#] {
        let (pages, requests) = search(LinkupDepth::Standard, filter, fixture()).await;
        assert_eq!(pages.unwrap_err().kind().name(), "unsupported_filter");
        assert_eq!(requests.len(), 0);
    }
}

#[tokio::test]
async fn a_record_has_all_documented_fields() {
    let pages = search(LinkupDepth::Standard, "true", fixture()).await.0.unwrap();
    let expected = json!({
        "Name": "Announcing the new release",
        "Url": "https://blog.example.org/release",
        "Content": "The team is happy to announce a new version.",
        "Favicon": "https://blog.example.org/favicon.ico"
    });
    assert_eq!(serde_json::to_value(&pages[0]).unwrap(), expected);
    let result = pages[0].to_result();
    assert_eq!(result.name.as_deref(), Some("Announcing the new release"));
    assert_eq!((result.value, result.link), (pages[0].content.clone(), Some(pages[0].url.clone())));
    assert_eq!((pages.len(), pages[1].name.as_str()), (2, ""));
}

#[tokio::test]
async fn each_error_has_its_kind_and_details() {
    for (status, code, kind) in [
        (401, "UNAUTHORIZED", "authentication"),
        (429, "TOO_MANY_REQUESTS", "rate_limited"),
        (429, "INSUFFICIENT_FUNDS_CREDITS", "quota_exceeded"),
        (500, "INTERNAL", "unavailable"),
        (400, "VALIDATION_ERROR", "unexpected_status"),
    ] {
        let details = json!([{ "field": "q", "message": format!("q is wrong {KEY}") }]);
        let error = json!({ "code": code, "message": "Validation failed", "details": details });
        let body = json!({ "statusCode": status, "error": error }).to_string();
        let error = search(LinkupDepth::Standard, "true", (status, body)).await.0.unwrap_err();
        assert_eq!(error.kind().name(), kind, "{status}");
        assert!(error.message().ends_with("Validation failed: q is wrong ***"), "{error}");
    }
}

#[test]
fn the_readme_lists_the_fields_with_their_operators() {
    let search = LinkupTextSearch::new(LinkupConfig::new(KEY)).unwrap();
    assert_filter_table(include_str!("../../README.md"), search.fields());
}
