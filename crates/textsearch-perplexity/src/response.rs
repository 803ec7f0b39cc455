//! Responses and records.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Map, Value};
use textsearch_core::{
    TextSearchRecord, TextSearchResult,
    filter::DateTime,
    web::{ResultList, ResultPage, is_empty, records},
};

use crate::CONNECTOR;

records! {
    "snake_case";

    /// A web page found by Perplexity.
    ///
    /// Each field is one of the [reference](https://docs.perplexity.ai/api-reference/search-post),
    /// under the same name in `PascalCase`. Missing values are left out.
    #[schemars(description = "A web page that Perplexity found")]
    pub struct PerplexityPage {
        /// Title of the page.
        pub title: String,
        /// URL of the page.
        pub url: String,
        /// The part of the page about the query.
        pub snippet: String,
        /// Day of publication: `2025-03-31`.
        pub date: Option<String>,
        /// Day of the last change.
        pub last_updated: Option<String>,
    }
}

impl TextSearchRecord for PerplexityPage {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.snippet)
    }

    fn to_result(&self) -> TextSearchResult {
        let mut result = TextSearchResult::new(&self.snippet).with_name(&self.title);
        if !self.url.is_empty() {
            result = result.with_link(&self.url);
        }
        match self.date.as_deref().and_then(|date| DateTime::parse(date).ok()) {
            Some(published) => result.with_published(published),
            None => result,
        }
    }
}

/// A response.
#[derive(Debug, Deserialize)]
pub struct Answer {
    #[serde(default)]
    results: Results,
    /// Id and server time.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// The results of one query, or those of several queries in a list each.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Results {
    Several(Vec<ResultList<PerplexityPage>>),
    Single(ResultList<PerplexityPage>),
}

impl Default for Results {
    fn default() -> Self {
        Self::Single(ResultList::default())
    }
}

impl Answer {
    pub(crate) fn into_page(self) -> ResultPage<PerplexityPage> {
        let mut page = match self.results {
            Results::Single(results) => ResultPage::of(CONNECTOR, results),
            Results::Several(lists) => ResultPage::new(alternating(lists)),
        };
        page.metadata = self.rest.into_iter().filter(|(_, value)| !is_empty(value)).collect();
        page
    }
}

/// Returns the first result of each query, then the second of each.
fn alternating(lists: Vec<ResultList<PerplexityPage>>) -> Vec<PerplexityPage> {
    let lists = lists.into_iter().map(|list| list.into_readable(CONNECTOR));
    let ranked = lists.flat_map(|pages| pages.into_iter().enumerate());
    let mut ranked: Vec<_> = ranked.collect();
    ranked.sort_by_key(|(rank, _)| *rank); // Stable: queries keep their order.
    ranked.into_iter().map(|(_, page)| page).collect()
}
