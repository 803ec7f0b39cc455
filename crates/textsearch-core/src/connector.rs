//! Connectors and wrappers over them.

use std::{fmt, marker::PhantomData, ops::Deref, pin::pin};

use schemars::Schema;
use serde_json::Value;

use crate::{
    Error, FilterableField, Result, SearchOptions, SearchResults, TextSearchRecord,
    TextSearchResult, record::schema_of, telemetry::retrieval::Retrieval,
};

pub use crate::{
    mapping::{AnyTextSearch, Mapped, MappedSearch},
    wrapper::TextSearchWrapper,
};

/// A connector or a wrapper: one search that returns its own record type.
///
/// Implementing it also implements [`TextSearch`](crate::TextSearch). A wrapper over any text search
/// implements [`TextSearchWrapper`] instead.
///
/// # Behavior
///
/// - Returns at most `top` results in the backend's order, after leaving out exactly `skip`,
///   counted from zero.
/// - The call fetches the first page, so that errors, count and metadata are there at once. Later
///   pages are fetched while the stream is read ([`SearchResults::paged`]).
/// - A filter that the backend cannot apply is
///   [`UnsupportedFilter`](crate::ErrorKind::UnsupportedFilter) before anything is sent, never
///   ignored and never widened. A filter's value never adds an operator to the query.
/// - `skip + top` beyond a documented maximum is
///   [`InvalidOptions`](crate::ErrorKind::InvalidOptions) that names the limit, before anything is
///   sent. Otherwise the stream just ends early.
/// - One call leaves out duplicates from overlapping pages ([`SearchResults::paged_distinct`]), and
///   drops nothing else silently.
/// - Dropping the future or the stream stops the work.
///
/// The core refuses the filters of a connector without [`fields`](Self::fields), and a fixed filter
/// that the connector does not [support](Self::supports_fixed_filter).
///
/// ```
/// use textsearch_core::{
///     CheckedOptions, Result, SearchOptions, SearchResults, TextSearch, TextSearchConnector, TextSearchResult,
/// };
///
/// struct Echo;
///
/// impl TextSearchConnector for Echo {
///     type Record = TextSearchResult;
///
///     fn name(&self) -> &str {
///         "echo"
///     }
///
///     async fn search_records(
///         &self,
///         query: &str,
///         options: &CheckedOptions<'_, Self>,
///     ) -> Result<SearchResults<TextSearchResult>> {
///         let all = SearchResults::from_vec(vec![TextSearchResult::new(query)]);
///         Ok(all.window(options.skip, options.top))
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let texts = Echo.search("hello", &SearchOptions::default()).await?.into_vec().await?;
/// assert_eq!(texts, ["hello"]);
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a text search connector",
    note = "implement `TextSearchConnector` for it, or wrap an `Arc<dyn TextSearch>` in `AnyTextSearch`",
    note = "an `Arc<dyn TextSearch>` is searched with `search`, `text_search_results`, `search_values` or `search_any`"
)]
pub trait TextSearchConnector: Send + Sync {
    /// The connector's own record.
    type Record: TextSearchRecord;

    /// Returns the short name of the connector, such as `brave`, for errors, spans and results.
    fn name(&self) -> &str;

    /// Returns the name of the data searched, such as a collection. Default: [`name`](Self::name).
    fn data_source(&self) -> &str {
        self.name()
    }

    /// Searches for `query`, as a plain `async fn`. Callers and wrappers call
    /// [`records`](Self::records) or [`TextSearch`](crate::TextSearch) instead.
    ///
    /// # Errors
    ///
    /// Any [`ErrorKind`](crate::ErrorKind). Options and filters that the connector can't serve are
    /// errors before it sends anything. A failure of a later page is an item of the stream.
    fn search_records(
        &self,
        query: &str,
        options: &CheckedOptions<'_, Self>,
    ) -> impl Future<Output = Result<SearchResults<Self::Record>>> + Send;

    /// Searches for `query` and returns the connector's own records, in a `retrieval` span unless
    /// another search waits for this one. Not to be overridden.
    ///
    /// # Errors
    ///
    /// The errors of [`search_records`](Self::search_records), and
    /// [`InvalidOptions`](crate::ErrorKind::InvalidOptions) for a fixed filter without
    /// [support](Self::supports_fixed_filter).
    fn records(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> impl Future<Output = Result<SearchResults<Self::Record>>> + Send {
        async move {
            let checked = CheckedOptions::new(self, options)?;
            let retrieval = Retrieval {
                provider: self.name(),
                data_source: self.data_source(),
                query: Some(query),
                top: options.top,
                skip: options.skip,
                queries: None,
            };
            retrieval.observe(pin!(self.search_records(query, &checked))).await
        }
    }

    /// Returns the fields that a filter may name, with their operators. Default: none, which
    /// refuses all filters.
    fn fields(&self) -> &[FilterableField] {
        &[]
    }

    /// Returns the JSON schema of a serialised record. Override it for records defined at run time.
    fn schema(&self) -> Schema {
        schema_of::<Self::Record>()
    }

    /// Returns whether a [fixed filter](SearchOptions::with_fixed_filter) holds whatever the query
    /// says. Default: false, which refuses fixed filters.
    ///
    /// Return true if the connector applies the filter separately from the query, or quotes or
    /// removes the backend's operators in the query if there is a
    /// [`fixed_filter`](SearchOptions::fixed_filter).
    fn supports_fixed_filter(&self) -> bool {
        false
    }

    /// Replaces the text of the records.
    fn with_text(
        self,
        text: impl Fn(&Self::Record) -> String + Send + Sync + 'static,
    ) -> MappedSearch<Self>
    where
        Self: Sized,
    {
        MappedSearch::with_text(self, text)
    }

    /// Replaces the [result](TextSearchRecord::to_result) of the records. An explanation stays that of
    /// the record.
    fn with_result(
        self,
        result: impl Fn(&Self::Record) -> TextSearchResult + Send + Sync + 'static,
    ) -> MappedSearch<Self>
    where
        Self: Sized,
    {
        MappedSearch::with_result(self, result)
    }
}

/// Search options that the core has checked for the connector `C`. Derefs to [`SearchOptions`].
///
/// A wrapper passes them to [`records`](TextSearchConnector::records) of the connector inside,
/// which checks them again; `search_records` doesn't compile:
///
/// ```compile_fail,E0308
/// use textsearch_core::{prelude::*, Result};
///
/// struct Wrapper<C>(C);
///
/// impl<C: TextSearchConnector> TextSearchConnector for Wrapper<C> {
///     type Record = C::Record;
///
///     fn name(&self) -> &str {
///         self.0.name()
///     }
///
///     fn supports_fixed_filter(&self) -> bool {
///         true
///     }
///
///     async fn search_records(
///         &self,
///         query: &str,
///         options: &CheckedOptions<'_, Self>,
///     ) -> Result<SearchResults<C::Record>> {
///         self.0.search_records(query, options).await // write `self.0.records(query, options)`
///     }
/// }
/// ```
pub struct CheckedOptions<'a, C: ?Sized> {
    options: &'a SearchOptions,
    connector: PhantomData<fn(&C)>,
}

impl<'a, C: TextSearchConnector + ?Sized> CheckedOptions<'a, C> {
    fn new(connector: &C, options: &'a SearchOptions) -> Result<Self> {
        let checked = Self { options, connector: PhantomData };
        if connector.supports_fixed_filter() {
            return Ok(checked);
        }
        if options.fixed_filter().is_some() {
            return Err(refused_fixed_filter(connector.name()));
        }
        // A connector without fields would ignore the filter.
        if let (true, Some(filter)) = (connector.fields().is_empty(), options.filter()) {
            filter.check(connector.name(), connector.fields())?;
            // Without comparisons a filter is a constant: `false` must not find everything.
            if !filter.matches(&Value::Null) {
                return Err(Error::invalid_options(
                    connector.name(),
                    "filter",
                    "one that matches nothing",
                    "none: this connector has no fields",
                ));
            }
        }
        Ok(checked)
    }
}

pub(crate) fn refused_fixed_filter(connector: &str) -> Error {
    let allowed = "none: this connector cannot promise that a query stays inside a filter";
    Error::invalid_options(connector, "fixed_filter", "set", allowed)
}

impl<C: ?Sized> Deref for CheckedOptions<'_, C> {
    type Target = SearchOptions;

    fn deref(&self) -> &SearchOptions {
        self.options
    }
}

impl<C: ?Sized> fmt::Debug for CheckedOptions<'_, C> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("CheckedOptions").field(self.options).finish()
    }
}
