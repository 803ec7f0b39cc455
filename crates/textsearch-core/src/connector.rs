//! Connectors: the trait that their authors implement, and wrappers over any of them.

use std::{fmt, marker::PhantomData, ops::Deref, pin::pin};

use schemars::Schema;

use crate::{
    Error, FilterableField, Result, SearchOptions, SearchResults, TextSearchRecord,
    TextSearchResult, record::schema_of, telemetry::retrieval::Retrieval,
};

pub use crate::mapping::{AnyTextSearch, Mapped, WithResult, WithText};

/// A connector or a wrapper: one search that returns its own record type.
///
/// Implementing it gives [`TextSearch`](crate::TextSearch), the trait that consumers hold, for free.
///
/// # Behavior
///
/// - Returns at most `top` results, in the backend's order, after leaving out exactly `skip` of them; `skip` counts
///   from zero, whatever the backend counts from.
/// - The first page is fetched by the call itself, so that errors, count and metadata are there at once; later pages
///   are fetched only while the stream is read ([`SearchResults::paged`]).
/// - A filter that the backend cannot apply is [`UnsupportedFilter`](crate::ErrorKind::UnsupportedFilter) before
///   anything is sent; it is never ignored and never widened. A value in a filter never adds an operator to the query.
///   The core refuses the filters of a connector without [`fields`](Self::fields).
/// - A search with a fixed filter that the connector does not [support](Self::supports_fixed_filter) never reaches
///   `search_records`: only [`CheckedOptions`] do, and only the core makes them, for one type of connector.
/// - `skip + top` beyond a documented maximum of the backend is [`InvalidOptions`](crate::ErrorKind::InvalidOptions)
///   that names the limit, before anything is sent. Otherwise a stream that ends early is the only sign.
/// - Within one call, duplicates from overlapping pages are left out
///   ([`SearchResults::distinct_by`]); nothing else is dropped silently.
/// - Dropping the future or the stream stops the work.
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
    note = "implement `TextSearchConnector` for it, or wrap an `Arc<dyn TextSearch>` in `AnyTextSearch`"
)]
pub trait TextSearchConnector: Send + Sync {
    /// The connector's own record.
    type Record: TextSearchRecord;

    /// Returns the short name of the connector, such as `brave`, for errors, spans and the source
    /// of results.
    fn name(&self) -> &str;

    /// Returns the name of the data searched, for spans: a collection, or else the connector's
    /// [name](Self::name).
    fn data_source(&self) -> &str {
        self.name()
    }

    /// Searches for `query`: the method that a connector writes, as a plain `async fn`.
    ///
    /// To search, call [`records`](Self::records), or a method of [`TextSearch`](crate::TextSearch): wrappers too.
    ///
    /// # Errors
    ///
    /// Any [`ErrorKind`](crate::ErrorKind). Options and filters that the connector can't serve are errors before
    /// it sends anything. A failure of a later page is an item of the stream.
    fn search_records(
        &self,
        query: &str,
        options: &CheckedOptions<'_, Self>,
    ) -> impl Future<Output = Result<SearchResults<Self::Record>>> + Send;

    /// Searches for `query` and returns the connector's own records. Not to be overridden.
    ///
    /// Emits a `retrieval` span, unless another search that emits one is waiting for this one.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`search_records`](Self::search_records), and
    /// [`InvalidOptions`](crate::ErrorKind::InvalidOptions) for a fixed filter that the connector
    /// doesn't [support](Self::supports_fixed_filter).
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
                top: options.top,
                skip: options.skip,
                queries: None,
            };
            retrieval.observe(pin!(self.search_records(query, &checked))).await
        }
    }

    /// Returns the fields that a filter may name, each with its operators and whether models get it
    /// by default. None by default: filters are then refused.
    fn fields(&self) -> &[FilterableField] {
        &[]
    }

    /// Returns the JSON schema of a record as serialised, not as deserialised. Override it if
    /// records are defined at run time.
    fn schema(&self) -> Schema {
        schema_of::<Self::Record>()
    }

    /// Returns whether a [fixed filter](SearchOptions::with_fixed_filter) holds whatever the query
    /// says.
    ///
    /// False by default: a search with a fixed filter is then refused. Return true if the connector
    /// applies the filter separately from the query, or if it quotes or removes the backend's
    /// operators in the query whenever [`SearchOptions::fixed_filter`] is set.
    fn supports_fixed_filter(&self) -> bool {
        false
    }

    /// Returns this search with `text` in place of the record's own
    /// [`text`](TextSearchRecord::text).
    fn with_text<F>(self, text: F) -> WithText<Self, F>
    where
        Self: Sized,
        F: Fn(&Self::Record) -> String + Send + Sync,
    {
        WithText::new(self, text)
    }

    /// Returns this search with `result` in place of the record's own
    /// [`to_result`](TextSearchRecord::to_result).
    fn with_result<F>(self, result: F) -> WithResult<Self, F>
    where
        Self: Sized,
        F: Fn(&Self::Record) -> TextSearchResult + Send + Sync,
    {
        WithResult::new(self, result)
    }
}

/// The options of a search that the connector `C` may be asked to answer.
///
/// Reads like [`SearchOptions`]. Only the core makes it, after it asked `C` for
/// [`supports_fixed_filter`](TextSearchConnector::supports_fixed_filter) and
/// [`fields`](TextSearchConnector::fields). So a connector never gets a fixed filter that it can't
/// hold, and a connector without fields never gets a filter that it would ignore.
///
/// A wrapper's options aren't checked for the connector inside. It calls
/// [`records`](TextSearchConnector::records) there, which checks them; `search_records` doesn't
/// compile:
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
            return Err(Error::invalid_options(
                connector.name(),
                "fixed_filter",
                "set",
                "none: this connector cannot promise that a query stays inside a filter",
            ));
        }
        // A connector that says nothing about filters wasn't written to apply one.
        if let (true, Some(filter)) = (connector.fields().is_empty(), options.filter()) {
            filter.check(connector.name(), connector.fields())?;
        }
        Ok(checked)
    }
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
