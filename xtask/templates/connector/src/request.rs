//! Builds the request for one page of results.

use textsearch_core::{
    Error, FilterableField, Result, SearchOptions,
    http::{HttpRequest, Secret, Url},
};

use crate::{NAME, filter};

// Reference 2 of 5: the maximum page size, the parameter names, and how to send the key. If Acme
// numbers its pages or uses tokens instead of offsets, change `page` here and both calls of `fetch`
// in src/search.rs. If it documents a maximum number of results, reject a larger `skip + top` in
// `new` and add `with_max_results` in tests/it/conformance.rs.
/// Maximum number of results per page.
const PAGE: usize = 20;

/// Parameters that all pages of one search share.
#[derive(Debug, Clone)]
pub(crate) struct Parameters {
    pairs: Vec<(&'static str, String)>,
    /// Results per page.
    pub(crate) count: usize,
}

impl Parameters {
    /// Combines query, filter and options. Returns `None` if no result can match the filter.
    pub(crate) fn new(
        query: &str,
        options: &SearchOptions,
        fields: &[FilterableField],
    ) -> Result<Option<Self>> {
        if query.trim().is_empty() {
            return Err(Error::invalid_options(NAME, "query", "empty", "at least one word"));
        }
        let mut pairs = vec![("q", query.to_owned())];
        if let Some(filter) = options.filter() {
            let Some(narrowing) = filter::parameters(&filter, fields)? else { return Ok(None) };
            pairs.extend(narrowing);
        }
        let count = options.skip.saturating_add(options.top).clamp(1, PAGE);
        Ok(Some(Self { pairs, count }))
    }

    /// Builds the request for the page that starts at `offset`, counted from 0.
    pub(crate) fn page(&self, offset: usize, endpoint: Url, api_key: &Secret) -> HttpRequest {
        let pairs = self.pairs.iter();
        let request = pairs.fold(HttpRequest::get(endpoint), |request, (name, value)| {
            request.with_query(name, value)
        });
        request
            .with_query("count", &self.count.to_string())
            .with_query("offset", &offset.to_string())
            .with_bearer(api_key)
    }
}

#[cfg(test)]
mod tests {
    use textsearch_core::Filter;

    use super::*;

    #[test]
    fn a_page_is_no_larger_than_needed() {
        for (options, count) in [
            (SearchOptions::top(3).with_skip(2), 5),
            (SearchOptions::top(100), PAGE),
            (SearchOptions::top(0), 1),
        ] {
            assert_eq!(Parameters::new("rust", &options, &[]).unwrap().unwrap().count, count);
        }
    }

    #[test]
    fn an_untranslated_filter_is_rejected() {
        let options = SearchOptions::default().with_filter(Filter::eq("site", "docs.rs"));
        assert!(Parameters::new("rust", &options, &filter::fields()).is_err());
    }

    #[test]
    fn an_impossible_filter_needs_no_request() {
        let options = SearchOptions::default().with_filter(Filter::any([]));
        assert!(Parameters::new("rust", &options, &filter::fields()).unwrap().is_none());
    }
}
