//! Keeps the results that a template reads, to check citations.

use std::sync::{Arc, Mutex, PoisonError};

use textsearch_core::{
    Result, SearchOptions, SearchResults, TextSearch, TextSearchRecord as _,
    connector::TextSearchWrapper, results::AnyRecord,
};
use textsearch_kernel::citations::Sources;

/// A search that remembers each result read from it. The kernel numbers only the results of the
/// model's calls.
pub(super) struct RecordedSearch {
    search: Arc<dyn TextSearch>,
    sources: RecordedSources,
}

#[derive(Clone, Default)]
pub(super) struct RecordedSources(Arc<Mutex<Sources>>);

impl RecordedSearch {
    pub(super) fn new(search: Arc<dyn TextSearch>, sources: RecordedSources) -> Self {
        Self { search, sources }
    }
}

impl RecordedSources {
    /// Takes the results, in reading order.
    pub(super) fn take(&self) -> Sources {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, record: &AnyRecord) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).add(&record.to_result());
    }
}

impl TextSearchWrapper for RecordedSearch {
    fn inner(&self) -> &dyn TextSearch {
        &self.search
    }

    async fn search_inner(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchResults<AnyRecord>> {
        let sources = self.sources.clone();
        let results = self.search.search_any(query, options).await?;
        Ok(results.map(move |record| {
            sources.add(&record);
            record
        }))
    }
}
