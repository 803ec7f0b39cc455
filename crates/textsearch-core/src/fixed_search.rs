//! A text search over given records.

use std::sync::Arc;

use crate::{
    CheckedOptions, Filter, FilterableField, Result, SearchOptions, SearchResults,
    TextSearchConnector, TextSearchRecord, TextSearchResult,
    results::{AnyRecord, TotalCount},
};

/// A text search that returns the same records for every query, in order: for tests and templates.
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
#[derive(Debug)]
pub struct FixedSearch<R = TextSearchResult> {
    records: Arc<[Arc<R>]>,
    fields: Vec<FilterableField>,
}

impl<R: TextSearchRecord> FixedSearch<R> {
    /// Creates a search that finds `records`.
    pub fn new(records: impl Into<Vec<R>>) -> Self {
        Self { records: records.into().into_iter().map(Arc::new).collect(), fields: Vec::new() }
    }

    /// Sets the fields of the record's JSON that a filter may name. Default: none.
    #[must_use]
    pub fn with_fields(mut self, fields: impl IntoIterator<Item = FilterableField>) -> Self {
        self.fields = fields.into_iter().collect();
        self
    }

    fn matching(&self, filter: &Filter) -> Result<Vec<Arc<R>>> {
        filter.check(self.name(), &self.fields)?;
        let mut matching = Vec::new();
        for record in self.records.iter() {
            if filter.matches(&AnyRecord::from_shared(Arc::clone(record)).to_value()?) {
                matching.push(Arc::clone(record));
            }
        }
        Ok(matching)
    }
}

impl<R> Clone for FixedSearch<R> {
    fn clone(&self) -> Self {
        Self { records: Arc::clone(&self.records), fields: self.fields.clone() }
    }
}

fn window<R: TextSearchRecord>(
    records: &[Arc<R>],
    options: &SearchOptions,
) -> SearchResults<Arc<R>> {
    let count = TotalCount::Exact(records.len() as u64);
    let window = records.iter().skip(options.skip).take(options.top);
    SearchResults::from_vec(window.cloned().collect()).with_total_count(count)
}

impl<R: TextSearchRecord> TextSearchConnector for FixedSearch<R> {
    type Record = Arc<R>;

    fn name(&self) -> &str {
        "fixed"
    }

    async fn search_records(
        &self,
        _query: &str,
        options: &CheckedOptions<'_, Self>,
    ) -> Result<SearchResults<Arc<R>>> {
        Ok(match options.filter().as_deref() {
            Some(filter) => window(&self.matching(filter)?, options),
            None => window(&self.records, options),
        })
    }

    fn fields(&self) -> &[FilterableField] {
        &self.fields
    }

    fn supports_fixed_filter(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_fields_replaces_earlier_fields() {
        let field = |name| FilterableField::string(name, "");
        let search = FixedSearch::<TextSearchResult>::new([]);
        let search = search.with_fields([field("Name")]).with_fields([field("Link")]);
        assert_eq!(search.fields(), [field("Link")]);
    }
}
