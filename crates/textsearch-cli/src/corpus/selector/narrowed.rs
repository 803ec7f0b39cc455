//! A search narrowed by the command line.

use std::sync::Arc;

use textsearch_core::{
    Filter, Result, SearchOptions, SearchResults, TextSearch, connector::TextSearchWrapper,
    results::AnyRecord,
};

/// Adds filters and a number of skipped results to those of every call. The functions of a plugin
/// have no options for these.
pub(crate) struct Narrowed {
    search: Arc<dyn TextSearch>,
    filter: Option<Filter>,
    fixed_filter: Option<Filter>,
    skip: usize,
}

impl Narrowed {
    pub(crate) fn new(search: Arc<dyn TextSearch>, filter: Option<Filter>, skip: usize) -> Self {
        Self { search, filter, fixed_filter: None, skip }
    }

    /// Adds a fixed filter.
    pub(crate) fn under(search: Arc<dyn TextSearch>, fixed_filter: Option<Filter>) -> Self {
        Self { search, filter: None, fixed_filter, skip: 0 }
    }

    fn options(&self, options: &SearchOptions) -> SearchOptions {
        let mut narrowed = options.clone();
        narrowed.skip = options.skip.saturating_add(self.skip);
        if let Some(filter) = &self.fixed_filter {
            narrowed = narrowed.with_fixed_filter(filter.clone());
        }
        match (&self.filter, options.filter()) {
            (None, _) => narrowed,
            (Some(filter), None) => narrowed.with_filter(filter.clone()),
            // `all` includes the fixed filter, which then applies twice: harmless.
            (Some(filter), Some(all)) => narrowed.with_filter(all.into_owned().and(filter.clone())),
        }
    }
}

impl TextSearchWrapper for Narrowed {
    fn inner(&self) -> &dyn TextSearch {
        &self.search
    }

    async fn search_inner(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchResults<AnyRecord>> {
        self.search.search_any(query, &self.options(options)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use textsearch_core::{FixedSearch, TextSearchResult};

    fn narrowed(filter: Option<Filter>, skip: usize) -> Narrowed {
        Narrowed::new(Arc::new(FixedSearch::<TextSearchResult>::new([])), filter, skip)
    }

    #[test]
    fn the_filter_of_a_call_is_added() {
        let narrowed = narrowed(Some(Filter::eq("a", 1)), 2);
        let call = SearchOptions::top(3).with_skip(1).with_filter(Filter::eq("b", 2));
        let options = narrowed.options(&call.with_fixed_filter(Filter::eq("c", 3)));
        assert_eq!((options.top, options.skip), (3, 3));
        let filter = options.filter().unwrap().into_owned();
        for (record, matches) in [
            (r#"{"a":1,"b":2,"c":3}"#, true),
            (r#"{"a":0,"b":2,"c":3}"#, false),
            (r#"{"a":1,"b":0,"c":3}"#, false),
            (r#"{"a":1,"b":2,"c":0}"#, false),
        ] {
            let record = serde_json::from_str(record).unwrap();
            assert_eq!(filter.matches(&record), matches, "{record}");
        }
    }

    #[test]
    fn without_a_filter_the_options_stay_as_they_are() {
        let call = SearchOptions::top(3).with_fixed_filter(Filter::eq("c", 3));
        assert_eq!(narrowed(None, 0).options(&call), call);
    }
}
