//! A text search over given records, for tests and for writing templates.

use std::sync::Arc;

use async_trait::async_trait;

use crate::{
    AnyRecord, Filter, FilterableField, Result, SearchOptions, SearchResults, TextSearchConnector,
    TextSearchRecord, TextSearchResult, TotalCount,
};

/// A text search that returns the same records for every query, in the order given.
///
/// Filters, `top` and `skip` work as everywhere; a filter may name the fields given to
/// [`with_fields`](Self::with_fields).
///
/// ```
/// use textsearch_core::{FixedSearch, SearchOptions, TextSearch, TextSearchResult};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_core::Result<()> {
/// let search = FixedSearch::new(vec![TextSearchResult::new("one"), TextSearchResult::new("two")]);
/// let texts = search.search("anything", &SearchOptions::top(5).with_skip(1)).await?.into_vec().await?;
/// assert_eq!(texts, ["two"]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct FixedSearch<R = TextSearchResult> {
    records: Arc<[R]>,
    fields: Vec<FilterableField>,
}

impl<R: TextSearchRecord + Clone> FixedSearch<R> {
    /// A search that finds `records`.
    pub fn new(records: impl Into<Vec<R>>) -> Self {
        Self { records: records.into().into(), fields: Vec::new() }
    }

    /// Declares the fields that a filter may name: those of the record's JSON.
    #[must_use]
    pub fn with_fields(mut self, fields: impl IntoIterator<Item = FilterableField>) -> Self {
        self.fields.extend(fields);
        self
    }

    /// The records that `filter` lets through.
    fn matching(&self, filter: Option<&Filter>) -> Result<Vec<&R>> {
        let Some(filter) = filter else {
            return Ok(self.records.iter().collect());
        };
        filter.check(self.name(), &self.fields)?;
        let mut matching = Vec::new();
        for record in self.records.iter() {
            if filter.matches(&AnyRecord::new(record.clone()).to_value()?) {
                matching.push(record);
            }
        }
        Ok(matching)
    }
}

#[async_trait]
impl<R: TextSearchRecord + Clone> TextSearchConnector for FixedSearch<R> {
    type Record = R;

    fn name(&self) -> &str {
        "fixed"
    }

    async fn search_records(
        &self,
        _query: &str,
        options: &SearchOptions,
    ) -> Result<SearchResults<R>> {
        let matching = self.matching(options.filter().as_deref())?;
        let count = TotalCount::Exact(matching.len() as u64);
        let window = matching.into_iter().skip(options.skip).take(options.top);
        Ok(SearchResults::from_vec(window.cloned().collect()).with_total_count(count))
    }

    fn fields(&self) -> &[FilterableField] {
        &self.fields
    }

    fn supports_fixed_filter(&self) -> bool {
        true
    }
}
