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

    /// A web page found by Tavily.
    ///
    /// Each field is one of the
    /// [reference](https://docs.tavily.com/documentation/api-reference/endpoint/search), under the
    /// same name in `PascalCase`. Missing values are left out.
    #[schemars(description = "A web page that Tavily found")]
    pub struct TavilyWebPage {
        /// Title of the page.
        pub title: String,
        /// URL of the page.
        pub url: String,
        /// Part of the page about the query: a summary, or excerpts separated by `[...]`.
        pub content: String,
        /// Relevance, from 0 to 1.
        pub score: Option<f64>,
        /// The whole page, if requested.
        pub raw_content: Option<String>,
        /// Publication time as Tavily writes it: `Mon, 31 Mar 2025 08:00:00 GMT` or `2025-03-31`.
        pub published_date: Option<String>,
        /// URL of the site's icon, if requested.
        pub favicon: Option<String>,
        /// Images of the page, if requested: URLs, or objects with a URL and a description.
        pub images: Vec<Value>,
    }
}

impl TextSearchRecord for TavilyWebPage {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.content)
    }

    fn to_result(&self) -> TextSearchResult {
        let result =
            page_result(&self.content, &self.title, &self.url, self.published_date.as_deref());
        match self.score {
            Some(score) => result.with_score(score),
            None => result,
        }
    }
}

/// A response.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Answer {
    results: ResultList<TavilyWebPage>,
    /// Query, answer, images, response time, request id and cost.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

impl Answer {
    pub(crate) fn into_page(self) -> ResultPage<TavilyWebPage> {
        ResultPage::of(CONNECTOR, self.results).with_facts(self.rest)
    }
}
