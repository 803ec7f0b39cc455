//! A search that stays inside a filter.

use std::sync::Arc;

use textsearch_core::{
    CheckedOptions, Filter, FilterableField, SearchOptions, SearchResults, TextSearch,
    TextSearchConnector, results::AnyRecord, schemars::Schema,
};

/// Adds a fixed filter to every search.
pub(crate) struct View {
    search: Arc<dyn TextSearch>,
    filter: Filter,
}

impl View {
    /// Returns `search`, inside `filter` if there is one.
    ///
    /// # Errors
    ///
    /// Returns an error if the search can't apply the filter.
    pub(crate) fn of(
        search: &Arc<dyn TextSearch>,
        filter: Option<&Filter>,
    ) -> textsearch_core::Result<Arc<dyn TextSearch>> {
        let search = Arc::clone(search);
        let Some(filter) = filter else { return Ok(search) };
        if !search.accepts_fixed_filter() {
            return Err(textsearch_core::Error::invalid_options(
                search.connector_name(),
                "fixed_filter",
                "set",
                "none: this connector cannot promise that a query stays inside a filter",
            ));
        }
        filter.check(search.connector_name(), search.filterable_fields())?;
        Ok(Arc::new(Self { search, filter: filter.clone() }))
    }
}

impl TextSearchConnector for View {
    type Record = AnyRecord;

    fn name(&self) -> &str {
        self.search.connector_name()
    }

    fn data_source(&self) -> &str {
        self.search.data_source_name()
    }

    async fn search_records(
        &self,
        query: &str,
        options: &CheckedOptions<'_, Self>,
    ) -> textsearch_core::Result<SearchResults<AnyRecord>> {
        let options = SearchOptions::clone(options).with_fixed_filter(self.filter.clone());
        self.search.search_any(query, &options).await
    }

    fn fields(&self) -> &[FilterableField] {
        self.search.filterable_fields()
    }

    fn schema(&self) -> Schema {
        self.search.record_schema()
    }

    fn supports_fixed_filter(&self) -> bool {
        true
    }
}
