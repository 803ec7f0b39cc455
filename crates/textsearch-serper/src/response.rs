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

    /// A web page that Google found.
    ///
    /// Each field is one of [Serper's](https://serper.dev/playground), under the same name in
    /// `PascalCase`. Missing values are left out.
    #[schemars(description = "A web page that Google found")]
    pub struct SerperPage {
        /// Title of the page.
        pub title: String,
        /// URL of the page.
        pub link: String,
        /// The part of the page about the query.
        pub snippet: String,
        /// Date as Google writes it: `Mar 31, 2025` or `2 days ago`.
        pub date: Option<String>,
        /// Rank in Google's page, counted from 1.
        pub position: Option<u64>,
        /// Facts about the page, such as a rating.
        pub attributes: Option<Value>,
        /// Links to parts of the site.
        pub sitelinks: Vec<Value>,
    }
}

impl TextSearchRecord for SerperPage {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.snippet)
    }

    fn to_result(&self) -> TextSearchResult {
        page_result(&self.snippet, &self.title, &self.link, None)
    }
}

/// A response.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Answer {
    organic: ResultList<SerperPage>,
    /// Answer box, knowledge graph, questions, related searches, credits.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

impl Answer {
    pub(crate) fn into_page(mut self) -> ResultPage<SerperPage> {
        self.rest.remove("searchParameters");
        ResultPage::of(CONNECTOR, self.organic).with_facts(self.rest)
    }
}
