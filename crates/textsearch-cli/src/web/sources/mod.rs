//! The connectors that `--source` selects by name.

mod bing;
mod google;
mod searxng;

use std::sync::Arc;

use anyhow::Result;
use textsearch_bing::WebIqConfig;
use textsearch_brave::{BraveConfig, BraveContextConfig};
use textsearch_core::{
    ErrorKind, TextSearch,
    web::{WebEngine, WebSearch},
};
use textsearch_exa::ExaConfig;
use textsearch_linkup::LinkupConfig;
use textsearch_perplexity::PerplexityConfig;
use textsearch_serper::SerperConfig;
use textsearch_tavily::TavilyConfig;

use crate::errors::usage;

type Opened<E = textsearch_core::Error> = Result<Arc<dyn TextSearch>, E>;

pub(super) struct Source {
    /// The name in `--source`.
    pub(super) name: &'static str,
    /// The name in errors and results; one connector may offer several searches.
    pub(super) connector: &'static str,
    /// The environment variable with the key, if one is needed.
    pub(super) key_variable: Option<&'static str>,
    /// The environment variable with the URL of the service.
    pub(super) endpoint_variable: &'static str,
    /// Creates the search from the environment, at `endpoint` if given.
    open: fn(endpoint: Option<&str>) -> Opened,
    /// Creates the search without the environment, for its description.
    describe: fn() -> Opened,
}

/// The source of an engine with a key.
macro_rules! keyed {
    ($config:ty) => {
        keyed!(<$config>::NAME, $config)
    };
    ($name:expr, $config:ty) => {
        Source {
            name: $name,
            connector: <$config>::NAME,
            key_variable: <$config>::KEY_VARIABLE,
            endpoint_variable: <$config>::ENDPOINT_VARIABLE,
            open: |endpoint| {
                let config = <$config>::from_env()?;
                let config = match endpoint {
                    Some(endpoint) => config.with_endpoint(endpoint),
                    None => config,
                };
                Ok(Arc::new(WebSearch::new(config)?))
            },
            describe: || Ok(Arc::new(WebSearch::new(<$config>::new("none"))?)),
        }
    };
}

/// All connectors, retired or closing services last.
pub(super) const SOURCES: [Source; 12] = [
    searxng::WEB,
    keyed!(BraveConfig),
    keyed!("brave-context", BraveContextConfig),
    keyed!(TavilyConfig),
    keyed!(PerplexityConfig),
    keyed!(ExaConfig),
    keyed!(WebIqConfig),
    keyed!(LinkupConfig),
    keyed!(SerperConfig),
    bing::WEB,
    bing::NEWS,
    google::WEB,
];

pub(crate) fn open(name: &str, endpoint: Option<&str>) -> Result<Arc<dyn TextSearch>> {
    let source = find(name)?;
    (source.open)(endpoint).map_err(|error| match error.kind() {
        // No request was sent, so the key is missing, not wrong.
        ErrorKind::Authentication => usage(error.to_string()),
        _ => error.into(),
    })
}

/// Opens the search to inspect it: this needs no key and sends nothing.
pub(crate) fn describe(name: &str) -> Result<Arc<dyn TextSearch>> {
    Ok((find(name)?.describe)()?)
}

fn find(name: &str) -> Result<&'static Source> {
    SOURCES.iter().find(|source| source.name == name).ok_or_else(|| {
        let names = SOURCES.map(|source| source.name).join(", ");
        usage(format!("there is no connector `{name}`: try one of {names}"))
    })
}
