//! Wraps a text search to return full pages instead of snippets.

mod bounds;
mod budget;
mod pages;
mod record;
mod settings;
mod unread;

use std::{
    collections::HashMap,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use futures_util::{StreamExt, future};
use textsearch_core::{
    CheckedOptions, FilterableField, Result, SearchResults, TextSearchConnector, TextSearchRecord,
};

use self::pages::Pages;
pub(crate) use self::{bounds::Bounds, unread::Unread};
pub use self::{budget::TextBudget, record::FullPage, settings::FullPagesSettings};
use crate::{PageReader, WebPageReader, readers::PageReaders};

/// A text search that replaces each snippet by the text of the linked page.
///
/// - Results keep their order, name, link and metadata.
/// - If a page can't be read, or a result has no link, the snippet stays and the metadata has the
///   failure class as [`full_page_error`](FullPage). It's never an error.
/// - Pages are fetched while the stream is read, a few at a time and no further ahead. Dropping the
///   stream stops the work. A page that several results link to is fetched once per search.
/// - A text over the budget is truncated at the end of a sentence, and the metadata has
///   `truncated: true`. Snippets count against the budget too.
/// - Options, filters and fixed filters go to the inner search.
/// - A fixed filter also applies to redirects. With one on `site` or `domain`, the snippet stays if
///   a link redirects out of the site or out of its folder; with one on other fields only, if a
///   link redirects to another host.
///
/// ```no_run
/// use std::sync::Arc;
/// use textsearch_core::{SearchOptions, TextSearch, connector::AnyTextSearch};
/// use textsearch_web_page::{
///     FullPages, FullPagesSettings, TextBudget, WebPageReader, WebPageSettings,
/// };
///
/// # async fn example(search: Arc<dyn TextSearch>) -> textsearch_core::Result<()> {
/// let reader = WebPageReader::new(WebPageSettings::default())?;
/// let mut settings = FullPagesSettings::default();
/// settings.page_budget = TextBudget::Tokens(1000);
/// // `AnyTextSearch` turns any search into a connector. Pass a connector directly.
/// let pages = FullPages::new(AnyTextSearch::new(search), reader, settings)?;
/// let mut results = pages.text_search_results("semantic kernel", &SearchOptions::top(3)).await?;
/// while let Some(result) = results.next().await {
///     println!("{}", result?.value);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct FullPages<C> {
    inner: C,
    readers: PageReaders,
    settings: FullPagesSettings,
}

impl<C: TextSearchConnector> FullPages<C> {
    /// Wraps `inner` and reads its pages with `reader`.
    ///
    /// # Errors
    /// Returns [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions), naming the setting,
    /// if a setting is zero.
    pub fn new(inner: C, reader: WebPageReader, settings: FullPagesSettings) -> Result<Self> {
        settings.check(inner.name())?;
        Ok(Self { inner, readers: PageReaders::new(reader), settings })
    }

    /// Adds a reader for pages that those before it can't read: the site is unreachable or refuses (401, 403, 429,
    /// 503), the content isn't HTML or plain text, or there is no text.
    ///
    /// It gets only URLs of public addresses: neither those that the address rules refuse, nor hosts that you
    /// allowed. A page that it read elsewhere is checked by the same rules.
    #[must_use]
    pub fn with_page_reader(mut self, reader: impl PageReader + 'static) -> Self {
        self.readers.add(reader);
        self
    }

    fn with_pages(
        &self,
        records: SearchResults<C::Record>,
        bounds: Bounds,
    ) -> SearchResults<FullPage<C::Record>> {
        let count = records.total_count();
        let metadata = records.metadata().clone();
        let max = self.settings.page_budget.characters();
        let total = self.settings.total_budget.map_or(usize::MAX, TextBudget::characters);
        let left = Arc::new(AtomicUsize::new(total));
        let readers = self.readers.clone();
        let bounds = Arc::new(bounds);
        let begun = HashMap::new();
        let mut pages = Pages { readers, max, left: Arc::clone(&left), bounds, begun };
        let begun = StreamExt::map(records, move |record| match record {
            Ok(record) => {
                let snippet = record.to_result();
                let page = pages.fetch(snippet.link.as_deref());
                let full = async move { Ok(FullPage::new(record, snippet, &*page.await)) };
                future::Either::Left(full)
            }
            Err(error) => future::Either::Right(future::ready(Err(error))),
        });
        let full = begun
            .buffered(self.settings.concurrent_pages)
            .map(move |page| page.map(|page| within_budget(page, max, &left)));
        SearchResults::from_stream(full).with_metadata(metadata).with_total_count(count)
    }
}

/// Runs in order, so earlier results take their share first.
fn within_budget<R>(mut page: FullPage<R>, max: usize, left: &AtomicUsize) -> FullPage<R> {
    let available = left.load(Ordering::Relaxed);
    page.cut_to(max.min(available));
    if available != usize::MAX {
        left.store(available.saturating_sub(page.characters()), Ordering::Relaxed);
    }
    page
}

impl<C: TextSearchConnector> TextSearchConnector for FullPages<C> {
    type Record = FullPage<C::Record>;

    fn name(&self) -> &str {
        self.inner.name()
    }

    fn data_source(&self) -> &str {
        self.inner.data_source()
    }

    async fn search_records(
        &self,
        query: &str,
        options: &CheckedOptions<'_, Self>,
    ) -> Result<SearchResults<Self::Record>> {
        let records = self.inner.records(query, options).await?;
        Ok(self.with_pages(records, Bounds::new(options.fixed_filter())))
    }

    fn fields(&self) -> &[FilterableField] {
        self.inner.fields()
    }

    fn supports_fixed_filter(&self) -> bool {
        self.inner.supports_fixed_filter()
    }
}

impl<C: TextSearchConnector> fmt::Debug for FullPages<C> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("FullPages")
            .field("inner", &self.inner.name())
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
