//! Wrappers over any text search.

use crate::{
    CheckedOptions, Result, SearchOptions, SearchResults, TextSearch, TextSearchConnector,
    description::description_of, results::AnyRecord,
};

/// A search that asks another one, and keeps its name, fields, schema and fixed filters.
///
/// Implementing it also implements [`TextSearchConnector`], and so [`TextSearch`].
///
/// ```
/// use std::sync::Arc;
/// use textsearch_core::{
///     FixedSearch, Result, SearchOptions, SearchResults, TextSearch, TextSearchConnector,
///     TextSearchResult, connector::TextSearchWrapper, results::AnyRecord,
/// };
///
/// /// Searches in lower case.
/// struct LowerCase(Arc<dyn TextSearch>);
///
/// impl TextSearchWrapper for LowerCase {
///     fn inner(&self) -> &dyn TextSearch {
///         &self.0
///     }
///
///     async fn search_inner(&self, query: &str, options: &SearchOptions) -> Result<SearchResults<AnyRecord>> {
///         self.0.search_any(&query.to_lowercase(), options).await
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let search = LowerCase(Arc::new(FixedSearch::new([TextSearchResult::new("one")])));
/// assert_eq!(search.name(), "fixed");
/// assert_eq!(search.search("ONE", &SearchOptions::default()).await?.into_vec().await?, ["one"]);
/// # Ok(())
/// # }
/// ```
pub trait TextSearchWrapper: Send + Sync {
    /// Returns the inner search.
    fn inner(&self) -> &dyn TextSearch;

    /// Searches for `query` through the inner search, as a plain `async fn`.
    ///
    /// Give the inner search all of `options`, or stricter ones. It checks them.
    ///
    /// # Errors
    ///
    /// Returns any error of the inner search or the wrapper.
    fn search_inner(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> impl Future<Output = Result<SearchResults<AnyRecord>>> + Send;
}

#[diagnostic::do_not_recommend]
impl<W: TextSearchWrapper> TextSearchConnector for W {
    type Record = AnyRecord;

    description_of!(self => self.inner());

    async fn search_records(
        &self,
        query: &str,
        options: &CheckedOptions<'_, Self>,
    ) -> Result<SearchResults<AnyRecord>> {
        self.search_inner(query, options).await
    }
}
