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

    /// A web page found by Linkup.
    ///
    /// Each field is one of the
    /// [reference](https://docs.linkup.so/api-reference/search/search), under the same name in
    /// `PascalCase`. Missing values are left out.
    #[schemars(description = "A web page that Linkup found")]
    pub struct LinkupPage {
        /// Title of the page.
        pub name: String,
        /// URL of the page.
        pub url: String,
        /// The text of the page about the query.
        pub content: String,
        /// URL of the site's icon.
        pub favicon: Option<String>,
    }
}

impl TextSearchRecord for LinkupPage {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.content)
    }

    fn to_result(&self) -> TextSearchResult {
        page_result(&self.content, &self.name, &self.url, None)
    }
}

/// A response.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Answer {
    results: ResultList<LinkupPage>,
    /// Other facts.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

impl Answer {
    pub(crate) fn into_page(self) -> ResultPage<LinkupPage> {
        ResultPage::of(CONNECTOR, self.results).with_facts(self.rest)
    }
}
