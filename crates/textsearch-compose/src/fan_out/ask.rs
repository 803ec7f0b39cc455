//! The questions to single sources, and their answers.

use std::time::Duration;

use textsearch_core::{
    Error, ErrorKind, Result, SearchOptions, TextSearchRecord, TextSearchResult,
    results::{AnyRecord, Metadata, TotalCount},
};
use tokio::time::timeout;

use crate::sources::Source;

/// A stream with more errors than this has nothing but errors.
const MAX_ERRORS: usize = 100;

/// A larger depth may be more than a source has.
const USUAL_DEPTH: usize = 20;

/// A result that may be part of the fused ranking.
pub(super) struct Candidate {
    pub(super) record: AnyRecord,
    pub(super) result: TextSearchResult,
}

/// The results of a source until it ended, failed or ran out of time.
#[derive(Default)]
pub(super) struct Answer {
    pub(super) candidates: Vec<Candidate>,
    pub(super) total_count: Option<TotalCount>,
    pub(super) metadata: Metadata,
    /// The first error.
    pub(super) error: Option<Error>,
}

impl Answer {
    /// Asks `source` for the best results, as many as `options.top`.
    pub(super) async fn from_source(
        source: &Source,
        query: &str,
        options: &SearchOptions,
        limit: Duration,
    ) -> Self {
        let mut answer = Self::default();
        let reading = source.guarded(answer.read(source, query, options));
        let outcome = timeout(limit, reading).await.unwrap_or_else(|_| {
            let message = format!("no complete answer in time ({limit:?})");
            Err(Error::new(ErrorKind::Timeout, &*source.connector, message))
        });
        if let Err(error) = outcome {
            answer.error.get_or_insert(error);
        }
        answer
    }

    /// Reads no more than the wanted number of results, whatever the source returns.
    async fn read(&mut self, source: &Source, query: &str, options: &SearchOptions) -> Result<()> {
        let mut results = source.search.search_any(query, options).await?;
        self.total_count = results.total_count();
        self.metadata = results.metadata().clone();
        self.candidates.reserve(options.top.min(USUAL_DEPTH));
        let mut errors = 0;
        while self.candidates.len() < options.top
            && errors < MAX_ERRORS
            && let Some(item) = results.next().await
        {
            match item {
                Ok(record) => {
                    let record = record.with_source(&source.connector);
                    let result = record.to_result();
                    self.candidates.push(Candidate { record, result });
                }
                Err(error) => {
                    errors += 1;
                    self.error.get_or_insert(error);
                }
            }
        }
        Ok(())
    }

    /// Whether the source answered, if only in part.
    pub(super) fn is_any(&self) -> bool {
        self.error.is_none() || !self.candidates.is_empty()
    }
}
