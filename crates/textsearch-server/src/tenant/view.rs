//! A search that stays inside a filter.

use std::sync::Arc;

use textsearch_core::{
    Filter, SearchOptions, SearchResults, TextSearch, connector::TextSearchWrapper,
    results::AnyRecord,
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
        search.check_fixed_filter(filter)?;
        Ok(Arc::new(Self { search, filter: filter.clone() }))
    }
}

impl TextSearchWrapper for View {
    fn inner(&self) -> &dyn TextSearch {
        &self.search
    }

    async fn search_inner(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> textsearch_core::Result<SearchResults<AnyRecord>> {
        let options = options.clone().with_fixed_filter(self.filter.clone());
        self.search.search_any(query, &options).await
    }
}
