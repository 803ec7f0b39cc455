//! The trait that a connector or a wrapper implements.

use async_trait::async_trait;
use schemars::Schema;

use crate::{
    FilterableField, Result, SearchOptions, SearchResults, TextSearchRecord, TextSearchResult,
    mapping::{WithResult, WithText},
    record::schema_of,
};

/// What a connector or a wrapper implements: one search, for records of its own type.
///
/// Implementing it gives [`TextSearch`](crate::TextSearch), the trait that consumers hold, for free.
///
/// # Behavior
///
/// - Returns at most `top` results, in the back end's order, after leaving out exactly `skip` of them; `skip` counts
///   from zero, whatever the back end counts from.
/// - The first page is fetched by the call itself, so that errors, count and metadata are there at once; later pages
///   are fetched only while the stream is read ([`SearchResults::paged`]).
/// - A filter that the back end cannot apply is [`UnsupportedFilter`](crate::ErrorKind::UnsupportedFilter) before
///   anything is sent; it is never ignored and never widened. A value in a filter never adds an operator to the query.
/// - A search with a fixed filter that the connector does not [support](Self::supports_fixed_filter) is refused by
///   [`TextSearch`](crate::TextSearch) before it comes here. Who calls `search_records` itself has to ask first.
/// - `skip + top` beyond a documented maximum of the back end is [`InvalidOptions`](crate::ErrorKind::InvalidOptions)
///   that names the limit, before anything is sent. Otherwise a stream that ends early is the only sign.
/// - Within one call, repeats that overlapping pages bring are left out ([`SearchResults::distinct_by`]); nothing else
///   is ever dropped silently.
/// - Dropping the future or the stream stops the work.
///
/// ```
/// use textsearch_core::{
///     Result, SearchOptions, SearchResults, TextSearch, TextSearchConnector, TextSearchResult, async_trait,
/// };
///
/// struct Echo;
///
/// #[async_trait]
/// impl TextSearchConnector for Echo {
///     type Record = TextSearchResult;
///
///     fn name(&self) -> &str {
///         "echo"
///     }
///
///     async fn search_records(&self, query: &str, options: &SearchOptions) -> Result<SearchResults<TextSearchResult>> {
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
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a text search connector",
    note = "implement `TextSearchConnector` for it, or wrap an `Arc<dyn TextSearch>` in `AnyTextSearch`"
)]
pub trait TextSearchConnector: Send + Sync {
    /// The connector's own record.
    type Record: TextSearchRecord;

    /// The short name of the connector, such as `brave`: it appears in errors, in spans and as the source of results.
    fn name(&self) -> &str;

    /// Searches for `query`.
    ///
    /// # Errors
    ///
    /// Any [`ErrorKind`](crate::ErrorKind); options and filters that cannot be served are found before anything is
    /// sent. A failure of a later page is an item of the stream.
    async fn search_records(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchResults<Self::Record>>;

    /// The fields that a filter may name, each with its operators, and whether a model is offered it by default.
    fn fields(&self) -> &[FilterableField] {
        &[]
    }

    /// The JSON schema of a record as it is written, not as it is read; overridden where records are defined at run
    /// time.
    fn schema(&self) -> Schema {
        schema_of::<Self::Record>()
    }

    /// Whether a [fixed filter](SearchOptions::with_fixed_filter) holds here whatever the query says.
    ///
    /// False unless the connector says otherwise, and then a search with a fixed filter is refused. Return true where
    /// the filter is applied apart from the query, or where the back end's operators in the query are quoted or
    /// removed whenever [`SearchOptions::fixed_filter`] is set.
    fn supports_fixed_filter(&self) -> bool {
        false
    }

    /// The same search, with `text` in place of the record's own [`text`](TextSearchRecord::text).
    fn with_text<F>(self, text: F) -> WithText<Self, F>
    where
        Self: Sized,
        F: Fn(&Self::Record) -> String + Send + Sync,
    {
        WithText::new(self, text)
    }

    /// The same search, with `result` in place of the record's own [`to_result`](TextSearchRecord::to_result).
    fn with_result<F>(self, result: F) -> WithResult<Self, F>
    where
        Self: Sized,
        F: Fn(&Self::Record) -> TextSearchResult + Send + Sync,
    {
        WithResult::new(self, result)
    }
}
