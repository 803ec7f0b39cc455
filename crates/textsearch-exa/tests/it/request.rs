use serde_json::{Value, json};
use textsearch_conformance::{Server, assert_filter_table};
use textsearch_exa::{
    ErrorKind, ExaConfig, ExaContents, ExaSearchType, ExaTextSearch, SearchOptions,
    TextSearchConnector,
};

use crate::support::{KEY, answer, config, search};

/// Returns the body of the request for three results. `None`: no request.
async fn body(
    change: impl FnOnce(ExaConfig) -> ExaConfig,
    filter: &str,
) -> textsearch_exa::Result<Option<Value>> {
    let server = Server::of([answer(&["https://docs.rs/tokio"])]).await;
    let search = ExaTextSearch::new(change(config(&server)))?;
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
    for (name, value) in [
        ("query", json!("rust")),
        ("numResults", json!(3)),
        ("contents", json!({ "highlights": true })),
    ] {
        assert_eq!(parameters.remove(name), Some(value));
    }
    Some(body)
}

#[tokio::test]
async fn the_key_is_sent_only_in_its_header() {
    let server = Server::of([answer(&[])]).await;
    search(&server).records("rust", &SearchOptions::top(1)).await.unwrap();
    let request = server.requests().remove(0);
    assert_eq!((request.method.as_str(), request.url.path()), ("POST", "/search"));
    assert_eq!(request.header("x-api-key"), Some(KEY));
    assert_eq!(format!("{:?} {}", request.headers, request.url).matches(KEY).count(), 1);
    assert!(!request.json().to_string().contains(KEY));
}

#[tokio::test]
async fn each_setting_becomes_a_parameter() {
    let change = |config: ExaConfig| {
        config
            .with_search_type(ExaSearchType::DeepLite)
            .with_country("DE")
            .with_moderation(true)
            .with_contents(ExaContents::Text)
            .with_max_characters(2_000)
    };
    let expected = json!({
        "query": "rust", "numResults": 3, "type": "deep-lite", "userLocation": "DE",
        "moderation": true, "contents": { "text": { "maxCharacters": 2_000 } }
    });
    assert_eq!(body(change, "true").await.unwrap(), Some(expected));
}

#[tokio::test]
async fn comparisons_become_request_parameters() {
    let cases = [
        (r#"site = "Docs.rs""#, json!({ "includeDomains": ["docs.rs"] })),
        (r#"site != "a.com" and site != "b.com""#, json!({ "excludeDomains": ["a.com", "b.com"] })),
        (
            r#"site in ["docs.rs", "crates.io"] and site != "old.docs.rs""#,
            json!({ "includeDomains": ["docs.rs", "crates.io"] }),
        ),
        (
            r#"published >= "2025-01-01" and published >= date "2025-02-01""#,
            json!({ "startPublishedDate": "2025-02-01T00:00:00.000Z" }),
        ),
        (
            r#"category = "research paper" and published <= "2025-12-31""#,
            json!({ "category": "research paper", "endPublishedDate": "2025-12-31T23:59:59.999Z" }),
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
        r#"category = "news" and category = "company""#,
        r#"published >= "2025-03-31" and published <= "2025-01-01""#,
    ];
    for filter in never {
        assert_eq!(sent(filter).await, None, "{filter}");
    }
}

#[tokio::test]
async fn unsupported_filters_and_values_are_rejected_unsent() {
    let cases = [
        (r#"site = "docs.rs" or category = "news""#, "its parts must all compare one field"),
        (r#"not (category = "news")"#, "category"),
        (r#"language = "de""#, "language"),
        (r#"category = "recipes""#, "`category` is `recipes`; expected company, people"),
        (r#"published >= "yesterday""#, "expected a day"),
    ];
    for (filter, expected) in cases {
        let error = body(|config| config, filter).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn an_invalid_setting_names_the_allowed_values() {
    let new = || ExaConfig::new("key");
    let cases = [
        (new().with_country("Germany"), "`userLocation` is `Germany`; expected two letters"),
        (new().with_max_characters(0), "`max_characters` is `0`; expected at least 1"),
        (ExaConfig::new(""), "`api_key` is empty"),
    ];
    for (config, expected) in cases {
        let error = ExaTextSearch::new(config).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }), "{error:?}");
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[tokio::test]
async fn the_readme_lists_the_fields_with_their_operators() {
    let server = Server::of([answer(&[])]).await;
    assert_filter_table(include_str!("../../README.md"), search(&server).fields());
}
