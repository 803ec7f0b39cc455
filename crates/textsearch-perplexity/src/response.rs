//! Responses and records.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Map, Value};
use textsearch_core::{
    TextSearchRecord, TextSearchResult,
    web::{ResultList, ResultPage, page_result, records},
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
        page_result(&self.snippet, &self.title, &self.url, self.date.as_deref())
    }
}

/// A response.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Answer {
    results: ResultList<PerplexityPage>,
    /// Id and server time.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

impl Answer {
    pub(crate) fn into_page(self) -> ResultPage<PerplexityPage> {
        ResultPage::of(CONNECTOR, self.results).with_facts(self.rest)
    }
}
