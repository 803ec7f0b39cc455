//! The object-safe trait that consumers hold.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;

use crate::{
    Filter, Result, SearchOptions, SearchResults, TextSearchConnector, TextSearchRecord,
    TextSearchResult, connector::refused_fixed_filter, description::TextSearchDescription,
    results::AnyRecord,
};

/// Any text search, usually held as an `Arc<dyn TextSearch>`.
///
/// Every [`TextSearchConnector`] and every `Arc` of a text search implements it; nothing else can.
/// A search emits one `retrieval` span by the OpenTelemetry conventions for generative AI, however
/// many wrappers it goes through. The span ends when the stream is read or dropped.
///
/// [`records`](TextSearchConnector::records) and `search_records` belong to typed connectors. On an
/// `Arc<dyn TextSearch>`, call a method of this trait, or wrap it in an
/// [`AnyTextSearch`](crate::connector::AnyTextSearch).
///
/// ```
/// use std::sync::Arc;
/// use textsearch_core::{FixedSearch, SearchOptions, TextSearch, TextSearchResult};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_core::Result<()> {
/// let search: Arc<dyn TextSearch> = Arc::new(FixedSearch::new(vec![
///     TextSearchResult::new("A filter is plain data.").with_name("Filters"),
/// ]));
/// let results = search.text_search_results("filters", &SearchOptions::top(3)).await?.into_vec().await?;
/// assert_eq!(results[0].name.as_deref(), Some("Filters"));
/// # Ok(())
/// # }
/// ```
#[async_trait]
pub trait TextSearch: TextSearchDescription + sealed::Sealed {
    /// Checks that every search can stay inside `filter`, as its
    /// [fixed filter](SearchOptions::with_fixed_filter).
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](crate::ErrorKind::InvalidOptions) if the search
    /// [supports](TextSearchDescription::supports_fixed_filter) no fixed filter, or an error of
    /// [`Filter::check`].
    fn check_fixed_filter(&self, filter: &Filter) -> Result<()> {
        if !self.supports_fixed_filter() {
            return Err(refused_fixed_filter(self.name()));
        }
        filter.check(self.name(), self.fields())
    }

    /// Searches for `query` and returns records of any type.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`records`](TextSearchConnector::records).
    async fn search_any(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchResults<AnyRecord>>;

    /// Searches for `query` and returns plain texts.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`search_any`](Self::search_any).
    async fn search(&self, query: &str, options: &SearchOptions) -> Result<SearchResults<String>>;

    /// Searches for `query` and returns names, values and links.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`search_any`](Self::search_any).
    async fn text_search_results(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchResults<TextSearchResult>>;

    /// Searches for `query` and returns the connector's own records as JSON.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`search_any`](Self::search_any). A record that cannot be written as
    /// JSON is an error in the stream.
    async fn search_values(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchResults<Value>>;
}

#[async_trait]
impl<C: TextSearchConnector> TextSearch for C {
    async fn search_any(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchResults<AnyRecord>> {
        Ok(self.records(query, options).await?.map(TextSearchRecord::into_any_record))
    }

    async fn search(&self, query: &str, options: &SearchOptions) -> Result<SearchResults<String>> {
        Ok(self.records(query, options).await?.map(TextSearchRecord::into_text))
    }

    async fn text_search_results(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchResults<TextSearchResult>> {
        let source: Arc<str> = self.name().into();
        let records = self.records(query, options).await?;
        Ok(records.map(move |record| {
            let mut result = record.into_result();
            result.source.get_or_insert_with(|| source.as_ref().to_owned());
            result
        }))
    }

    async fn search_values(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchResults<Value>> {
        let records = self.records(query, options).await?;
        Ok(records.try_map(|record| AnyRecord::new(record).to_value()))
    }
}

#[async_trait]
impl<S: TextSearch + ?Sized> TextSearch for Arc<S> {
    async fn search_any(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchResults<AnyRecord>> {
        (**self).search_any(query, options).await
    }

    async fn search(&self, query: &str, options: &SearchOptions) -> Result<SearchResults<String>> {
        (**self).search(query, options).await
    }

    async fn text_search_results(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchResults<TextSearchResult>> {
        (**self).text_search_results(query, options).await
    }

    async fn search_values(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchResults<Value>> {
        (**self).search_values(query, options).await
    }
}

mod sealed {
    use std::sync::Arc;

    use super::{TextSearch, TextSearchConnector};

    pub trait Sealed {}
    impl<C: TextSearchConnector> Sealed for C {}
    impl<S: TextSearch + ?Sized> Sealed for Arc<S> {}
}
