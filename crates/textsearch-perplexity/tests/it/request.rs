use serde_json::{Value, json};
use textsearch_conformance::{Server, assert_filter_table};
use textsearch_perplexity::{
    ErrorKind, PerplexityConfig, PerplexitySearchMode, PerplexityTextSearch, SearchOptions,
    TextSearchConnector,
};

use crate::support::{KEY, answer, config, search};

/// Returns the body of the request for three results. `None`: no request.
async fn body(
    change: impl FnOnce(PerplexityConfig) -> PerplexityConfig,
    filter: &str,
) -> textsearch_perplexity::Result<Option<Value>> {
    let server = Server::of([answer(&["https://docs.rs/tokio"])]).await;
    let search = PerplexityTextSearch::new(change(config(&server)))?;
    let options = SearchOptions::top(3).with_filter(filter.parse().unwrap());
    let results = search.records("rust", &options).await;
    assert!(results.is_ok() || server.requests().is_empty(), "{filter}");
    results?;
    Ok(server.requests().first().map(|request| request.json()))
}

/// Returns the parameters that the filter adds.
async fn sent(filter: &str) -> Option<Value> {
    let mut body = body(|config| config, filter).await.unwrap()?;
    let parameters = body.as_object_mut().unwrap();
    assert_eq!(parameters.remove("query"), Some(json!("rust")));
    assert_eq!(parameters.remove("max_results"), Some(json!(3)));
    Some(body)
}

#[tokio::test]
async fn the_key_is_sent_only_as_a_bearer_token() {
    let server = Server::of([answer(&[])]).await;
    search(&server).records("rust", &SearchOptions::top(1)).await.unwrap();
    let request = server.requests().remove(0);
    assert_eq!((request.method.as_str(), request.url.path()), ("POST", "/search"));
    assert_eq!(request.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(format!("{:?} {}", request.headers, request.url).matches(KEY).count(), 1);
    assert_eq!(request.json(), json!({ "query": "rust", "max_results": 1 }));
}

#[tokio::test]
async fn each_setting_becomes_a_parameter() {
    let change = |config: PerplexityConfig| {
        config
            .with_country("DE")
            .with_max_tokens(10_000)
            .with_max_tokens_per_page(512)
            .with_search_mode(PerplexitySearchMode::Academic)
    };
    let expected = json!({
        "query": "rust", "max_results": 3, "country": "DE", "max_tokens": 10_000,
        "max_tokens_per_page": 512, "search_mode": "academic"
    });
    assert_eq!(body(change, "true").await.unwrap(), Some(expected));
}

#[tokio::test]
async fn comparisons_become_request_parameters() {
    let cases = [
        (r#"site = "Docs.rs""#, json!({ "search_domain_filter": ["docs.rs"] })),
        (
            r#"site != "a.com" and site != "b.com""#,
            json!({ "search_domain_filter": ["-a.com", "-b.com"] }),
        ),
        (
            r#"site in ["docs.rs", "crates.io"] and site != "old.docs.rs""#,
            json!({ "search_domain_filter": ["docs.rs", "crates.io"] }),
        ),
        (
            r#"published >= "2025-01-01" and published >= date "2025-02-01""#,
            json!({ "search_after_date_filter": "02/01/2025" }),
        ),
        (r#"published <= "2025-12-31""#, json!({ "search_before_date_filter": "12/31/2025" })),
        (
            r#"language = "de" and time_range = "hour""#,
            json!({ "search_language_filter": ["de"], "search_recency_filter": "hour" }),
        ),
        ("true", json!({})),
    ];
    for (filter, expected) in cases {
        assert_eq!(sent(filter).await, Some(expected), "{filter}");
    }
}

#[tokio::test]
async fn impossible_filters_send_no_request() {
    let never = [
        "false",
        r#"site = "docs.rs" and site = "crates.io""#,
        r#"language = "de" and language = "en""#,
        r#"published >= "2025-03-31" and published <= "2025-01-01""#,
    ];
    for filter in never {
        assert_eq!(sent(filter).await, None, "{filter}");
    }
}

#[tokio::test]
async fn unsupported_filters_and_values_are_rejected_unsent() {
    let many = |count: usize| (0..count).map(|number| format!(r#""{number}.example.com""#));
    let many = format!("site in [{}]", many(21).collect::<Vec<_>>().join(", "));
    let cases = [
        (r#"site = "docs.rs" or language = "de""#, "its parts must all compare one field"),
        (r#"not (language = "de")"#, "language"),
        (r#"topic = "news""#, "topic"),
        (r#"language = "German""#, "`language` is `German`; expected two lower-case letters"),
        (r#"time_range = "decade""#, "`time_range` is `decade`; expected hour, day"),
        (r#"published >= "yesterday""#, "expected a day"),
        (
            r#"time_range = "day" and published >= "2025-01-01""#,
            "`time_range` is set together with `published`",
        ),
        (many.as_str(), "`site` is `21 sites`; expected at most 20"),
    ];
    for (filter, expected) in cases {
        let error = body(|config| config, filter).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn an_invalid_setting_names_the_allowed_values() {
    let new = || PerplexityConfig::new("key");
    let mut none = new();
    none.max_results = 0;
    let cases = [
        (new().with_country("Germany"), "`country` is `Germany`; expected two letters"),
        (new().with_max_tokens(0), "`max_tokens` is `0`; expected at least 1"),
        (none, "`max_results` is `0`; expected at least 1"),
        (PerplexityConfig::new(""), "`api_key` is empty"),
    ];
    for (config, expected) in cases {
        let error = PerplexityTextSearch::new(config).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }), "{error:?}");
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[tokio::test]
async fn the_readme_lists_the_fields_with_their_operators() {
    let server = Server::of([answer(&[])]).await;
    assert_filter_table(include_str!("../../README.md"), search(&server).fields());
}
