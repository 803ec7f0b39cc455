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
    "camelCase";

    /// A web page found by Exa.
    ///
    /// Each field is one of the [reference](https://exa.ai/docs/reference/search), under the same
    /// name in `PascalCase`. Missing values are left out.
    #[schemars(description = "A web page that Exa found")]
    pub struct ExaPage {
        /// Title of the page.
        pub title: String,
        /// URL of the page.
        pub url: String,
        /// Exa's identifier.
        pub id: Option<String>,
        /// The parts of the page about the query.
        pub highlights: Vec<String>,
        /// The whole page, if requested.
        pub text: Option<String>,
        /// Estimated time of publication: `2025-03-31T08:15:00.000Z`.
        pub published_date: Option<String>,
        /// Author of the page.
        pub author: Option<String>,
        /// Relevance. Most search types have none.
        pub score: Option<f64>,
        /// URL of an image of the page.
        pub image: Option<String>,
        /// URL of the site's icon.
        pub favicon: Option<String>,
    }
}

impl TextSearchRecord for ExaPage {
    fn text(&self) -> Cow<'_, str> {
        match (&self.text, self.highlights.as_slice()) {
            (Some(text), _) => Cow::Borrowed(text),
            (None, [highlight]) => Cow::Borrowed(highlight),
            (None, highlights) => highlights.join("\n").into(),
        }
    }

    fn to_result(&self) -> TextSearchResult {
        let result =
            page_result(self.text(), &self.title, &self.url, self.published_date.as_deref());
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
    results: ResultList<ExaPage>,
    /// Request id, search type, time and cost.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

impl Answer {
    pub(crate) fn into_page(self) -> ResultPage<ExaPage> {
        ResultPage::of(CONNECTOR, self.results).with_facts(self.rest)
    }
}
