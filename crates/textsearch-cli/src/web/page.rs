//! Pages of the web: one by its URL, or those behind the results of a search.

use std::sync::Arc;

use anyhow::Result;
use serde::Serialize;
use textsearch_core::{TextSearch, connector::AnyTextSearch};
use textsearch_web_page::{
    FullPages, FullPagesSettings, TextBudget, WebPage, WebPageReader, WebPageSettings,
};

use crate::{
    arguments::{FullPagesArguments, OutputFormat, PageArguments},
    messages,
    output::{Output, printable},
};

/// The page, for programs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Printed {
    #[serde(flatten)]
    page: WebPage,
    truncated: bool,
}

/// `textsearch page`: the readable text of one page.
pub(crate) async fn print_page(arguments: &PageArguments, output: &mut Output) -> Result<()> {
    let reader = reader(&arguments.allow_host)?;
    let mut page = reader.read(&arguments.url).await?;
    let most = arguments.max_characters.map(|most| TextBudget::Characters(most.get()));
    let beginning = most.and_then(|most| most.cut(&page.text)).map(str::to_owned);
    let truncated = beginning.is_some();
    page.text = beginning.unwrap_or(page.text);
    if arguments.output == OutputFormat::Json {
        return output.json(&Printed { page, truncated });
    }
    if page.text.is_empty() {
        messages::warn("the page has no text: it may be made by scripts in a browser");
    }
    if let Some(title) = &page.title {
        output.line(&format!("{}\n\n", printable(title)))?;
    }
    output.line(&printable(&page.text))
}

/// The same search with whole pages in place of snippets.
pub(crate) fn full_pages(
    search: Arc<dyn TextSearch>,
    arguments: &FullPagesArguments,
) -> Result<Arc<dyn TextSearch>> {
    let mut settings = FullPagesSettings::default();
    if let Some(most) = arguments.max_characters {
        settings = settings.with_page_budget(TextBudget::Characters(most.get()));
    }
    let reader = reader(&arguments.allow_host)?;
    Ok(Arc::new(FullPages::new(AnyTextSearch::new(search), reader, settings)?))
}

fn reader(allowed: &[String]) -> Result<WebPageReader> {
    let settings = allowed
        .iter()
        .try_fold(WebPageSettings::default(), |all, host| all.with_allowed_host(host))?;
    Ok(WebPageReader::new(settings)?)
}
