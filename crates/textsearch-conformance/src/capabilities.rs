//! What a text search can do at all: a case that needs more is skipped, and says so.

use textsearch_core::Filter;

/// What a text search can do.
///
/// By default: results without end, in several pages, without a total count and without filters.
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
    /// The largest `skip + top` that the backend serves; beyond it is `InvalidOptions`. `None`: there is no such limit.
    pub max_results: Option<usize>,
    /// Whether the backend tells how many results there are in all.
    pub total_count: bool,
    /// Whether many results take several requests.
    pub pages: bool,
    /// For each field that the connector declares, a filter on it that has to work.
    pub filters: Vec<Filter>,
    /// The field that names the site of a result's link, where there is one.
    pub site_field: Option<String>,
}

impl Default for Capabilities {
    fn default() -> Self {
        let filters = Vec::new();
        Self { max_results: None, total_count: false, pages: true, filters, site_field: None }
    }
}

impl Capabilities {
    /// Says that `skip + top` beyond `results` is refused.
    #[must_use]
    pub fn with_max_results(mut self, results: usize) -> Self {
        self.max_results = Some(results);
        self
    }

    /// Says that the backend tells how many results there are in all.
    #[must_use]
    pub fn with_total_count(mut self) -> Self {
        self.total_count = true;
        self
    }

    /// Says that one request brings everything that can be had.
    #[must_use]
    pub fn without_pages(mut self) -> Self {
        self.pages = false;
        self
    }

    /// Adds a filter that has to work: at least one for each field that the connector declares.
    #[must_use]
    pub fn with_filter(mut self, filter: Filter) -> Self {
        self.filters.push(filter);
        self
    }

    /// Says that `field` is the site of a result's link: with `field = "example.com"` as a fixed filter, no result from
    /// elsewhere may come, whatever the backend sends.
    #[must_use]
    pub fn with_site_field(mut self, field: impl Into<String>) -> Self {
        self.site_field = Some(field.into());
        self
    }

    /// So many of `wanted` results as can be had.
    pub(crate) fn within(&self, wanted: usize) -> usize {
        self.max_results.map_or(wanted, |most| most.min(wanted))
    }
}
