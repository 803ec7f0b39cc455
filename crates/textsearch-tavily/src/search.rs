//! Runs a search with a single request.

use std::sync::Arc;

use textsearch_core::{
    CheckedOptions, FilterableField, Result, SearchOptions, SearchResults, TextSearchConnector,
    http::HttpClient,
    web::{FixedSites, Sites},
};

use crate::{
    CONNECTOR, TavilyConfig, TavilyWebPage, filter,
    request::{max_results, request},
    response::{self, Answer},
};

/// Searches the web with [Tavily
/// Search](https://docs.tavily.com/documentation/api-reference/endpoint/search).
///
/// ```no_run
/// use textsearch_tavily::{
///     Filter, SearchOptions, TavilyAnswer, TavilyConfig, TavilyTextSearch, TextSearchConnector,
/// };
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_tavily::Result<()> {
/// let search = TavilyTextSearch::new(TavilyConfig::from_env()?.with_answer(TavilyAnswer::Basic))?;
/// let options = SearchOptions::top(10).with_filter(Filter::eq("topic", "news"));
/// let mut pages = search.records("rust release", &options).await?;
/// println!("{:?}", pages.metadata().get("answer"));
/// while let Some(page) = pages.next().await {
///     let page = page?;
///     println!("{:?} {}", page.score, page.title);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct TavilyTextSearch {
    config: Arc<TavilyConfig>,
    sites: Sites,
    client: HttpClient,
    fields: Vec<FilterableField>,
}

impl TavilyTextSearch {
    /// Creates a search from `config`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidOptions`](crate::ErrorKind::InvalidOptions) if a setting is
    /// invalid. The error names the setting and the allowed values.
    pub fn new(config: TavilyConfig) -> Result<Self> {
        config.check()?;
        let sites = config.sites()?;
        let client = HttpClient::new(CONNECTOR, config.http.clone())?;
        let client = client
            .with_error_reader(response::read_error)
            .with_success_error_reader(response::read_success_error);
        let search = Self { config: Arc::new(config), sites, client, fields: filter::fields() };
        // Rejects too many domains now, not in the first search.
        filter::translate(&SearchOptions::default(), &search.fields, search.sites.clone())?;
        Ok(search)
    }

    /// Replaces the HTTP client. The client's own settings apply instead of the configured ones.
    #[must_use]
    pub fn with_http_client(mut self, client: HttpClient) -> Self {
        self.client = client
            .with_error_reader(response::read_error)
            .with_success_error_reader(response::read_success_error);
        self
    }
}

impl TextSearchConnector for TavilyTextSearch {
    type Record = TavilyWebPage;

    fn name(&self) -> &str {
        CONNECTOR
    }

    async fn search_records(
        &self,
        query: &str,
        options: &CheckedOptions<'_, Self>,
    ) -> Result<SearchResults<TavilyWebPage>> {
        let max_results = max_results(options)?;
        let Some(parameters) = filter::translate(options, &self.fields, self.sites.clone())? else {
            return Ok(SearchResults::from_vec(Vec::new()));
        };
        let is_fixed = options.fixed_filter().is_some();
        let request = request(&self.config, query, parameters, is_fixed, max_results)?;
        if options.top == 0 {
            return Ok(SearchResults::from_vec(Vec::new()));
        }
        let answer = self.client.send_json::<Answer>(request).await?.body;
        Ok(results(answer, options))
    }

    fn fields(&self) -> &[FilterableField] {
        &self.fields
    }

    fn supports_fixed_filter(&self) -> bool {
        true
    }
}

fn results(answer: Answer, options: &SearchOptions) -> SearchResults<TavilyWebPage> {
    let (mut pages, metadata) = answer.into_parts();
    let sites = FixedSites::new(CONNECTOR, options, filter::SITE_FIELDS);
    sites.retain(&mut pages, |page| &page.url);
    SearchResults::from_vec(pages)
        .distinct_by_text(|page| &page.url)
        .window(options.skip, options.top)
        .with_metadata(metadata)
}
