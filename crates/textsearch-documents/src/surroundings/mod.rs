//! A search whose results show more of their documents.

mod around;
mod block;
mod record;

use std::{fmt, sync::Arc};

use textsearch_core::{
    Filter, Result, SearchOptions, SearchResults, TextSearch,
    connector::TextSearchWrapper,
    results::{AnyRecord, Page},
};

pub use self::around::Around;
use crate::DocumentStore;

/// As many results as are read at once.
const BLOCK: usize = 64;

const MAX_CHARACTERS: usize = 4_000;

/// A search whose results show the text around them, from a [`DocumentStore`].
///
/// - **Text**: a result has the text of neighbouring chunks, of its section, or of its document, in the
///   order of the document and without what chunks repeat. Chunks are added whole, the nearest first, up
///   to [`max_characters`](Self::with_max_characters).
/// - **Merging**: results whose texts overlap or follow each other become one. It keeps the place, name,
///   link, id and score of the best. Together, they have no more characters than they would have apart.
/// - **Paging**: `top` and `skip` count the results of the inner search, so a page may have fewer results
///   than `top`, and its results are merged with each other, in blocks of 64. The total count also counts
///   them.
/// - **Filters**: added chunks match the filter and the fixed filter of the search. A hidden chunk ends
///   the text.
/// - **Other results**, which aren't chunks of the store, stay as they are.
///
/// A block of results takes one read by key.
///
/// ```
/// use textsearch_core::{SearchOptions, TextSearch};
/// use textsearch_documents::{Around, Chunker, Document, DocumentSchema, DocumentStore, Surroundings};
/// use textsearch_vector_inmemory::InMemoryVectorStore;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_core::Result<()> {
/// let store = InMemoryVectorStore::new();
/// let docs = DocumentStore::open(&store, "docs", &DocumentSchema::default(), Chunker::default()).await?;
/// docs.upsert([Document::markdown("tides", "# Tides\n\nHigh at noon.\n\n# Wind\n\nFrom the west.")]).await?;
/// let search = Surroundings::new(docs.text_search(), docs.clone(), Around::Neighbours(1));
/// let texts = search.search("noon", &SearchOptions::top(1)).await?.into_vec().await?;
/// assert_eq!(texts, ["# Tides\n\nHigh at noon.\n\n# Wind\n\nFrom the west."]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Surroundings {
    inner: Arc<dyn TextSearch>,
    documents: DocumentStore,
    around: Around,
    max_characters: usize,
}

impl Surroundings {
    /// Shows the text around the results of `search`, which finds chunks of `documents`.
    pub fn new(
        search: impl TextSearch + 'static,
        documents: DocumentStore,
        around: Around,
    ) -> Self {
        let max_characters = MAX_CHARACTERS;
        Self { inner: Arc::new(search), documents, around, max_characters }
    }

    /// Sets the maximum number of characters of a result; 4,000 by default. A longer chunk stays whole.
    #[must_use]
    pub fn with_max_characters(mut self, characters: usize) -> Self {
        self.max_characters = characters;
        self
    }
}

/// The rest of a search, read in blocks.
struct Blocks {
    surroundings: Surroundings,
    filter: Option<Filter>,
    results: SearchResults<AnyRecord>,
}

impl Blocks {
    async fn next(mut self) -> Result<Page<Result<AnyRecord>, Self>> {
        let mut block = Vec::new();
        while block.len() < BLOCK
            && let Some(result) = self.results.next().await
        {
            block.push(result);
        }
        let is_full = block.len() == BLOCK;
        let items = self.surroundings.expanded(block, self.filter.as_ref()).await?;
        Ok(Page::new(items, is_full.then_some(self)))
    }
}

impl TextSearchWrapper for Surroundings {
    fn inner(&self) -> &dyn TextSearch {
        &self.inner
    }

    async fn search_inner(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchResults<AnyRecord>> {
        let results = self.inner.search_any(query, options).await?;
        if self.around == Around::None || options.top == 0 {
            return Ok(results);
        }
        let count = results.total_count();
        let metadata = results.metadata().clone();
        let filter = options.filter().map(std::borrow::Cow::into_owned);
        let results = results.window(0, options.top);
        let blocks = Blocks { surroundings: self.clone(), filter, results };
        let results = SearchResults::paged(blocks.next().await?, Blocks::next);
        Ok(results.try_map(|item| item).with_metadata(metadata).with_total_count(count))
    }
}

impl fmt::Debug for Surroundings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Surroundings")
            .field("inner", &self.inner.name())
            .field("around", &self.around)
            .field("max_characters", &self.max_characters)
            .finish_non_exhaustive()
    }
}
