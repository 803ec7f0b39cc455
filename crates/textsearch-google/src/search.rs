//! Runs a search and reads its pages.

use std::{collections::HashSet, sync::Arc};

use textsearch_core::{
    CheckedOptions, FilterableField, Result, SearchResults, TextSearchConnector,
    http::HttpClient,
    results::{Metadata, Page, TotalCount},
};

use crate::{
    CONNECTOR, GoogleConfig, GoogleWebPage, filter,
    request::{self, MOST_RESULTS, Plan},
    response::{Answer, read_error},
};

/// Searches the web, or images, with Google's Custom Search JSON API v1.
///
/// ```no_run
/// use textsearch_google::{GoogleConfig, GoogleTextSearch, SearchOptions, TextSearchConnector};
///
/// # async fn example() -> textsearch_google::Result<()> {
/// let search = GoogleTextSearch::new(GoogleConfig::from_env()?)?;
/// let mut pages = search.records("What is the Semantic Kernel?", &SearchOptions::top(3)).await?;
/// while let Some(page) = pages.next().await {
///     let page = page?;
///     println!("{} ({}): {}", page.title, page.display_link, page.snippet);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct GoogleTextSearch {
    engine: Engine,
    fields: Vec<FilterableField>,
}

impl GoogleTextSearch {
    /// Creates a search from `config`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidOptions`](crate::ErrorKind::InvalidOptions) if a setting is
    /// invalid. The error names the setting and the allowed values.
    pub fn new(config: GoogleConfig) -> Result<Self> {
        request::check(&config)?;
        let client = HttpClient::new(CONNECTOR, config.http.clone())?;
        let client = client.with_error_reader(read_error).with_success_error_reader(read_error);
        let engine = Engine { client, config: Arc::new(config) };
        Ok(Self { engine, fields: filter::fields() })
    }

    /// Replaces the HTTP client. The client's own settings apply instead of the configured ones.
    #[must_use]
    pub fn with_http_client(mut self, client: HttpClient) -> Self {
        self.engine.client =
            client.with_error_reader(read_error).with_success_error_reader(read_error);
        self
    }
}

impl TextSearchConnector for GoogleTextSearch {
    type Record = GoogleWebPage;

    fn name(&self) -> &str {
        CONNECTOR
    }

    async fn search_records(
        &self,
        query: &str,
        options: &CheckedOptions<'_, Self>,
    ) -> Result<SearchResults<GoogleWebPage>> {
        let Some(plan) = Plan::new(&self.engine.config, query, options, &self.fields)? else {
            return Ok(SearchResults::from_vec(Vec::new()));
        };
        let plan = Arc::new(plan);
        let (skip, start) = (plan.skip, Cursor { start: plan.start, ..Cursor::default() });
        let first = self.engine.fetch(&plan, start).await?;
        let engine = self.engine.clone();
        let results = SearchResults::paged(first.page, move |cursor| {
            let (engine, plan) = (engine.clone(), Arc::clone(&plan));
            async move { Ok(engine.fetch(&plan, cursor).await?.page) }
        });
        let results = results.distinct_by_text(|page| &page.link).window(skip, options.top);
        let results = results.with_metadata(first.metadata);
        Ok(results.with_total_count(first.total.map(TotalCount::Estimated)))
    }

    fn fields(&self) -> &[FilterableField] {
        &self.fields
    }

    fn supports_fixed_filter(&self) -> bool {
        true
    }
}

#[derive(Debug, Clone)]
struct Engine {
    client: HttpClient,
    config: Arc<GoogleConfig>,
}

#[derive(Debug, Default)]
struct Cursor {
    /// First result of the page, counted from 1.
    start: usize,
    /// All earlier links.
    seen: HashSet<String>,
}

struct Fetched {
    page: Page<GoogleWebPage, Cursor>,
    total: Option<u64>,
    metadata: Metadata,
}

impl Engine {
    async fn fetch(&self, plan: &Plan, cursor: Cursor) -> Result<Fetched> {
        let request = plan.request(&self.config, cursor.start)?;
        let parts = self.client.send_json::<Answer>(request).await?.body.into_parts();
        let mut pages = parts.pages;
        let next = next(cursor, &pages, plan).filter(|_| parts.has_next);
        plan.sites.retain(&mut pages, |page| page.page(plan.is_for_images()));
        // Without this, a service that ignores a fixed filter gets ten requests in vain.
        let next = next.filter(|_| !pages.is_empty());
        Ok(Fetched { page: Page::new(pages, next), total: parts.total, metadata: parts.metadata })
    }
}

/// A page without a new link is the last.
fn next(mut cursor: Cursor, pages: &[GoogleWebPage], plan: &Plan) -> Option<Cursor> {
    let mut is_new = false;
    for link in pages.iter().filter_map(link) {
        is_new |= cursor.seen.insert(link);
    }
    cursor.start += plan.count_at(cursor.start);
    (is_new && cursor.start <= MOST_RESULTS).then_some(cursor)
}

fn link(page: &GoogleWebPage) -> Option<String> {
    (!page.link.is_empty()).then(|| page.link.clone())
}
