//! Stand-ins for a build without the feature `web`. Their errors name the feature.

use std::sync::Arc;

use anyhow::Result;
use textsearch_core::TextSearch;

use super::Capabilities;
use crate::{arguments::FullPagesArguments, errors::usage};

pub(crate) fn open(name: &str, _endpoint: Option<&str>) -> Result<Arc<dyn TextSearch>> {
    describe(name)
}

pub(crate) fn describe(name: &str) -> Result<Arc<dyn TextSearch>> {
    Err(usage(format!(
        "there is no connector `{name}`, since this build has no web connectors: try --from PATH or --store FILE, or \
         a build with the feature `web`"
    )))
}

pub(crate) fn full_pages(
    _search: Arc<dyn TextSearch>,
    _arguments: &FullPagesArguments,
) -> Result<Arc<dyn TextSearch>> {
    Err(cannot_fetch())
}

pub(crate) async fn capabilities() -> Result<Vec<Capabilities>> {
    Ok(Vec::new())
}

pub(crate) fn advice(_error: &anyhow::Error) -> Option<String> {
    None
}

pub(crate) fn cannot_fetch() -> anyhow::Error {
    usage("this build cannot fetch pages: try a build with the feature `web`")
}
