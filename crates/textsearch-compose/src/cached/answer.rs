//! The results of one search, for several readers.

use futures_util::stream;
use textsearch_core::{
    Error, SearchResults,
    results::{AnyRecord, Metadata, TotalCount},
    serde_json,
};

use crate::failures::is_partial;

/// A stream with more errors than this has nothing but errors.
const MAX_ERRORS: usize = 100;

/// All results of one search.
pub(super) struct Answer {
    records: Vec<AnyRecord>,
    /// With the number of results before them.
    errors: Vec<(usize, Error)>,
    total_count: Option<TotalCount>,
    metadata: Metadata,
}

impl Answer {
    /// Reads at most `top` results.
    pub(super) async fn read(mut results: SearchResults<AnyRecord>, top: usize) -> Self {
        let mut answer = Self {
            records: Vec::new(),
            errors: Vec::new(),
            total_count: results.total_count(),
            metadata: results.metadata().clone(),
        };
        while answer.records.len() < top
            && answer.errors.len() < MAX_ERRORS
            && let Some(item) = results.next().await
        {
            match item {
                Ok(record) => answer.records.push(record),
                Err(error) => answer.errors.push((answer.records.len(), error)),
            }
        }
        answer
    }

    /// Whether no result is an error, and no source failed.
    pub(super) fn is_whole(&self) -> bool {
        self.errors.is_empty() && !is_partial(&self.metadata)
    }

    pub(super) fn results(&self) -> SearchResults<AnyRecord> {
        let results = if self.errors.is_empty() {
            SearchResults::from_vec(self.records.clone())
        } else {
            let mut items: Vec<_> = self.records.iter().cloned().map(Ok).collect();
            // From the last, so that the earlier positions stay.
            for (position, error) in self.errors.iter().rev() {
                items.insert(*position, Err(error.clone()));
            }
            SearchResults::from_stream(stream::iter(items))
        };
        results.with_metadata(self.metadata.clone()).with_total_count(self.total_count)
    }

    /// Estimates the bytes of records and metadata; `None` if a record can't be serialised.
    pub(super) fn size(&self) -> Option<u64> {
        let metadata = if self.metadata.is_empty() {
            0
        } else {
            serde_json::to_string(&self.metadata).ok()?.len()
        };
        let sizes = self.records.iter().map(|record| record.size().ok());
        sizes.sum::<Option<usize>>().map(|records| (records + metadata) as u64)
    }
}
