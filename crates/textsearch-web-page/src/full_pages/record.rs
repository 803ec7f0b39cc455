//! A record with the text of its page.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use textsearch_core::{TextSearchRecord, TextSearchResult, results::Explanation};

use super::{pages::PageText, unread::Unread};

/// A search result with the text of its page instead of the snippet.
///
/// It serializes as a [`TextSearchResult`]: `Name`, `Value`, `Link` and so on. The metadata has
/// `truncated: true` if the text was truncated, and `full_page_reader` with the name of the
/// [`PageReader`](crate::PageReader) that read the page, if [`WebPageReader`](crate::WebPageReader) couldn't.
///
/// If the page couldn't be read, `Value` is the snippet and the metadata has `full_page_error` with
/// the failure class: `no_link`, `invalid_link`, `refused` (address rules or a fixed filter),
/// `unreachable`, `timeout`, `status` (an HTTP error), `too_large`, `unreadable` (content type or
/// structure), `empty` or `budget_spent`. The reason, which names hosts and addresses, is only
/// logged, at debug level.
#[derive(Debug, Clone)]
pub struct FullPage<R> {
    record: R,
    result: TextSearchResult,
}

impl<R> FullPage<R> {
    /// Returns the record of the inner search.
    pub fn record(&self) -> &R {
        &self.record
    }

    /// Returns the record of the inner search by value.
    pub fn into_record(self) -> R {
        self.record
    }

    /// Returns the result with the text of the page.
    pub fn result(&self) -> &TextSearchResult {
        &self.result
    }

    /// Doesn't truncate the text yet.
    pub(super) fn new(
        record: R,
        snippet: TextSearchResult,
        page: &Result<PageText, Unread>,
    ) -> Self {
        let result = match page {
            Ok(page) => {
                let mut result = snippet;
                result.value.clone_from(&page.text);
                result.name = result.name.or_else(|| page.title.clone());
                result.published = result.published.or(page.published);
                if let Some(reader) = &page.reader {
                    result = result.with_metadata(FULL_PAGE_READER, reader.as_str());
                }
                if page.is_cut { result.with_metadata(TRUNCATED, true) } else { result }
            }
            Err(why) => snippet.with_metadata(FULL_PAGE_ERROR, why.name()),
        };
        Self { record, result }
    }

    pub(super) fn characters(&self) -> usize {
        self.result.value.chars().count()
    }

    pub(super) fn cut_to(&mut self, max: usize) {
        if let Some(beginning) = super::budget::cut(&self.result.value, max) {
            self.result.value = beginning.to_owned();
            self.result.metadata.insert(TRUNCATED.to_owned(), true.into());
        }
    }
}

const TRUNCATED: &str = "truncated";
const FULL_PAGE_ERROR: &str = "full_page_error";
const FULL_PAGE_READER: &str = "full_page_reader";

impl<R: TextSearchRecord> TextSearchRecord for FullPage<R> {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.result.value)
    }

    fn to_result(&self) -> TextSearchResult {
        self.result.clone()
    }

    fn explanation(&self) -> &Explanation {
        &self.result.explanation
    }
}

impl<R> Serialize for FullPage<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.result.serialize(serializer)
    }
}

impl<R> JsonSchema for FullPage<R> {
    fn schema_name() -> Cow<'static, str> {
        TextSearchResult::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        TextSearchResult::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        TextSearchResult::json_schema(generator)
    }
}
