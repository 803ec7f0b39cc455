//! On a LiteLLM proxy: `cargo xtask integration litellm`.

use std::collections::BTreeSet;

use textsearch_core::{TextSearchRecord, filter::DateTime};
use textsearch_perplexity::{
    Error, PERPLEXITY_API_KEY, PerplexityConfig, PerplexityPage, PerplexityTextSearch, Result,
    SearchOptions, TextSearchConnector, http::HttpSettings,
};

async fn pages(query: &str, options: SearchOptions, attempts: u32) -> Result<Vec<PerplexityPage>> {
    let http = HttpSettings::default().with_proxy(false).with_max_attempts(attempts);
    let mut config = PerplexityConfig::from_env()?.with_http_settings(http);
    config.max_results = 50;
    let search = PerplexityTextSearch::new(config)?;
    search.records(query, &options).await?.into_vec().await
}

async fn error(query: &str) -> Error {
    pages(query, SearchOptions::top(5), 1).await.unwrap_err()
}

fn links(pages: &[PerplexityPage]) -> Vec<&str> {
    pages.iter().map(|page| page.url.as_str()).collect()
}

#[tokio::test]
#[ignore = "needs a proxy: cargo xtask integration litellm"]
async fn a_proxy_that_ignores_the_number_gives_25_distinct_results() {
    let pages = pages("rust", SearchOptions::top(25), 1).await.unwrap();
    assert_eq!(pages.len(), 25);
    assert_eq!(links(&pages).into_iter().collect::<BTreeSet<_>>().len(), 25);
    assert_eq!(pages[0].title, "Page 0");
    assert_eq!(pages[0].snippet, "What page 0 says about rust.");
    let published = DateTime::parse("2025-03-31T08:00:00Z").unwrap();
    assert_eq!(pages[0].to_result().published, Some(published));
}

#[tokio::test]
#[ignore = "needs a proxy: cargo xtask integration litellm"]
async fn windows_of_a_proxy_follow_each_other() {
    let whole = pages("rust", SearchOptions::top(25), 1).await.unwrap();
    let second = pages("rust", SearchOptions::top(10).with_skip(10), 1).await.unwrap();
    assert_eq!(links(&second), &links(&whole)[10..20]);
}

#[tokio::test]
#[ignore = "needs a proxy: cargo xtask integration litellm"]
async fn a_site_filter_holds_although_the_engine_ignores_it() {
    let filter = r#"site = "site1.example""#.parse().unwrap();
    let pages = pages("rust", SearchOptions::top(20).with_filter(filter), 1).await.unwrap();
    assert_eq!(pages.len(), 10);
    assert!(pages.iter().all(|page| page.url.starts_with("https://site1.example/")));
}

#[tokio::test]
#[ignore = "needs a proxy: cargo xtask integration litellm"]
async fn errors_of_the_engine_keep_their_kind() {
    let cases = [
        (401, "authentication"),
        (429, "rate_limited"),
        (500, "unavailable"),
        (400, "unexpected_status"),
    ];
    for (status, kind) in cases {
        let error = error(&format!("status {status} politely")).await;
        assert_eq!(error.kind().name(), kind, "{error}");
        assert!(error.message().contains("it refuses: politely"), "{error}");
    }
}

#[tokio::test]
#[ignore = "needs a proxy: cargo xtask integration litellm"]
async fn a_key_in_an_error_of_the_engine_is_removed() {
    let key = std::env::var(PERPLEXITY_API_KEY).unwrap();
    let error = error(&format!("status 403 {key}")).await;
    assert!(error.message().contains("it refuses"), "{error}");
    assert!(!format!("{error:?} {error}").contains(&key), "{error}");
}

#[tokio::test]
#[ignore = "needs a proxy: cargo xtask integration litellm"]
async fn a_rate_limit_is_retried() {
    let pages = pages("once 429", SearchOptions::top(3), 3).await.unwrap();
    assert_eq!(pages.len(), 3);
}
