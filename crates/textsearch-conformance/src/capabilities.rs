//! The capabilities of a text search.

use textsearch_core::Filter;

/// The capabilities of a text search. The default: unlimited results over several pages, no total
/// count and no filters. A case that needs more is skipped, and reports that.
///
/// ```
/// use textsearch_conformance::{Capabilities, core::Filter};
///
/// let capabilities = Capabilities::default()
///     .with_max_results(100)
///     .with_total_count()
///     .with_filter(Filter::eq("site", "example.com"));
/// assert_eq!(capabilities.max_results, Some(100));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Capabilities {
    /// The maximum `skip + top`; more is `InvalidOptions`. `None`: no limit.
    pub max_results: Option<usize>,
    /// Whether the backend reports a total count.
    pub total_count: bool,
    /// Whether many results take several requests.
    pub pages: bool,
    /// A working filter on each field that the connector declares.
    pub filters: Vec<Filter>,
    /// The field that filters on the site of a link, if any.
    pub site_field: Option<String>,
}

impl Default for Capabilities {
    fn default() -> Self {
        let filters = Vec::new();
        Self { max_results: None, total_count: false, pages: true, filters, site_field: None }
    }
}

impl Capabilities {
    /// Sets [`max_results`](Self::max_results).
    #[must_use]
    pub fn with_max_results(mut self, results: usize) -> Self {
        self.max_results = Some(results);
        self
    }

    /// Sets [`total_count`](Self::total_count).
    #[must_use]
    pub fn with_total_count(mut self) -> Self {
        self.total_count = true;
        self
    }

    /// Unsets [`pages`](Self::pages).
    #[must_use]
    pub fn without_pages(mut self) -> Self {
        self.pages = false;
        self
    }

    /// Adds a filter that must work. Each declared field needs at least one.
    #[must_use]
    pub fn with_filter(mut self, filter: Filter) -> Self {
        self.filters.push(filter);
        self
    }

    /// Declares that `field` is the site of a link. Under a fixed filter on it, the search must
    /// drop results from other sites, whatever the backend sends.
    #[must_use]
    pub fn with_site_field(mut self, field: impl Into<String>) -> Self {
        self.site_field = Some(field.into());
        self
    }

    pub(crate) fn within(&self, wanted: usize) -> usize {
        self.max_results.map_or(wanted, |most| most.min(wanted))
    }
}
