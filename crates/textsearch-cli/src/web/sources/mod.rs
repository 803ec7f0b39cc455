//! The connectors that a name on the command line selects.

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
    /// What `--source` calls it.
    pub(super) name: &'static str,
    /// What errors and results call it: one connector may have several searches.
    pub(super) connector: &'static str,
    /// The crate that it is in.
    pub(super) crate_name: &'static str,
    /// What it finds.
    pub(super) finds: &'static str,
    /// The environment variable with its key, where it needs one.
    pub(super) key_variable: Option<&'static str>,
    /// Makes the search as the environment says, at another endpoint where one is given.
    open: fn(endpoint: Option<&str>) -> Opened,
    /// Makes the search without a key, over a client that reaches nobody.
    offline: fn(HttpClient) -> Opened,
    /// What the service answers, cut down to what tells whether it counts.
    pub(super) answer: &'static str,
}

/// All of them, those that are there to stay first.
pub(super) const SOURCES: [Source; 6] =
    [searxng::WEB, brave::WEB, tavily::WEB, bing::WEB, bing::NEWS, google::WEB];

/// The search of the connector called `name`, as the environment says.
///
/// # Errors
///
/// Wrong use, where there is no such connector, or a key or a setting is missing or cannot be used.
pub(crate) fn open(name: &str, endpoint: Option<&str>) -> Result<Arc<dyn TextSearch>> {
    let source = find(name)?;
    (source.open)(endpoint).map_err(|error| match error.kind() {
        // Nothing was sent: the key is not wrong but missing.
        ErrorKind::Authentication => usage(error.to_string()),
        _ => error.into(),
    })
}

/// The same search for being asked about itself: it needs no key and reaches nobody.
///
/// # Errors
///
/// Wrong use, where there is no such connector.
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
