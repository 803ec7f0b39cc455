//! `textsearch page`: prints the readable text of one page.

use anyhow::Result;
use serde::Serialize;
use textsearch_web_page::{TextBudget, WebPage};

use crate::{
    arguments::{OutputFormat, PageArguments},
    messages,
    output::{Output, printable},
    web,
};

/// The JSON output.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct PrintedPage {
    #[serde(flatten)]
    page: WebPage,
    truncated: bool,
}

pub(crate) async fn run(arguments: &PageArguments, output: &mut Output) -> Result<()> {
    let reader = web::page_reader(&arguments.allow_host)?;
    let mut page = reader.read(&arguments.url).await?;
    let max = arguments.max_characters.map(|max| TextBudget::Characters(max.get()));
    let beginning = max.and_then(|max| max.cut(&page.text)).map(str::to_owned);
    let truncated = beginning.is_some();
    page.text = beginning.unwrap_or(page.text);
    if arguments.output == OutputFormat::Json {
        return output.json(&PrintedPage { page, truncated });
    }
    if page.text.is_empty() {
        messages::warn("the page has no text: it may be made by scripts in a browser");
    }
    if let Some(title) = &page.title {
        output.line(&format!("{}\n\n", printable(title)))?;
    }
    output.line(&printable(&page.text))
}
