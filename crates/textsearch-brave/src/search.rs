//! Runs a search and reads its pages.

use std::sync::Arc;

use textsearch_core::{
    CheckedOptions, FilterableField, Result, SearchResults, TextSearchConnector,
    http::HttpClient,
    results::{Metadata, Page},
    web::FixedSites,
};

use crate::{
    BraveConfig, BraveWebPage, CONNECTOR, filter,
    request::{PageRequest, Pages, page_after},
    response::{self, Answer},
};

/// Searches the web with [Brave Web
/// Search](https://api-dashboard.search.brave.com/documentation/services/web-search).
///
/// ```no_run
/// use textsearch_brave::{
///     BraveConfig, BraveTextSearch, Filter, SearchOptions, TextSearchConnector,
/// };
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_brave::Result<()> {
/// let search = BraveTextSearch::new(BraveConfig::from_env()?)?;
/// let options = SearchOptions::top(25).with_filter(Filter::eq("site", "docs.rs"));
/// let mut pages = search.records("async traits", &options).await?;
/// while let Some(page) = pages.next().await {
///     let page = page?;
///     println!("{} {}", page.title, page.url);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct BraveTextSearch {
    config: Arc<BraveConfig>,
    client: HttpClient,
    fields: Vec<FilterableField>,
}

impl BraveTextSearch {
    /// Creates a search from `config`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidOptions`](crate::ErrorKind::InvalidOptions) if a setting is
    /// invalid. The error names the setting and the allowed values.
    pub fn new(config: BraveConfig) -> Result<Self> {
        config.check()?;
        let client = HttpClient::new(CONNECTOR, config.http.clone())?;
        let client = client
            .with_error_reader(response::read_error)
            .with_success_error_reader(response::read_error);
        Ok(Self { config: Arc::new(config), client, fields: filter::fields() })
    }

    /// Replaces the HTTP client. The client's own settings apply instead of the configured ones.
    #[must_use]
    pub fn with_http_client(mut self, client: HttpClient) -> Self {
        self.client = client
            .with_error_reader(response::read_error)
            .with_success_error_reader(response::read_error);
        self
    }
}

impl TextSearchConnector for BraveTextSearch {
    type Record = BraveWebPage;

    fn name(&self) -> &str {
        CONNECTOR
    }

    async fn search_records(
        &self,
        query: &str,
        options: &CheckedOptions<'_, Self>,
    ) -> Result<SearchResults<BraveWebPage>> {
        let pages = Pages::new(&self.config, options)?;
        let Some(translation) = filter::translate(options, &self.fields)? else {
            return Ok(SearchResults::from_vec(Vec::new()));
        };
        let is_fixed = options.fixed_filter().is_some();
        let request = PageRequest::new(&self.config, query, translation, is_fixed, pages.size)?;
        if options.top == 0 {
            return Ok(SearchResults::from_vec(Vec::new()));
        }
        let sites = FixedSites::new(CONNECTOR, options, filter::SITE_FIELDS);
        let (config, client) = (Arc::clone(&self.config), self.client.clone());
        let reading = Reading { config, client, request, sites, pages };
        Ok(Arc::new(reading).results().await?.window(pages.skip, options.top))
    }

    fn fields(&self) -> &[FilterableField] {
        &self.fields
    }

    fn supports_fixed_filter(&self) -> bool {
        true
    }
}

struct Reading {
    config: Arc<BraveConfig>,
    client: HttpClient,
    request: PageRequest,
    sites: FixedSites,
    pages: Pages,
}

impl Reading {
    async fn results(self: Arc<Self>) -> Result<SearchResults<BraveWebPage>> {
        let (first, metadata) = self.page(self.pages.first).await?;
        let fetch = move |number| {
            let reading = Arc::clone(&self);
            async move { reading.page(number).await.map(|(page, _)| page) }
        };
        let results = SearchResults::paged_distinct(first, fetch, |page: &BraveWebPage| &page.url);
        Ok(results.with_metadata(metadata))
    }

    async fn page(&self, number: usize) -> Result<(Page<BraveWebPage, usize>, Metadata)> {
        let request = self.request.page(&self.config, number)?;
        let response = self.client.send_json::<Answer>(request).await?;
        let more = response.body.has_more(self.pages.size);
        let (mut items, metadata) =
            response.body.into_parts(&response.headers, self.config.markup_kept);
        self.sites.retain(&mut items, |page| &page.url);
        let next = page_after(number).filter(|_| more);
        Ok((Page::new(items, next), metadata))
    }
}
