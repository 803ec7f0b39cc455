//! The connectors of this build that a name on the command line selects.

use std::sync::Arc;

use anyhow::Result;
use textsearch_core::TextSearch;

use crate::{capabilities::Capabilities, errors::usage};

/// A connector that `--source` selects.
pub(crate) struct Source {
    /// What `--source` calls it.
    pub(crate) name: &'static str,
    /// Makes the search, at another endpoint than the usual one where one is given.
    pub(crate) open: fn(endpoint: Option<&str>) -> Result<Arc<dyn TextSearch>>,
    /// Says what it can do.
    pub(crate) capabilities: fn() -> Capabilities,
}

/// All of them; web connectors add themselves here.
pub(crate) const SOURCES: &[Source] = &[];

/// The search of the connector called `name`.
pub(crate) fn open(name: &str, endpoint: Option<&str>) -> Result<Arc<dyn TextSearch>> {
    match SOURCES.iter().find(|source| source.name == name) {
        Some(source) => (source.open)(endpoint),
        None => Err(usage(format!("there is no connector `{name}` in this build: {}", known()))),
    }
}

fn known() -> String {
    let names: Vec<&str> = SOURCES.iter().map(|source| source.name).collect();
    match names.as_slice() {
        [] => "it has no web connectors: try --from PATH or --store FILE".to_owned(),
        names => format!("try one of {}", names.join(", ")),
    }
}
