//! `--source bing` and `--source bing-news`.

use std::sync::Arc;

use textsearch_bing::{BING_API_KEY, BING_ENDPOINT, BingConfig, BingNewsSearch, BingTextSearch};

use super::Source;

pub(super) const WEB: Source = Source {
    name: "bing",
    connector: "bing",
    key_variable: Some(BING_API_KEY),
    endpoint_variable: BING_ENDPOINT,
    open: |endpoint| Ok(Arc::new(BingTextSearch::new(config(endpoint)?)?)),
    describe: || Ok(Arc::new(BingTextSearch::new(BingConfig::new("none"))?)),
};

pub(super) const NEWS: Source = Source {
    name: "bing-news",
    open: |endpoint| Ok(Arc::new(BingNewsSearch::new(config(endpoint)?.for_news())?)),
    describe: || Ok(Arc::new(BingNewsSearch::new(BingConfig::new("none").for_news())?)),
    ..WEB
};

fn config(endpoint: Option<&str>) -> textsearch_core::Result<BingConfig> {
    let config = BingConfig::from_env()?;
    Ok(match endpoint {
        Some(endpoint) => config.with_endpoint(endpoint),
        None => config,
    })
}
