//! The connectors that `--source` selects by name.

mod bing;
mod brave;
mod google;
mod searxng;
mod tavily;

use std::sync::Arc;

use anyhow::Result;
use textsearch_core::{ErrorKind, TextSearch};

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

/// All connectors, retired or closing services last.
pub(super) const SOURCES: [Source; 6] =
    [searxng::WEB, brave::WEB, tavily::WEB, bing::WEB, bing::NEWS, google::WEB];

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
