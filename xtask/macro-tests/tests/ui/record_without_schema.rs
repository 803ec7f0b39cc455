//! A record's schema comes from the `schemars` that the core re-exports.

use std::borrow::Cow;

use textsearch_core::{TextSearchRecord, TextSearchResult};

mod other_version {
    pub trait JsonSchema {}
}

#[derive(serde::Serialize)]
struct Page;

impl other_version::JsonSchema for Page {}

impl TextSearchRecord for Page {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn to_result(&self) -> TextSearchResult {
        TextSearchResult::new("")
    }
}

fn main() {}
