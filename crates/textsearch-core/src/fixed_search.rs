//! A text search over given records, for tests and for writing templates.

use std::sync::Arc;

use crate::{
    CheckedOptions, Filter, FilterableField, Result, SearchOptions, SearchResults,
    TextSearchConnector, TextSearchRecord, TextSearchResult,
    results::{AnyRecord, TotalCount},
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
#[derive(Debug)]
pub struct FixedSearch<R = TextSearchResult> {
    records: Arc<[R]>,
    fields: Vec<FilterableField>,
}

impl<R: TextSearchRecord + Clone> FixedSearch<R> {
    /// Creates a search that finds `records`.
    pub fn new(records: impl Into<Vec<R>>) -> Self {
        Self { records: records.into().into(), fields: Vec::new() }
    }

    /// Sets the fields of the record's JSON that a filter may name. Default: none.
    #[must_use]
    pub fn with_fields(mut self, fields: impl IntoIterator<Item = FilterableField>) -> Self {
        self.fields = fields.into_iter().collect();
        self
    }

    /// Returns the records that match `filter`.
    fn matching(&self, filter: &Filter) -> Result<Vec<R>> {
        filter.check(self.name(), &self.fields)?;
        let mut matching = Vec::new();
        for record in self.records.iter() {
            if filter.matches(&AnyRecord::new(record.clone()).to_value()?) {
                matching.push(record.clone());
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

/// Returns the window of `records` for the options, and the total count.
fn window<R: TextSearchRecord + Clone>(records: &[R], options: &SearchOptions) -> SearchResults<R> {
    let count = TotalCount::Exact(records.len() as u64);
    let window = records.iter().skip(options.skip).take(options.top);
    SearchResults::from_vec(window.cloned().collect()).with_total_count(count)
}

impl<R: TextSearchRecord + Clone> TextSearchConnector for FixedSearch<R> {
    type Record = R;

    fn name(&self) -> &str {
        "fixed"
    }

    async fn search_records(
        &self,
        _query: &str,
        options: &CheckedOptions<'_, Self>,
    ) -> Result<SearchResults<R>> {
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
