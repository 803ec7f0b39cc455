//! From options to the request for one page.

use textsearch_core::{
    Error, FilterableField, Result, SearchOptions,
    http::{HttpRequest, Secret, Url},
};

use crate::{NAME, filter};

// Reference 2 of 5: the largest page, the names of the parameters, and how the key is sent. If pages have numbers or
// tokens in place of an offset, `page` here and both calls of `fetch` in src/search.rs take those. If it documents how
// many results can be had in all, refuse a larger `skip + top` in `new`, and say so in tests/it/conformance.rs
// (`with_max_results`).
/// How many results a page has at most.
const PAGE: usize = 20;

/// What each page of one search is asked with.
#[derive(Debug, Clone)]
pub(crate) struct Parameters {
    pairs: Vec<(&'static str, String)>,
    /// How many results a page has.
    pub(crate) count: usize,
}

impl Parameters {
    /// `None` where the filter lets nothing through, so that there is nothing to ask.
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

    /// The request for the page that begins with the result at `offset`, counted from 0.
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
    fn a_page_is_no_larger_than_what_is_asked_for() {
        for (options, count) in [
            (SearchOptions::top(3).with_skip(2), 5),
            (SearchOptions::top(100), PAGE),
            (SearchOptions::top(0), 1),
        ] {
            assert_eq!(Parameters::new("rust", &options, &[]).unwrap().unwrap().count, count);
        }
    }

    #[test]
    fn a_filter_that_is_not_translated_is_refused() {
        let options = SearchOptions::default().with_filter(Filter::eq("site", "docs.rs"));
        assert!(Parameters::new("rust", &options, &filter::fields()).is_err());
    }

    #[test]
    fn nothing_is_asked_where_nothing_can_match() {
        let options = SearchOptions::default().with_filter(Filter::any([]));
        assert!(Parameters::new("rust", &options, &filter::fields()).unwrap().is_none());
    }
}
