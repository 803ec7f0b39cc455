//! A search for queries with phrases and excluded words.

mod conditions;
mod query;

use std::{fmt, sync::Arc};

use textsearch_core::{
    Error, Result, SearchOptions, SearchResults, TextSearch, TextSearchRecord as _,
    connector::TextSearchWrapper, results::AnyRecord,
};

pub use self::query::PhraseQuery;
use crate::sifted::sifted;

/// A search that understands [phrases and excluded words](PhraseQuery), such as
/// `"tide table" -moon`, over any search.
///
/// - The inner search gets the words of the query, without quotes and exclusions, and ranks.
/// - The wrapper drops results whose name and text lack a phrase or contain an excluded word.
/// - The wrapper reads further results until it has `top`, when the stream is read, and at most 1,000
///   results or `skip + top`. There is no total count.
/// - A query without phrases and exclusions goes to the inner search as it is. One with only exclusions
///   is [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions).
///
/// ```
/// use textsearch_compose::Phrased;
/// use textsearch_core::{FixedSearch, Result, SearchOptions, TextSearch, TextSearchResult};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let notes = ["Table of tides", "A tide table", "A tide table of the moon"];
/// let search = Phrased::new(FixedSearch::new(notes.map(TextSearchResult::new)));
/// let results = search.search("\"tide table\" -moon", &SearchOptions::top(3)).await?;
/// assert_eq!(results.into_vec().await?, ["A tide table"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Phrased {
    inner: Arc<dyn TextSearch>,
}

impl Phrased {
    /// Applies phrases and exclusions to the results of `search`.
    pub fn new(search: impl TextSearch + 'static) -> Self {
        Self { inner: Arc::new(search) }
    }
}

impl TextSearchWrapper for Phrased {
    fn inner(&self) -> &dyn TextSearch {
        &self.inner
    }

    async fn search_inner(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchResults<AnyRecord>> {
        let parsed = PhraseQuery::parse(query);
        let conditions = parsed.conditions();
        if conditions.is_empty() {
            return self.inner.search_any(query, options).await;
        }
        if parsed.text.is_empty() {
            let allowed = "a word to search for before the excluded ones, such as `tide -moon`";
            return Err(Error::invalid_options(
                self.inner.name(),
                "query",
                "only exclusions",
                allowed,
            ));
        }
        let is_allowed = move |record: &AnyRecord| {
            let name = record.to_result().name.unwrap_or_default();
            conditions.allow(&[&name, &record.text()])
        };
        sifted(&self.inner, &parsed.text, options, is_allowed).await
    }
}

impl fmt::Debug for Phrased {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Phrased").field("inner", &self.inner.name()).finish()
    }
}
