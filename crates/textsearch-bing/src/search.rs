//! Runs searches for web pages and news, and reads their pages.

use std::{collections::HashSet, marker::PhantomData, sync::Arc};

use textsearch_core::{
    CheckedOptions, FilterableField, Result, SearchOptions, SearchResults, TextSearchConnector,
    TextSearchRecord,
    http::HttpClient,
    results::{Metadata, Page, TotalCount},
};

use crate::{
    BingConfig, BingNewsArticle, BingWebPage, CONNECTOR, filter,
    news::NewsAnswer,
    request::{self, LARGEST_OFFSET, Plan},
    response::{Markup, WebAnswer, Wire, describe_headers, read_error, read_success_error},
};

/// Searches the web with Bing Web Search v7: a [`BingSearch`] for pages.
///
/// ```no_run
/// use textsearch_bing::{BingConfig, BingTextSearch, SearchOptions, TextSearchConnector};
///
/// # async fn example() -> textsearch_bing::Result<()> {
/// let search = BingTextSearch::new(BingConfig::from_env()?)?;
/// let options = SearchOptions::top(3);
/// let mut pages = search.records("What is the Semantic Kernel?", &options).await?;
/// while let Some(page) = pages.next().await {
///     let page = page?;
///     println!("{} ({}): {}", page.name, page.display_url, page.snippet);
/// }
/// for article in search.news("rust", &options).await?.into_vec().await? {
///     println!("{}", article.name);
/// }
/// # Ok(())
/// # }
/// ```
pub type BingTextSearch = BingSearch<BingWebPage>;

/// Searches news with Bing News Search v7: a [`BingSearch`] for articles.
///
/// ```no_run
/// use textsearch_bing::{BingConfig, BingNewsSearch, SearchOptions, TextSearch};
///
/// # async fn example() -> textsearch_bing::Result<()> {
/// let search = BingNewsSearch::new(BingConfig::from_env()?)?;
/// let articles = search.text_search_results("rust", &SearchOptions::top(3)).await?;
/// for article in articles.into_vec().await? {
///     println!("{:?} {:?}", article.name, article.published);
/// }
/// # Ok(())
/// # }
/// ```
pub type BingNewsSearch = BingSearch<BingNewsArticle>;

/// A search with Bing for one kind of record: [`BingWebPage`] ([`BingTextSearch`]) or
/// [`BingNewsArticle`] ([`BingNewsSearch`]).
#[derive(Debug, Clone)]
pub struct BingSearch<R> {
    engine: Engine,
    fields: Vec<FilterableField>,
    records: PhantomData<fn() -> R>,
}

impl<R: Found> BingSearch<R> {
    /// Creates a search from `config`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidOptions`](crate::ErrorKind::InvalidOptions) if a setting is
    /// invalid. The error names the setting and the allowed values, which differ for pages and
    /// news.
    pub fn new(config: BingConfig) -> Result<Self> {
        let is_news = R::Answer::IS_NEWS;
        let (engine, fields) = (Engine::new(config, is_news)?, filter::fields(is_news));
        Ok(Self { engine, fields, records: PhantomData })
    }

    /// Replaces the HTTP client. The client's own settings apply instead of the configured ones.
    #[must_use]
    pub fn with_http_client(mut self, client: HttpClient) -> Self {
        self.engine = self.engine.with_client(client);
        self
    }
}

impl BingTextSearch {
    /// Searches for news with this search's key and settings.
    ///
    /// # Errors
    /// Same as [`TextSearchConnector::search_records`]. Also returns
    /// [`ErrorKind::InvalidOptions`](crate::ErrorKind::InvalidOptions) for a setting that news
    /// searches reject.
    pub async fn news(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchResults<BingNewsArticle>> {
        request::check(&self.engine.config, true)?;
        self.engine.search::<NewsAnswer>(query, options).await
    }
}

impl<R: Found> TextSearchConnector for BingSearch<R> {
    type Record = R;

    fn name(&self) -> &str {
        CONNECTOR
    }

    async fn search_records(
        &self,
        query: &str,
        options: &CheckedOptions<'_, Self>,
    ) -> Result<SearchResults<R>> {
        self.engine.search::<R::Answer>(query, options).await
    }

    fn fields(&self) -> &[FilterableField] {
        &self.fields
    }

    fn supports_fixed_filter(&self) -> bool {
        true
    }
}

/// A kind of record. Sealed: the module is private.
pub trait Found: TextSearchRecord {
    /// The response that contains these records.
    type Answer: Wire<Record = Self>;
}

impl Found for BingWebPage {
    type Answer = WebAnswer;
}

impl Found for BingNewsArticle {
    type Answer = NewsAnswer;
}

#[derive(Debug, Clone)]
struct Engine {
    client: HttpClient,
    config: Arc<BingConfig>,
    markup: Markup,
}

#[derive(Debug, Default)]
struct Cursor {
    offset: usize,
    /// All earlier links.
    seen: HashSet<String>,
}

struct Fetched<R> {
    page: Page<R, Cursor>,
    total: Option<u64>,
    metadata: Metadata,
}

impl Engine {
    fn new(config: BingConfig, is_news: bool) -> Result<Self> {
        request::check(&config, is_news)?;
        let client = HttpClient::new(CONNECTOR, config.http.clone())?;
        let markup = Markup::of(&config);
        let engine = Self { client: client.clone(), config: Arc::new(config), markup };
        Ok(engine.with_client(client))
    }

    fn with_client(mut self, client: HttpClient) -> Self {
        let is_public = self.config.is_public_service();
        self.client = client
            .with_error_reader(move |answer| read_error(answer, is_public))
            .with_success_error_reader(read_success_error);
        self
    }

    async fn search<W: Wire>(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchResults<W::Record>> {
        let plan = Plan::new(&self.config, query, options, W::LARGEST_PAGE, W::IS_NEWS)?;
        let Some(plan) = plan else {
            return Ok(SearchResults::from_vec(Vec::new()));
        };
        let plan = Arc::new(plan);
        let (skip, start) = (plan.skip, Cursor { offset: plan.offset, ..Cursor::default() });
        let first = self.fetch::<W>(&plan, start).await?;
        let engine = self.clone();
        let results = SearchResults::paged(first.page, move |cursor| {
            let (engine, plan) = (engine.clone(), Arc::clone(&plan));
            async move { Ok(engine.fetch::<W>(&plan, cursor).await?.page) }
        });
        let results = results
            .distinct_by_text(|record| W::link(record))
            .window(skip, options.top)
            .with_metadata(first.metadata);
        Ok(results.with_total_count(first.total.map(TotalCount::Estimated)))
    }

    async fn fetch<W: Wire>(&self, plan: &Plan, cursor: Cursor) -> Result<Fetched<W::Record>> {
        let request = plan.request(&self.config, self.config.url(W::PATH)?, cursor.offset);
        let response = self.client.send_json::<W>(request).await?;
        let answer = response.body.into_answer(self.markup);
        let mut metadata = answer.metadata;
        describe_headers(&response.headers, &mut metadata);
        let next = next::<W>(cursor, &answer.records, answer.total, plan.count());
        let mut records = answer.records;
        plan.sites.retain(&mut records, W::link);
        // A service that ignores a fixed filter would otherwise be queried forever.
        let next = next.filter(|_| !records.is_empty());
        Ok(Fetched { page: Page::new(records, next), total: answer.total, metadata })
    }
}

/// The service repeats its last page, so a page without a new link is the end.
fn next<W: Wire>(
    mut cursor: Cursor,
    records: &[W::Record],
    total: Option<u64>,
    count: usize,
) -> Option<Cursor> {
    let mut is_new = false;
    for link in records.iter().filter_map(link::<W>) {
        is_new |= cursor.seen.insert(link);
    }
    cursor.offset = cursor.offset.checked_add(count)?;
    let has_more = total.is_none_or(|total| (cursor.offset as u64) < total);
    (is_new && has_more && cursor.offset <= LARGEST_OFFSET).then_some(cursor)
}

fn link<W: Wire>(record: &W::Record) -> Option<String> {
    let link = W::link(record);
    (!link.is_empty()).then(|| link.to_owned())
}
