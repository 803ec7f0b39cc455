//! The options of a search.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::Filter;

/// Options of a search.
///
/// ```
/// use textsearch_core::{Filter, SearchOptions};
///
/// let options = SearchOptions::top(10).with_skip(20).with_filter(Filter::eq("site", "docs.rs"));
/// assert_eq!((options.top, options.skip), (10, 20));
/// ```
///
/// With serde, a missing option has its default. An unknown option is an error: a filter under a
/// misspelled name would otherwise let everything through.
///
/// ```
/// use textsearch_core::{Filter, SearchOptions};
///
/// let json = r#"{ "top": 3, "filter": { "field": "site", "operator": "eq", "value": "docs.rs" } }"#;
/// let options: SearchOptions = serde_json::from_str(json)?;
/// assert_eq!(options, SearchOptions::top(3).with_filter(Filter::eq("site", "docs.rs")));
/// assert!(serde_json::from_str::<SearchOptions>(r#"{ "filters": [] }"#).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct SearchOptions {
    /// The maximum number of results: 5 by default; 0 finds nothing.
    pub top: usize,
    /// The number of results to leave out at the beginning: 0 by default.
    pub skip: usize,
    /// Whether the backend counts all results, even at a cost: false by default.
    pub include_total_count: bool,
    /// Whether results say why they have their places: false by default.
    pub include_explanation: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    filter: Option<Filter>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fixed_filter: Option<Filter>,
}

impl SearchOptions {
    /// Creates options for at most `top` results.
    pub fn top(top: usize) -> Self {
        Self { top, ..Self::default() }
    }

    /// Leaves out the first `skip` results.
    #[must_use]
    pub fn with_skip(mut self, skip: usize) -> Self {
        self.skip = skip;
        self
    }

    /// Sets whether the backend counts all results, if it can. Default: false.
    #[must_use]
    pub fn with_total_count(mut self, enabled: bool) -> Self {
        self.include_total_count = enabled;
        self
    }

    /// Sets whether each result says why it has its place, as far as the search knows: see
    /// [`Explanation`](crate::results::Explanation). Default: false.
    #[must_use]
    pub fn with_explanation(mut self, enabled: bool) -> Self {
        self.include_explanation = enabled;
        self
    }

    /// Sets the filter, beside a [fixed filter](Self::with_fixed_filter).
    #[must_use]
    pub fn with_filter(mut self, filter: Filter) -> Self {
        self.filter = Some(filter);
        self
    }

    /// Adds a condition that neither the filter nor the query can widen; a second one narrows the
    /// first.
    ///
    /// If the engine's filters are words in the query, the connector quotes or removes its
    /// operators in the query. A connector that [cannot promise
    /// this](crate::TextSearchConnector::supports_fixed_filter) refuses the search.
    #[must_use]
    pub fn with_fixed_filter(mut self, filter: Filter) -> Self {
        self.fixed_filter = Some(match self.fixed_filter {
            Some(fixed) => fixed.and(filter),
            None => filter,
        });
        self
    }

    /// Returns all conditions combined. The connector must apply them all.
    pub fn filter(&self) -> Option<Cow<'_, Filter>> {
        match (&self.fixed_filter, &self.filter) {
            (Some(fixed), Some(filter)) => {
                Some(Cow::Owned(Filter::And(vec![fixed.clone(), filter.clone()])))
            }
            (Some(filter), None) | (None, Some(filter)) => Some(Cow::Borrowed(filter)),
            (None, None) => None,
        }
    }

    /// Returns the fixed conditions, which the query must not get around.
    pub fn fixed_filter(&self) -> Option<&Filter> {
        self.fixed_filter.as_ref()
    }
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            top: 5,
            skip: 0,
            include_total_count: false,
            include_explanation: false,
            filter: None,
            fixed_filter: None,
        }
    }
}
