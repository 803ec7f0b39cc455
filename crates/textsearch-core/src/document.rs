//! The trait for reading whole documents.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Filter, Result, SearchOptions, SearchResults, results::Metadata};

/// A document, without its text. It serialises as `Id`, `Name`, `Link` and `Metadata`, without unknown
/// ones.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
#[schemars(description = "A document: its id, its title and its link")]
#[non_exhaustive]
pub struct DocumentInfo {
    /// The id to read it by.
    pub id: String,
    /// The title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The link for citations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// Other facts about it.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
}

impl DocumentInfo {
    /// Creates a description with only an id.
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), ..Self::default() }
    }

    /// Sets the title.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the link.
    #[must_use]
    pub fn with_link(mut self, link: impl Into<String>) -> Self {
        self.link = Some(link.into());
        self
    }
}

/// A page of a document's text. It serialises as the fields of [`DocumentInfo`] with `Text`, `Offset` and
/// `NextOffset`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
#[schemars(description = "A part of a document's text")]
#[non_exhaustive]
pub struct DocumentPage {
    /// The document.
    #[serde(flatten)]
    pub document: DocumentInfo,
    /// The text. The texts of all pages, one after another, are the text of the document.
    pub text: String,
    /// Where the page begins.
    pub offset: u64,
    /// Where the next page begins; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
}

impl DocumentPage {
    /// Returns the page of `text` from the offset in bytes; `None` if the text ends before it. For readers
    /// that hold a document's whole text.
    pub fn from_text(document: DocumentInfo, text: &str, options: &ReadOptions) -> Option<Self> {
        let offset = options.offset;
        let start = usize::try_from(offset).ok()?;
        let rest = text.get(start..).filter(|rest| start == 0 || !rest.is_empty())?;
        let end = page_end(rest, options.max_bytes());
        let next_offset = (end < rest.len()).then_some(offset + end as u64);
        let text = rest.get(..end).unwrap_or_default().to_owned();
        Some(Self { document, text, offset, next_offset })
    }
}

/// Returns where a page of at most `max` bytes ends: after a whole word if there is one, and after at least
/// one character.
fn page_end(text: &str, max: usize) -> usize {
    if text.len() <= max {
        return text.len();
    }
    let mut end = 0;
    let mut after_word = None;
    for (start, character) in text.char_indices() {
        let next = start + character.len_utf8();
        if end > 0 && next > max {
            break;
        }
        end = next;
        if character.is_whitespace() {
            after_word = Some(end);
        }
    }
    after_word.unwrap_or(end)
}

/// Which page to read, and of which documents.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Where the page begins: 0 by default, or the [`next_offset`](DocumentPage::next_offset) of the page
    /// before. What it counts is up to the reader.
    pub offset: u64,
    max_bytes: usize,
    filter: Option<Filter>,
}

impl ReadOptions {
    /// The largest maximum, and the default.
    pub const MAX_BYTES: usize = 64 << 10;

    /// Begins the page at `offset`.
    #[must_use]
    pub fn with_offset(mut self, offset: u64) -> Self {
        self.offset = offset;
        self
    }

    /// Sets the maximum size of the page's text; [`MAX_BYTES`](Self::MAX_BYTES) at most. A reader whose texts
    /// are in parts returns at least one part, even if it is larger.
    #[must_use]
    pub fn with_max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes.clamp(1, Self::MAX_BYTES);
        self
    }

    /// Reads only documents that match `filter`. A second filter narrows the first.
    #[must_use]
    pub fn with_filter(mut self, filter: Filter) -> Self {
        self.filter = Some(match self.filter {
            Some(first) => first.and(filter),
            None => filter,
        });
        self
    }

    /// Returns the maximum size of the page's text.
    pub fn max_bytes(&self) -> usize {
        self.max_bytes
    }

    /// Returns the condition that documents must match.
    pub fn filter(&self) -> Option<&Filter> {
        self.filter.as_ref()
    }
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { offset: 0, max_bytes: Self::MAX_BYTES, filter: None }
    }
}

/// Reads the documents behind search results, page by page.
///
/// Put [`#[async_trait]`](crate::async_trait) on each `impl`.
///
/// # Behavior
///
/// - For an unknown document and for one that the filter hides, the answer is `None`, so a caller can't tell
///   them apart.
/// - A filter is applied or rejected, never dropped.
/// - Memory is bounded by a page, whatever the size of the document.
///
/// ```
/// use textsearch_core::{
///     Filter, Result, SearchOptions, SearchResults, async_trait,
///     document::{DocumentInfo, DocumentPage, DocumentReader, ReadOptions},
/// };
///
/// /// One note.
/// struct Note;
///
/// #[async_trait]
/// impl DocumentReader for Note {
///     fn check_filter(&self, filter: &Filter) -> Result<()> {
///         filter.check("note", &[])
///     }
///
///     async fn read(&self, id: &str, options: &ReadOptions) -> Result<Option<DocumentPage>> {
///         let document = Some(DocumentInfo::new(id)).filter(|document| document.id == "tides");
///         Ok(document.and_then(|document| DocumentPage::from_text(document, "High water is at noon.", options)))
///     }
///
///     async fn list(&self, options: &SearchOptions) -> Result<SearchResults<DocumentInfo>> {
///         Ok(SearchResults::from_vec(vec![DocumentInfo::new("tides")]).window(options.skip, options.top))
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let first = Note.read("tides", &ReadOptions::default().with_max_bytes(12)).await?.unwrap_or_default();
/// assert_eq!((first.text.as_str(), first.next_offset), ("High water ", Some(11)));
/// # Ok(())
/// # }
/// ```
#[async_trait]
pub trait DocumentReader: Send + Sync {
    /// Checks that documents can be read and listed under `filter`.
    ///
    /// # Errors
    ///
    /// Returns [`UnsupportedFilter`](crate::ErrorKind::UnsupportedFilter) with the field's name, or
    /// [`InvalidOptions`](crate::ErrorKind::InvalidOptions) if the reader can apply no filter.
    fn check_filter(&self, filter: &Filter) -> Result<()>;

    /// Reads a page of the document `id`: an id of [`list`](Self::list), or the id of a search result, or its
    /// link if it has none. Returns `None` if there is no such document, if the filter hides it, or if it ends
    /// before the offset.
    ///
    /// # Errors
    ///
    /// Returns an error of [`check_filter`](Self::check_filter), or of the backend.
    async fn read(&self, id: &str, options: &ReadOptions) -> Result<Option<DocumentPage>>;

    /// Returns the documents in the window of `options` that match their filters, in a stable order.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`read`](Self::read).
    async fn list(&self, options: &SearchOptions) -> Result<SearchResults<DocumentInfo>>;
}

impl fmt::Debug for dyn DocumentReader + '_ {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("DocumentReader").finish_non_exhaustive()
    }
}

#[async_trait]
impl<R: DocumentReader + ?Sized> DocumentReader for Arc<R> {
    fn check_filter(&self, filter: &Filter) -> Result<()> {
        (**self).check_filter(filter)
    }

    async fn read(&self, id: &str, options: &ReadOptions) -> Result<Option<DocumentPage>> {
        (**self).read(id, options).await
    }

    async fn list(&self, options: &SearchOptions) -> Result<SearchResults<DocumentInfo>> {
        (**self).list(options).await
    }
}

/// A reader under a fixed filter: a document that doesn't match is missing.
///
/// ```no_run
/// use textsearch_core::{
///     Filter, Result,
///     document::{DocumentReader, FilteredReader},
/// };
///
/// fn public(documents: impl DocumentReader + 'static) -> Result<FilteredReader> {
///     FilteredReader::new(documents, Filter::eq("public", true))
/// }
/// ```
#[derive(Debug, Clone)]
pub struct FilteredReader {
    inner: Arc<dyn DocumentReader>,
    filter: Filter,
}

impl FilteredReader {
    /// Adds `filter` to every call of `reader`.
    ///
    /// # Errors
    ///
    /// Returns an error of [`check_filter`](DocumentReader::check_filter).
    pub fn new(reader: impl DocumentReader + 'static, filter: Filter) -> Result<Self> {
        reader.check_filter(&filter)?;
        Ok(Self { inner: Arc::new(reader), filter })
    }
}

#[async_trait]
impl DocumentReader for FilteredReader {
    fn check_filter(&self, filter: &Filter) -> Result<()> {
        self.inner.check_filter(filter)
    }

    async fn read(&self, id: &str, options: &ReadOptions) -> Result<Option<DocumentPage>> {
        self.inner.read(id, &options.clone().with_filter(self.filter.clone())).await
    }

    async fn list(&self, options: &SearchOptions) -> Result<SearchResults<DocumentInfo>> {
        self.inner.list(&options.clone().with_fixed_filter(self.filter.clone())).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(text: &str, max: usize) -> Vec<String> {
        let mut options = ReadOptions::default().with_max_bytes(max);
        let mut pages = Vec::new();
        loop {
            let page = DocumentPage::from_text(DocumentInfo::new("a"), text, &options).unwrap();
            pages.push(page.text);
            match page.next_offset {
                Some(next) => options.offset = next,
                None => return pages,
            }
        }
    }

    #[test]
    fn pages_end_after_words_and_join_to_the_text() {
        assert_eq!(pages("one two three", 8), ["one two ", "three"]);
        assert_eq!(pages("änöthér", 3), ["än", "öt", "hé", "r"]);
        assert_eq!(pages("東京", 1), ["東", "京"]);
        assert_eq!(pages("", 1), [""]);
    }

    #[test]
    fn no_page_begins_beyond_the_end_or_inside_a_character() {
        for offset in [1, 2, 3, u64::MAX] {
            let options = ReadOptions::default().with_offset(offset);
            assert_eq!(DocumentPage::from_text(DocumentInfo::new("a"), "ä", &options), None);
        }
    }
}
