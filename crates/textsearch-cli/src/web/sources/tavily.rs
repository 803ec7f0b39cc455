//! `--source tavily`.

use std::sync::Arc;

use textsearch_tavily::{TAVILY_API_KEY, TAVILY_ENDPOINT, TavilyConfig, TavilyTextSearch};

use super::{Opened, Source};

pub(super) const WEB: Source = Source {
    name: "tavily",
    connector: "tavily",
    key_variable: Some(TAVILY_API_KEY),
    endpoint_variable: TAVILY_ENDPOINT,
    open,
    describe: || Ok(Arc::new(TavilyTextSearch::new(TavilyConfig::new("none"))?)),
};

fn open(endpoint: Option<&str>) -> Opened {
    let config = TavilyConfig::from_env()?;
    let config = match endpoint {
        Some(endpoint) => config.with_endpoint(endpoint),
        None => config,
    };
    Ok(Arc::new(TavilyTextSearch::new(config)?))
}
