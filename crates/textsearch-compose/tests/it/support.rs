//! Sources that answer as told, and short ways to search.

use std::{
    fmt,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use futures_util::{FutureExt, future::BoxFuture};
use textsearch_core::{
    CheckedOptions, Error, ErrorKind, FilterableField, FixedSearch, Result, SearchOptions,
    SearchResults, TextSearch, TextSearchConnector, TextSearchResult,
};

type Answer = dyn Fn(usize, SearchOptions) -> BoxFuture<'static, Found> + Send + Sync;
pub(crate) type Found = Result<SearchResults<TextSearchResult>>;

/// Answers by a function of the number of earlier calls and the options.
#[derive(Clone)]
pub(crate) struct Source {
    name: &'static str,
    answer: Arc<Answer>,
    calls: Arc<AtomicUsize>,
    options: Arc<Mutex<Vec<SearchOptions>>>,
    fields: Vec<FilterableField>,
    fixed: bool,
}

impl Source {
    pub(crate) fn new<Work>(
        name: &'static str,
        answer: impl Fn(usize, SearchOptions) -> Work + Send + Sync + 'static,
    ) -> Self
    where
        Work: Future<Output = Found> + Send + 'static,
    {
        Self {
            name,
            answer: Arc::new(move |call, options| answer(call, options).boxed()),
            calls: Arc::default(),
            options: Arc::default(),
            fields: Vec::new(),
            fixed: true,
        }
    }

    /// Answers each call at once, by `answer`.
    pub(crate) fn ready(
        name: &'static str,
        answer: impl Fn(&SearchOptions) -> Found + Send + Sync + 'static,
    ) -> Self {
        Self::new(name, move |_, options| std::future::ready(answer(&options)))
    }

    pub(crate) fn failing(name: &'static str, kind: ErrorKind) -> Self {
        Self::ready(name, move |_| Err(Error::new(kind.clone(), name, "secret internals")))
    }

    pub(crate) fn silent(name: &'static str) -> Self {
        Self::new(name, |_, _| std::future::pending())
    }

    pub(crate) fn panicking(name: &'static str) -> Self {
        Self::new(name, |_, _| async { panic!("a source that panics") })
    }

    pub(crate) fn with_fields(mut self, fields: impl IntoIterator<Item = FilterableField>) -> Self {
        self.fields = fields.into_iter().collect();
        self
    }

    pub(crate) fn without_fixed_filters(mut self) -> Self {
        self.fixed = false;
        self
    }

    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    /// The options of each call.
    pub(crate) fn options(&self) -> Vec<SearchOptions> {
        self.options.lock().unwrap().clone()
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

impl TextSearchConnector for Source {
    type Record = TextSearchResult;

    fn name(&self) -> &str {
        self.name
    }

    async fn search_records(&self, _: &str, options: &CheckedOptions<'_, Self>) -> Found {
        let call = self.calls.fetch_add(1, Ordering::SeqCst);
        let options = SearchOptions::clone(options);
        self.options.lock().unwrap().push(options.clone());
        (self.answer)(call, options).await
    }

    fn fields(&self) -> &[FilterableField] {
        &self.fields
    }

    fn supports_fixed_filter(&self) -> bool {
        self.fixed
    }
}

/// Notified when the future or stream that owns it is dropped.
pub(crate) struct Dropped(pub(crate) Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// The text is the last part of the link.
pub(crate) fn page(link: &str) -> TextSearchResult {
    TextSearchResult::new(link.rsplit('/').next().unwrap_or_default()).with_link(link)
}

/// Finds pages `https://example.com/<name>` in order.
pub(crate) fn pages(names: &[&str]) -> FixedSearch {
    let page = |name: &&str| page(&format!("https://example.com/{name}"));
    FixedSearch::new(names.iter().map(page).collect::<Vec<_>>())
}

pub(crate) fn with_results(results: impl IntoIterator<Item = TextSearchResult>) -> Found {
    Ok(SearchResults::from_vec(results.into_iter().collect()))
}

pub(crate) async fn texts(search: &impl TextSearch, options: &SearchOptions) -> Vec<String> {
    try_texts(search, options).await.unwrap()
}

pub(crate) async fn try_texts(
    search: &impl TextSearch,
    options: &SearchOptions,
) -> Result<Vec<String>> {
    search.search("q", options).await?.into_vec().await
}

pub(crate) async fn results(
    search: &impl TextSearch,
    options: &SearchOptions,
) -> Vec<TextSearchResult> {
    search.text_search_results("q", options).await.unwrap().into_vec().await.unwrap()
}

pub(crate) async fn failure(search: &impl TextSearch, options: &SearchOptions) -> Error {
    try_texts(search, options).await.unwrap_err()
}
