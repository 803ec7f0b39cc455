//! `--source bing` and `--source bing-news`.

use std::sync::Arc;

use textsearch_bing::{BING_API_KEY, BING_ENDPOINT, BingConfig, BingNewsSearch, BingTextSearch};

use super::Source;

pub(super) const WEB: Source = Source {
    name: "bing",
    connector: "bing",
    crate_name: "textsearch-bing",
    finds: "web",
    key_variable: Some(BING_API_KEY),
    endpoint_variable: BING_ENDPOINT,
    open: |endpoint| Ok(Arc::new(BingTextSearch::new(config(endpoint)?)?)),
    offline: |client| {
        let config = BingConfig::new("none");
        Ok(Arc::new(BingTextSearch::new(config)?.with_http_client(client)))
    },
    answer: r#"{"webPages": {"totalEstimatedMatches": 1, "value": [{"url": "http://a", "name": "a", "snippet": "a"}]}}"#,
};

pub(super) const NEWS: Source = Source {
    name: "bing-news",
    finds: "news",
    open: |endpoint| Ok(Arc::new(BingNewsSearch::new(config(endpoint)?.for_news())?)),
    offline: |client| {
        let config = BingConfig::new("none").for_news();
        Ok(Arc::new(BingNewsSearch::new(config)?.with_http_client(client)))
    },
    answer: r#"{"totalEstimatedMatches": 1, "value": [{"url": "http://a", "name": "a", "description": "a"}]}"#,
    ..WEB
};

fn config(endpoint: Option<&str>) -> textsearch_core::Result<BingConfig> {
    let config = BingConfig::from_env()?;
    Ok(match endpoint {
        Some(endpoint) => config.with_endpoint(endpoint),
        None => config,
    })
}
