//! The capabilities of a text search. A case that needs more is skipped, and reports that.

use textsearch_core::Filter;

/// The capabilities of a text search.
///
/// The default: unlimited results over several pages, no total count and no filters.
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
    /// The maximum `skip + top` that the backend serves; more is `InvalidOptions`. `None`: no
    /// limit.
    pub max_results: Option<usize>,
    /// Whether the backend reports the total number of results.
    pub total_count: bool,
    /// Whether the backend splits many results over several requests.
    pub pages: bool,
    /// A working filter on each field that the connector declares.
    pub filters: Vec<Filter>,
    /// The field that filters on the site of a result's link, if the search has one.
    pub site_field: Option<String>,
}

impl Default for Capabilities {
    fn default() -> Self {
        let filters = Vec::new();
        Self { max_results: None, total_count: false, pages: true, filters, site_field: None }
    }
}

impl Capabilities {
    /// Declares that `skip + top` above `results` is rejected.
    #[must_use]
    pub fn with_max_results(mut self, results: usize) -> Self {
        self.max_results = Some(results);
        self
    }

    /// Declares that the backend reports the total number of results.
    #[must_use]
    pub fn with_total_count(mut self) -> Self {
        self.total_count = true;
        self
    }

    /// Declares that one request returns all available results.
    #[must_use]
    pub fn without_pages(mut self) -> Self {
        self.pages = false;
        self
    }

    /// Adds a filter that must work. Add at least one for each field that the connector declares.
    #[must_use]
    pub fn with_filter(mut self, filter: Filter) -> Self {
        self.filters.push(filter);
        self
    }

    /// Declares that `field` is the site of a result's link. With a fixed filter such as
    /// `field = "example.com"`, the search must drop results from other sites, whatever the backend
    /// sends.
    #[must_use]
    pub fn with_site_field(mut self, field: impl Into<String>) -> Self {
        self.site_field = Some(field.into());
        self
    }

    /// Returns `wanted`, capped to the available results.
    pub(crate) fn within(&self, wanted: usize) -> usize {
        self.max_results.map_or(wanted, |most| most.min(wanted))
    }
}
