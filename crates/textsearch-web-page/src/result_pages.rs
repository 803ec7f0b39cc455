//! The pages behind the results of a web search, as documents.

use std::{
    collections::VecDeque,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use textsearch_core::{
    Error, ErrorKind, Filter, Result, SearchOptions, SearchResults, TextSearch,
    TextSearchRecord as _, TextSearchResult, async_trait,
    connector::TextSearchWrapper,
    document::{DocumentInfo, DocumentPage, DocumentReader, ReadOptions},
    http::Url,
    results::AnyRecord,
};

use crate::{
    PageReader, WebPageReader,
    full_pages::{Bounds, Unread},
    reader::CONNECTOR,
    readers::PageReaders,
};

/// The oldest are forgotten first.
const MAX_PAGES: usize = 1_000;

/// A text search that can also read the pages that it returned, and no others.
///
/// It passes on searches unchanged, and remembers the web pages that the results link to: the last 1,000. As
/// a [`DocumentReader`], it reads and lists these.
///
/// - The id of a page is the id of its result, or its link if it has none. Any other id is missing, so neither
///   a model nor a text that it read can make the reader request a URL of their choice. Redirects are followed
///   as [`WebPageReader`] does, but a public page that leads to an allowed host is missing, too. The document's
///   link is the URL after redirects.
/// - A filter of a read shows only pages that a search returned under this same fixed filter, which redirects
///   can't leave.
/// - The offset counts bytes. Each read requests the web page again.
/// - Everyone who uses one value, or a clone, can read what any of them found. Create one for each user.
///
/// ```no_run
/// use textsearch_core::{
///     FixedSearch, SearchOptions, TextSearch, TextSearchResult,
///     document::{DocumentReader, ReadOptions},
/// };
/// use textsearch_web_page::{ResultPages, WebPageReader, WebPageSettings};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_core::Result<()> {
/// let link = "https://www.rust-lang.org/learn";
/// let search = FixedSearch::new([TextSearchResult::new("Where to learn Rust.").with_link(link)]);
/// let pages = ResultPages::new(search, WebPageReader::new(WebPageSettings::default())?);
/// assert_eq!(pages.read(link, &ReadOptions::default()).await?, None);
///
/// pages.search("learn rust", &SearchOptions::top(3)).await?.into_vec().await?;
/// let page = pages.read(link, &ReadOptions::default()).await?.unwrap_or_default();
/// println!("{}", page.text);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ResultPages {
    search: Arc<dyn TextSearch>,
    readers: PageReaders,
    remembered: Arc<Mutex<VecDeque<ResultPage>>>,
}

/// A page that a search returned.
#[derive(Clone, PartialEq)]
struct ResultPage {
    id: String,
    url: Url,
    name: Option<String>,
    /// Of the search.
    fixed_filter: Option<Filter>,
}

impl ResultPages {
    /// Remembers the pages that `search` returns, and reads them with `reader`.
    pub fn new(search: impl TextSearch + 'static, reader: WebPageReader) -> Self {
        let readers = PageReaders::new(reader);
        Self { search: Arc::new(search), readers, remembered: Arc::default() }
    }

    /// Adds a reader for pages that those before it can't read, as
    /// [`FullPages::with_page_reader`](crate::FullPages::with_page_reader) does.
    #[must_use]
    pub fn with_page_reader(mut self, reader: impl PageReader + 'static) -> Self {
        self.readers.add(reader);
        self
    }

    fn remembered(&self) -> MutexGuard<'_, VecDeque<ResultPage>> {
        self.remembered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remember(&self, page: ResultPage) {
        let mut pages = self.remembered();
        pages.retain(|known| !known.is_same(&page));
        pages.push_back(page);
        if pages.len() > MAX_PAGES {
            pages.pop_front();
        }
    }
}

impl ResultPage {
    fn new(result: TextSearchResult, fixed_filter: Option<Filter>) -> Option<Self> {
        let link = result.link?;
        let url = Url::parse(&link).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        Some(Self { id: result.id.unwrap_or(link), url, name: result.name, fixed_filter })
    }

    fn is_same(&self, other: &Self) -> bool {
        self.id == other.id && self.fixed_filter == other.fixed_filter
    }

    fn is_shown_under(&self, filter: Option<&Filter>) -> bool {
        filter.is_none() || filter == self.fixed_filter.as_ref()
    }

    fn info(self) -> DocumentInfo {
        let info = DocumentInfo::new(self.id).with_link(self.url);
        match self.name {
            Some(name) => info.with_name(name),
            None => info,
        }
    }
}

impl TextSearchWrapper for ResultPages {
    fn inner(&self) -> &dyn TextSearch {
        &self.search
    }

    async fn search_inner(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchResults<AnyRecord>> {
        let results = self.search.search_any(query, options).await?;
        let fixed_filter = options.fixed_filter().cloned();
        let pages = self.clone();
        Ok(results.map(move |record| {
            if let Some(page) = ResultPage::new(record.to_result(), fixed_filter.clone()) {
                pages.remember(page);
            }
            record
        }))
    }
}

#[async_trait]
impl DocumentReader for ResultPages {
    fn check_filter(&self, filter: &Filter) -> Result<()> {
        self.search.check_fixed_filter(filter)
    }

    async fn read(&self, id: &str, options: &ReadOptions) -> Result<Option<DocumentPage>> {
        let is_named = |page: &&ResultPage| page.id == id && page.is_shown_under(options.filter());
        let Some(page) = self.remembered().iter().find(is_named).cloned() else { return Ok(None) };
        let bounds = Bounds::new(page.fixed_filter.as_ref());
        let read = match self.readers.read(&page.url, &bounds).await {
            Ok(read) => read.page,
            Err(Unread::Refused) => return Ok(None),
            Err(why) => {
                let message = format!("the page of a result cannot be read: {}", why.name());
                return Err(Error::new(ErrorKind::Unavailable, CONNECTOR, message));
            }
        };
        let mut document = page.info();
        document.name = document.name.or(read.title);
        document.link = Some(read.url.into());
        Ok(DocumentPage::from_text(document, &read.text, options))
    }

    async fn list(&self, options: &SearchOptions) -> Result<SearchResults<DocumentInfo>> {
        let filter = options.filter();
        let pages: Vec<_> = self.remembered().iter().cloned().collect();
        let shown = pages.into_iter().filter(|page| page.is_shown_under(filter.as_deref()));
        let documents = SearchResults::from_vec(shown.map(ResultPage::info).collect());
        Ok(documents.window(options.skip, options.top))
    }
}

impl fmt::Debug for ResultPages {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ResultPages")
            .field("search", &self.search.name())
            .finish_non_exhaustive()
    }
}
