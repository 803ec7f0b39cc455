//! The connectors that `--source` selects by name.

mod bing;
mod brave;
mod google;
mod searxng;
mod tavily;

use std::sync::Arc;

use anyhow::Result;
use textsearch_core::{ErrorKind, TextSearch, http::HttpClient};

use super::offline;
use crate::errors::usage;

type Opened<E = textsearch_core::Error> = Result<Arc<dyn TextSearch>, E>;

/// A connector that `--source` selects.
pub(super) struct Source {
    /// The name in `--source`.
    pub(super) name: &'static str,
    /// The name in errors and results. One connector may offer several searches.
    pub(super) connector: &'static str,
    /// The crate that contains the connector.
    pub(super) crate_name: &'static str,
    /// The kind of results.
    pub(super) finds: &'static str,
    /// The environment variable with the key, if the connector needs one.
    pub(super) key_variable: Option<&'static str>,
    /// Creates the search as the environment configures it, with `endpoint` as an override.
    open: fn(endpoint: Option<&str>) -> Opened,
    /// Creates the search without a key, over an offline client.
    offline: fn(HttpClient) -> Opened,
    /// The service's response, reduced to the part that shows whether it reports a total.
    pub(super) answer: &'static str,
}

/// All connectors. Connectors to retired or closing services come last.
pub(super) const SOURCES: [Source; 6] =
    [searxng::WEB, brave::WEB, tavily::WEB, bing::WEB, bing::NEWS, google::WEB];

/// Creates the search of the connector `name`, as the environment configures it.
///
/// # Errors
///
/// Returns a usage error if the connector doesn't exist, or a key or setting is missing or invalid.
pub(crate) fn open(name: &str, endpoint: Option<&str>) -> Result<Arc<dyn TextSearch>> {
    let source = find(name)?;
    (source.open)(endpoint).map_err(|error| match error.kind() {
        // No request was sent, so the key is missing, not wrong.
        ErrorKind::Authentication => usage(error.to_string()),
        _ => error.into(),
    })
}

/// Creates the same search for inspection only. It needs no key and sends nothing.
///
/// # Errors
///
/// Returns a usage error if the connector doesn't exist.
pub(crate) fn describe(name: &str) -> Result<Arc<dyn TextSearch>> {
    Ok(find(name)?.describe()?)
}

impl Source {
    /// See [`describe`].
    pub(super) fn describe(&self) -> Opened {
        (self.offline)(offline::client(self.connector, self.answer)?)
    }
}

fn find(name: &str) -> Result<&'static Source> {
    SOURCES.iter().find(|source| source.name == name).ok_or_else(|| {
        let names = SOURCES.map(|source| source.name).join(", ");
        usage(format!("there is no connector `{name}`: try one of {names}"))
    })
}
