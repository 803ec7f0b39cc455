//! The capabilities of a text search.

use std::{fmt, sync::Arc};

use textsearch_core::Filter;

use crate::{Document, Endpoint, RecordedRequest, Response};

/// The capabilities of a text search. The default: unlimited results over several pages, no total
/// count and no filters. A case that needs more is skipped, and reports that.
///
/// ```
/// use textsearch_conformance::{Capabilities, core::Filter};
///
/// let capabilities = Capabilities::default()
///     .with_max_results(100)
///     .with_total_count()
///     .with_filter(Filter::eq("site", "example.com"), |request| request.all("site") == ["example.com"])
///     .with_query_operators(&["OR", "-", "site:"])
///     .with_marks("<b>", "</b>");
/// assert_eq!(capabilities.max_results, Some(100));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Capabilities {
    /// The maximum `skip + top`; more is `InvalidOptions`. `None`: no limit.
    pub max_results: Option<usize>,
    /// Whether the backend reports a total count.
    pub total_count: bool,
    /// Whether that count is an estimate.
    pub estimated_count: bool,
    /// Whether responses say when a document was published.
    pub published: bool,
    /// Whether many results take several requests.
    pub pages: bool,
    /// A working filter on each field that the connector declares.
    pub filters: Vec<DeclaredFilter>,
    /// The field that filters on the site of a link, if any.
    pub site_field: Option<String>,
    /// The fields whose words the backend matches in any order, as `intitle:` does.
    pub approximate_fields: Vec<String>,
    /// The operators of the backend's query language, as they start or are a word. `None`: unknown.
    pub query_operators: Option<Vec<String>>,
    /// The tags around the words of a query in names and texts, which are HTML then.
    pub marks: Option<(String, String)>,
    /// Whether names are plain text, although texts have [marks](Self::marks).
    pub plain_names: bool,
    /// Whether the connector makes links that the response doesn't contain.
    pub made_links: bool,
    /// Whether requests carry a key.
    pub key: bool,
    pub(crate) error_answer: Option<ErrorAnswer>,
}

/// A filter that must work, and how to see that it does.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DeclaredFilter {
    /// The filter.
    pub filter: Filter,
    pub(crate) check: Check,
}

/// How to see that a filter is applied.
#[derive(Debug, Clone)]
pub(crate) enum Check {
    /// The backend applies it: the request says it.
    Request(Function<dyn Fn(&RecordedRequest) -> bool>),
    /// The search applies it: the results are the documents that match.
    Document(Function<dyn Fn(&Document) -> bool>),
}

/// Makes the provider's error response from a status and a message.
pub(crate) type ErrorAnswer = Function<dyn Fn(u16, &str) -> Response>;

/// A closure with a `Debug`.
pub(crate) struct Function<F: ?Sized>(pub(crate) Arc<F>);

impl<F: ?Sized> Clone for Function<F> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<F: ?Sized> fmt::Debug for Function<F> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Function")
    }
}

impl Default for Capabilities {
    fn default() -> Self {
        Self {
            max_results: None,
            total_count: false,
            estimated_count: false,
            published: false,
            pages: true,
            filters: Vec::new(),
            site_field: None,
            approximate_fields: Vec::new(),
            query_operators: None,
            marks: None,
            plain_names: false,
            made_links: false,
            key: true,
            error_answer: None,
        }
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

    /// Sets [`total_count`](Self::total_count) and [`estimated_count`](Self::estimated_count).
    #[must_use]
    pub fn with_estimated_count(mut self) -> Self {
        self.estimated_count = true;
        self.with_total_count()
    }

    /// Sets [`published`](Self::published): each result must then have the day of its document.
    #[must_use]
    pub fn with_published(mut self) -> Self {
        self.published = true;
        self
    }

    /// Unsets [`pages`](Self::pages).
    #[must_use]
    pub fn without_pages(mut self) -> Self {
        self.pages = false;
        self
    }

    /// Adds a filter that the backend must apply. Each declared field needs at least one.
    ///
    /// `is_sent` returns whether a request says exactly this filter. Compare whole values: it must
    /// be false for a request without the filter, with another value, or with its negation. It must
    /// be true for a request with this filter and others.
    ///
    /// Some engines have one parameter for all filters, such as
    /// `filter=type:book,from:2025-01-01`. Then compare this filter's part:
    ///
    /// ```
    /// use textsearch_conformance::{Capabilities, RecordedRequest, core::Filter};
    ///
    /// fn is_part(name: &'static str, value: &'static str) -> impl Fn(&RecordedRequest) -> bool {
    ///     move |request| {
    ///         let parts = request.parameter("filter").unwrap_or_default().split(',');
    ///         let parts = parts.filter_map(|part| part.split_once(':'));
    ///         let values: Vec<&str> =
    ///             parts.filter(|(other, _)| *other == name).map(|(_, value)| value).collect();
    ///         values == [value]
    ///     }
    /// }
    ///
    /// let capabilities = Capabilities::default()
    ///     .with_filter(Filter::eq("type", "book"), is_part("type", "book"))
    ///     .with_filter(Filter::ge("published", "2025-01-01"), is_part("from", "2025-01-01"));
    /// assert_eq!(capabilities.filters.len(), 2);
    /// ```
    #[must_use]
    pub fn with_filter(
        mut self,
        filter: Filter,
        is_sent: impl Fn(&RecordedRequest) -> bool + 'static,
    ) -> Self {
        let check = Check::Request(Function(Arc::new(is_sent)));
        self.filters.push(DeclaredFilter { filter, check });
        self
    }

    /// Adds a filter that the search itself must apply, without a backend. `matches` returns
    /// whether a document matches.
    #[must_use]
    pub fn with_local_filter(
        mut self,
        filter: Filter,
        matches: impl Fn(&Document) -> bool + 'static,
    ) -> Self {
        let check = Check::Document(Function(Arc::new(matches)));
        self.filters.push(DeclaredFilter { filter, check });
        self
    }

    /// Declares that `field` is the site of a link. Under a fixed filter on it, the search must
    /// drop results from other sites, whatever the backend sends.
    #[must_use]
    pub fn with_site_field(mut self, field: impl Into<String>) -> Self {
        self.site_field = Some(field.into());
        self
    }

    /// Declares that the backend matches the words of a value on `field`, as `intitle:` does. The
    /// field must offer `contains`, not equality or prefixes.
    #[must_use]
    pub fn with_approximate_field(mut self, field: impl Into<String>) -> Self {
        self.approximate_fields.push(field.into());
        self
    }

    /// Sets the operators of the backend's query language: whole words such as `OR`, or beginnings
    /// of words such as `-` and `site:`. Under a fixed filter, none may arrive outside quotes. An
    /// empty list says that the backend reads queries as plain text.
    #[must_use]
    pub fn with_query_operators(mut self, operators: &[&str]) -> Self {
        let operators = operators.iter().map(|operator| (*operator).to_owned());
        self.query_operators = Some(operators.collect());
        self
    }

    /// Sets how the provider reports an error: a response made from a status and a message, such as
    /// `{ "error": { "message": … } }`. The suite also sends it with status 200.
    #[must_use]
    pub fn with_error_answer(mut self, answer: impl Fn(u16, &str) -> Response + 'static) -> Self {
        self.error_answer = Some(Function(Arc::new(answer)));
        self
    }

    /// Declares that names and texts are HTML, with `before` and `after` around the words of the
    /// query. Without it they are plain text, and must arrive unchanged.
    #[must_use]
    pub fn with_marks(mut self, before: impl Into<String>, after: impl Into<String>) -> Self {
        self.marks = Some((before.into(), after.into()));
        self
    }

    /// Declares that names are plain text, although texts have [marks](Self::with_marks).
    #[must_use]
    pub fn with_plain_names(mut self) -> Self {
        self.plain_names = true;
        self
    }

    /// Unsets [`key`](Self::key). Providers then have no key to repeat in their responses.
    #[must_use]
    pub fn without_key(mut self) -> Self {
        self.key = false;
        self
    }

    /// Declares that the connector makes links itself. The suite then tells documents by their
    /// names.
    #[must_use]
    pub fn with_made_links(mut self) -> Self {
        self.made_links = true;
        self
    }

    pub(crate) fn within(&self, count: usize) -> usize {
        self.max_results.map_or(count, |max| max.min(count))
    }

    /// More results than one page holds, as far as the backend serves them.
    pub(crate) fn many(&self) -> usize {
        self.within(120)
    }

    /// The key, as a provider may repeat it. One without a key repeats something harmless.
    pub(crate) fn echoed_key(&self) -> &'static str {
        if self.key { Endpoint::KEY } else { "no key" }
    }

    /// The value that identifies a document in results and responses.
    pub(crate) fn key_of<'a>(&self, document: &'a Document) -> &'a str {
        if self.made_links { &document.name } else { &document.link }
    }
}
