//! The connector of an engine.

use std::{fmt, sync::Arc};

use url::Url;

use super::{PageAddress, Paging, ResultPage, WebEngine, WebQuery, WebRequest};
use crate::{
    CheckedOptions, FilterableField, Result, SearchOptions, SearchResults, TextSearchConnector,
    http::HttpClient,
    paging::distinct,
    results::{Metadata, Page, TotalCount},
    web::FixedSites,
};

/// More than a working engine sends before its next result.
const MAX_EMPTY_PAGES: usize = 10;

/// The connector of the engine `E`, which is also its configuration: see [`WebEngine`].
///
/// # Behavior
/// A search reads pages until the engine reports the last one. It stops earlier:
///
/// - before a request that equals the one before, because the offset didn't change;
/// - after 10 pages in a row without a result, for example because a
///   [record filter](WebRequest::with_record_filter) keeps none, with a warning event;
/// - after a page that only repeats earlier links, with a warning event, or has none;
/// - after a page whose records all contradict the fixed filter, or with
///   [`CHECKS_SITES`](WebEngine::CHECKS_SITES) any filter, on sites.
pub struct WebSearch<E> {
    engine: Arc<E>,
    client: HttpClient,
    /// May hold a password.
    url: Url,
    fields: Arc<[FilterableField]>,
}

impl<E: WebEngine> WebSearch<E> {
    /// Creates a search from a configuration.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidOptions`](crate::ErrorKind::InvalidOptions) if a setting is
    /// invalid. The error names the setting and the allowed values.
    pub fn new(config: E) -> Result<Self> {
        let connection = config.connection();
        connection.check::<E>()?;
        let url = config.url()?;
        config.check()?;
        let client = HttpClient::new(E::NAME, connection.http.clone())?;
        let fields = config.fields().into();
        let engine = Arc::new(config);
        let search = Self { engine, client: client.clone(), url, fields };
        Ok(search.with_http_client(client))
    }

    /// Replaces the HTTP client. The client's own settings apply instead of the configured ones.
    #[must_use]
    pub fn with_http_client(mut self, client: HttpClient) -> Self {
        let errors = Arc::clone(&self.engine);
        let successes = Arc::clone(&self.engine);
        self.client = client
            .with_error_reader(move |answer| errors.read_error(answer))
            .with_success_error_reader(move |answer| successes.read_success_error(answer));
        self
    }

    /// `None` if nothing has to be sent.
    fn plan(&self, query: &str, options: &SearchOptions) -> Result<Option<Plan<E>>> {
        let paging = self.engine.paging();
        let (first, skip) = paging.start(E::NAME, options)?;
        let query = WebQuery::new(&*self.engine, &self.url, &self.fields, query, options)?;
        let Some(query) = query else { return Ok(None) };
        let Some(request) = self.engine.request(&query)? else { return Ok(None) };
        query.check_filter_was_read()?;
        if options.top == 0 && !(E::HAS_TOTAL_COUNT && options.include_total_count) {
            return Ok(None);
        }
        let engine = Arc::clone(&self.engine);
        let client = self.client.clone();
        let sites = if E::CHECKS_SITES {
            FixedSites::of_whole_filter(E::NAME, options, E::SITE_FIELDS)
        } else {
            FixedSites::new(E::NAME, options, E::SITE_FIELDS)
        };
        let reading = Arc::new(Reading { engine, client, request, paging });
        Ok(Some(Plan { reading, sites, first, skip }))
    }
}

impl<E: fmt::Debug> fmt::Debug for WebSearch<E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("WebSearch")
            .field("engine", &self.engine)
            .field("client", &self.client)
            .finish_non_exhaustive()
    }
}

impl<E> Clone for WebSearch<E> {
    fn clone(&self) -> Self {
        Self {
            engine: Arc::clone(&self.engine),
            client: self.client.clone(),
            url: self.url.clone(),
            fields: Arc::clone(&self.fields),
        }
    }
}

impl<E: WebEngine> TextSearchConnector for WebSearch<E> {
    type Record = E::Record;

    fn name(&self) -> &str {
        E::NAME
    }

    async fn search_records(
        &self,
        query: &str,
        options: &CheckedOptions<'_, Self>,
    ) -> Result<SearchResults<E::Record>> {
        match self.plan(query, options)? {
            Some(plan) => plan.results(options.top).await,
            None => Ok(SearchResults::from_vec(Vec::new())),
        }
    }

    fn fields(&self) -> &[FilterableField] {
        &self.fields
    }

    fn supports_fixed_filter(&self) -> bool {
        true
    }
}

struct Plan<E: WebEngine> {
    reading: Arc<Reading<E>>,
    sites: FixedSites,
    first: PageAddress,
    skip: usize,
}

/// Shared by the pages of one search.
struct Reading<E: WebEngine> {
    engine: Arc<E>,
    client: HttpClient,
    request: WebRequest<E::Record>,
    paging: Paging,
}

struct Fetched<R> {
    page: Page<R, PageAddress>,
    total_count: Option<TotalCount>,
    metadata: Metadata,
}

impl<E: WebEngine> Plan<E> {
    async fn results(self, top: usize) -> Result<SearchResults<E::Record>> {
        let Self { reading, sites, first, skip } = self;
        let Fetched { page, mut total_count, metadata } = reading.fetch(first).await?;
        if sites.can_drop() {
            total_count = total_count.map(|count| TotalCount::Estimated(count.value()));
        }
        let fetching = Arc::clone(&reading);
        let fetch = move |address| {
            let reading = Arc::clone(&fetching);
            async move { Ok(reading.fetch(address).await?.page) }
        };
        let mut distinct = distinct(E::link);
        let mut empty_pages = 0;
        let change = move |page| {
            until_stuck(reading.kept(distinct(page), &sites), &mut empty_pages, E::NAME)
        };
        let results = SearchResults::paged_and_changed(page, fetch, change);
        let results = results.window(skip, top).with_metadata(metadata);
        Ok(results.with_total_count(total_count))
    }
}

impl<E: WebEngine> Reading<E> {
    async fn fetch(&self, address: PageAddress) -> Result<Fetched<E::Record>> {
        let request = self.engine.page_request(&self.request.http, &address);
        let answer = self.client.send_json::<E::Answer>(request).await?;
        let page = self.engine.results(answer, &address);
        let has_links = page.records.iter().any(|record| !E::link(record).is_empty());
        let linkless = !has_links && !page.records.is_empty();
        let next = self.paging.next(address, &page, linkless);
        let ResultPage { records, total_count, metadata, .. } = page;
        let total_count = total_count.filter(|_| self.request.has_total_count);
        Ok(Fetched { page: Page::new(records, next), total_count, metadata })
    }

    fn kept(
        &self,
        mut page: Page<E::Record, PageAddress>,
        sites: &FixedSites,
    ) -> Page<E::Record, PageAddress> {
        let had_records = !page.items.is_empty();
        sites.retain(&mut page.items, |record| self.engine.site_link(record));
        if had_records && page.items.is_empty() {
            // An engine that ignores the filter would otherwise be asked forever.
            page.next = None;
        }
        if let Some(keeps) = &self.request.keeps {
            page.items.retain(|record| keeps(record));
        }
        page
    }
}

/// Ends the search after [`MAX_EMPTY_PAGES`] empty pages in a row.
fn until_stuck<R>(
    mut page: Page<R, PageAddress>,
    empty_pages: &mut usize,
    connector: &str,
) -> Page<R, PageAddress> {
    *empty_pages = if page.items.is_empty() { *empty_pages + 1 } else { 0 };
    if *empty_pages == MAX_EMPTY_PAGES && page.next.take().is_some() {
        let pages = MAX_EMPTY_PAGES;
        tracing::warn!(connector, pages, "too many pages without a result: the search ends here");
    }
    page
}
