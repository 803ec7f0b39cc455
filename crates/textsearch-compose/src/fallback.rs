//! One search, and others for when it fails.

use std::sync::Arc;

use futures_util::{StreamExt, stream};
use textsearch_core::{
    CheckedOptions, FilterableField, Result, SearchOptions, SearchResults, TextSearchConnector,
    results::AnyRecord, schemars::Schema,
};

use crate::{
    Sources,
    failures::{Failures, refused},
    sources::{Combined, Source},
};

const NAME: &str = "fallback";

/// Asks its sources in order, until one answers.
///
/// - Any error leads to the next source, except invalid options and refused filters, which are the
///   caller's. An invalid `query` counts as a failure: another source may accept it.
/// - Only the call falls back. If a later page fails, its error is an item of the stream.
/// - With [`with_on_no_results`](Self::with_on_no_results), a source without results counts as
///   failed, too.
/// - A source that never answers holds the search up: put it into a [`Timed`](crate::Timed).
///
/// # Results
///
/// - The metadata names the source that answered (`source`) and the failures before it
///   (`failed_sources`: the kind of error by source, such as `timeout`, or `no_results`).
/// - The source that answers applies `top` and `skip` and reports the total count. Two pages come
///   from one ranking if the same source answers both.
/// - If all sources fail, the error names each with the kind of its error. The error's own kind is the
///   first [retryable](textsearch_core::Error::is_retryable) one, or else the first.
///
/// # Filters
///
/// A filter may use the fields and operators that all sources share. A fixed filter is accepted if
/// all sources accept it.
///
/// ```
/// use textsearch_compose::{Fallback, Sources};
/// use textsearch_core::{FixedSearch, SearchOptions, TextSearch, TextSearchResult};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_core::Result<()> {
/// let empty = FixedSearch::<TextSearchResult>::new([]);
/// let notes = FixedSearch::new([TextSearchResult::new("From a note.")]);
/// let sources = Sources::new("empty", empty).with_source("notes", notes);
/// let search = Fallback::new(sources)?.with_on_no_results(true);
///
/// let results = search.search("note", &SearchOptions::top(3)).await?;
/// assert_eq!(results.metadata()["source"], "notes");
/// assert_eq!(results.metadata()["failed_sources"]["empty"], "no_results");
/// assert_eq!(results.into_vec().await?, ["From a note."]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Fallback {
    inner: Arc<Combined>,
    on_no_results: bool,
}

/// The results of a source.
struct Answer {
    results: SearchResults<AnyRecord>,
    is_empty: bool,
}

impl Fallback {
    /// Creates a search over `sources`, the preferred one first.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions) if a name is empty or
    /// repeated.
    pub fn new(sources: Sources) -> Result<Self> {
        Ok(Self { inner: Arc::new(Combined::new(NAME, sources)?), on_no_results: false })
    }

    /// Sets whether a source without results counts as failed. Default: false.
    ///
    /// A page beyond the end of a source isn't such a case: a search with `skip` that finds nothing
    /// first asks the source for its first result.
    #[must_use]
    pub fn with_on_no_results(mut self, enabled: bool) -> Self {
        self.on_no_results = enabled;
        self
    }

    async fn ask(&self, source: &Source, query: &str, options: &SearchOptions) -> Result<Answer> {
        let mut results = source.search.search_any(query, options).await?;
        if !self.on_no_results || options.top == 0 {
            return Ok(Answer { results, is_empty: false });
        }
        let Some(first) = results.next().await.transpose()? else {
            let is_beyond = options.skip > 0 && finds_any(source, query, options).await?;
            return Ok(Answer { results, is_empty: !is_beyond });
        };
        let count = results.total_count();
        let metadata = results.metadata().clone();
        let all = stream::iter([Ok(first)]).chain(results);
        let results = SearchResults::from_stream(all).with_metadata(metadata);
        Ok(Answer { results: results.with_total_count(count), is_empty: false })
    }
}

async fn finds_any(source: &Source, query: &str, options: &SearchOptions) -> Result<bool> {
    let mut first = options.clone();
    (first.skip, first.top, first.include_total_count) = (0, 1, false);
    let record = source.search.search_any(query, &first).await?.next().await.transpose()?;
    Ok(record.is_some())
}

/// Adds who answered, and who did not.
fn reported(
    results: SearchResults<AnyRecord>,
    source: &Source,
    failures: &Failures,
) -> SearchResults<AnyRecord> {
    let mut metadata = results.metadata().clone();
    metadata.insert("source".to_owned(), (&*source.name).into());
    failures.report(&mut metadata);
    let connector = Arc::clone(&source.connector);
    results.map(move |record| record.with_source(&connector)).with_metadata(metadata)
}

impl TextSearchConnector for Fallback {
    type Record = AnyRecord;

    fn name(&self) -> &str {
        NAME
    }

    fn data_source(&self) -> &str {
        &self.inner.data_source
    }

    async fn search_records(
        &self,
        query: &str,
        options: &CheckedOptions<'_, Self>,
    ) -> Result<SearchResults<AnyRecord>> {
        self.inner.check(options)?;
        let mut failures = Failures::default();
        let mut nothing = None;
        for source in &self.inner.sources {
            match source.guarded(self.ask(source, query, options)).await {
                Ok(Answer { results, is_empty: false }) => {
                    return Ok(reported(results, source, &failures));
                }
                Ok(Answer { results, is_empty: true }) => {
                    failures.add_empty(&source.name);
                    nothing = Some((results, source));
                }
                Err(error) if error.refuses_options() => {
                    return Err(refused(NAME, &source.name, error));
                }
                Err(error) => failures.add(&source.name, error),
            }
        }
        match nothing {
            Some((results, source)) => Ok(reported(results, source, &failures)),
            None => {
                let count = self.inner.sources.len();
                Err(failures.into_error(NAME, format_args!("all {count} sources failed")))
            }
        }
    }

    fn fields(&self) -> &[FilterableField] {
        &self.inner.fields
    }

    fn schema(&self) -> Schema {
        self.inner.schema()
    }

    fn supports_fixed_filter(&self) -> bool {
        self.inner.supports_fixed_filter
    }
}
