//! `--source tavily`.

use std::sync::Arc;

use textsearch_tavily::{TAVILY_API_KEY, TAVILY_ENDPOINT, TavilyConfig, TavilyTextSearch};

use super::{Opened, Source};

pub(super) const WEB: Source = Source {
    name: "tavily",
    connector: "tavily",
    crate_name: "textsearch-tavily",
    finds: "web",
    key_variable: Some(TAVILY_API_KEY),
    endpoint_variable: TAVILY_ENDPOINT,
    open,
    offline: |client| {
        let config = TavilyConfig::new("none");
        Ok(Arc::new(TavilyTextSearch::new(config)?.with_http_client(client)))
    },
    answer: r#"{"results": [{"url": "http://a", "title": "a", "content": "a"}]}"#,
};

fn open(endpoint: Option<&str>) -> Opened {
    let config = TavilyConfig::from_env()?;
    let config = match endpoint {
        Some(endpoint) => config.with_endpoint(endpoint),
        None => config,
    };
    Ok(Arc::new(TavilyTextSearch::new(config)?))
}
