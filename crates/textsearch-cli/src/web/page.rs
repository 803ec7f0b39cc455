//! Reads web pages, including those behind search results.

use std::sync::Arc;

use anyhow::Result;
use textsearch_core::{TextSearch, connector::AnyTextSearch};
use textsearch_web_page::{
    FullPages, FullPagesSettings, ResultPages, ServicePageReader, TextBudget, WebPageReader,
    WebPageSettings,
};

use crate::arguments::FullPagesArguments;

pub(crate) fn full_pages(
    search: Arc<dyn TextSearch>,
    arguments: &FullPagesArguments,
) -> Result<Arc<dyn TextSearch>> {
    let mut settings = FullPagesSettings::default();
    if let Some(max) = arguments.max_characters {
        settings.page_budget = TextBudget::Characters(max.get());
    }
    let reader = page_reader(&arguments.allow_host)?;
    let mut pages = FullPages::new(AnyTextSearch::new(search), reader, settings)?;
    for service in &arguments.page_readers {
        pages = pages.with_page_reader(ServicePageReader::from_env(*service)?);
    }
    Ok(Arc::new(pages))
}

/// Returns the search with the pages that it found.
pub(crate) fn result_pages(
    search: Arc<dyn TextSearch>,
    arguments: &FullPagesArguments,
) -> Result<ResultPages> {
    let mut pages = ResultPages::new(search, page_reader(&arguments.allow_host)?);
    for service in &arguments.page_readers {
        pages = pages.with_page_reader(ServicePageReader::from_env(*service)?);
    }
    Ok(pages)
}

/// Returns a reader of public pages and of pages on the `allowed` hosts.
pub(crate) fn page_reader(allowed: &[String]) -> Result<WebPageReader> {
    let settings = allowed
        .iter()
        .try_fold(WebPageSettings::default(), |all, host| all.with_allowed_host(host))?;
    Ok(WebPageReader::new(settings)?)
}
