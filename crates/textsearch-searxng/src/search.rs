//! Runs a search and reads its pages.

use std::{collections::HashSet, sync::Arc};

use textsearch_core::{
    CheckedOptions, FilterableField, Result, SearchOptions, SearchResults, TextSearchConnector,
    http::HttpClient, results::Page, web::warn_left_out,
};

use crate::{
    NAME, SearxngResult,
    config::SearxngConfig,
    filter::{self, Translation},
    request::Parameters,
    response::{Answer, SearchInfo, read_error},
};

/// Searches the web through a [SearXNG](https://docs.searxng.org/dev/search_api.html) instance.
///
/// ```no_run
/// use textsearch_core::{Filter, SearchOptions, TextSearch};
/// use textsearch_searxng::{SearxngConfig, SearxngTextSearch};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_core::Result<()> {
/// let search = SearxngTextSearch::new(SearxngConfig::new("http://127.0.0.1:8080"))?;
/// let options = SearchOptions::top(25).with_filter(Filter::eq("time_range", "year"));
/// let mut results = search.text_search_results("rust", &options).await?;
/// while let Some(result) = results.next().await {
///     println!("{}", result?.value);
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Behavior
/// - The instance sets the page size. `skip` is exact because all pages before it are read.
/// - Results end at a page that is empty or repeats earlier results, or after
///   [`max_pages`](SearxngConfig::max_pages) pages.
/// - With a filter, the query is plain text: SearXNG's own syntax (`!engine`, `:language`,
///   `<timeout`) is removed. With a fixed filter, operators of the engines behind SearXNG are
///   removed too.
#[derive(Debug, Clone)]
pub struct SearxngTextSearch {
    instance: Arc<Instance>,
    fields: Vec<FilterableField>,
}

#[derive(Debug, Clone)]
struct Instance {
    client: HttpClient,
    config: SearxngConfig,
}

impl SearxngTextSearch {
    /// Creates a search from `config`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions) if a
    /// setting is invalid. The error names the setting and the allowed values.
    pub fn new(config: SearxngConfig) -> Result<Self> {
        config.check()?;
        let client = HttpClient::new(NAME, config.http.clone())?.with_error_reader(read_error);
        let fields = filter::fields(&config.known_categories);
        Ok(Self { instance: Arc::new(Instance { client, config }), fields })
    }

    /// Replaces the HTTP client. The client's own settings apply instead of the configured ones.
    #[must_use]
    pub fn with_http_client(mut self, client: HttpClient) -> Self {
        Arc::make_mut(&mut self.instance).client = client.with_error_reader(read_error);
        self
    }
}

impl TextSearchConnector for SearxngTextSearch {
    type Record = SearxngResult;

    fn name(&self) -> &str {
        NAME
    }

    async fn search_records(
        &self,
        query: &str,
        options: &CheckedOptions<'_, Self>,
    ) -> Result<SearchResults<SearxngResult>> {
        let config = &self.instance.config;
        let filter = options.filter();
        let filter = filter.map(|filter| Translation::new(&filter, config, &self.fields));
        let filter = filter.transpose()?;
        let has_fixed_filter = options.fixed_filter().is_some();
        let parameters = Parameters::new(query, filter.as_ref(), has_fixed_filter, config)?;
        let reading = Reading {
            instance: Arc::clone(&self.instance),
            parameters,
            filter: filter.unwrap_or_default(),
            has_fixed_filter,
        };
        let asks_nothing = options.top == 0 && !options.include_total_count;
        if asks_nothing || reading.filter.is_impossible {
            return Ok(SearchResults::from_vec(Vec::new()));
        }
        reading.results(options).await
    }

    fn fields(&self) -> &[FilterableField] {
        &self.fields
    }

    fn supports_fixed_filter(&self) -> bool {
        true
    }
}
struct Reading {
    instance: Arc<Instance>,
    parameters: Parameters,
    filter: Translation,
    has_fixed_filter: bool,
}

struct Cursor {
    /// Counts from 1.
    number: usize,
    /// Earlier URLs: an engine without paging repeats its first page forever.
    seen: HashSet<String>,
}

impl Cursor {
    fn first() -> Self {
        Self { number: 1, seen: HashSet::new() }
    }

    fn next(self) -> Self {
        Self { number: self.number.saturating_add(1), ..self }
    }
}

type Fetched = (Page<SearxngResult, Cursor>, SearchInfo);

impl Reading {
    async fn results(self, options: &SearchOptions) -> Result<SearchResults<SearxngResult>> {
        let reading = Arc::new(self);
        let (first, about) = reading.fetch(Cursor::first()).await?;
        let count = about.total_count().filter(|_| !reading.filter.narrows_results());
        let results = SearchResults::paged(first, move |cursor| {
            let reading = Arc::clone(&reading);
            async move { reading.fetch(cursor).await.map(|(page, _)| page) }
        });
        let results = results.window(options.skip, options.top).with_metadata(about.metadata());
        Ok(results.with_total_count(count))
    }

    async fn fetch(&self, mut cursor: Cursor) -> Result<Fetched> {
        let Instance { client, config } = &*self.instance;
        let request = self.parameters.page(cursor.number, config)?;
        let answer = client.send_json::<Answer>(request).await?.body;
        let before = cursor.seen.len();
        let (mut results, about) = answer.into_parts(config.markup_kept);
        results.retain(|result| is_new(result, &mut cursor.seen));
        let is_last = cursor.seen.len() == before || cursor.number >= config.max_pages;
        results.retain(|result| self.allows(result));
        let next = (!is_last).then(|| cursor.next());
        Ok((Page::new(results, next), about))
    }

    fn allows(&self, result: &SearxngResult) -> bool {
        let allows = self.filter.allows(result);
        if !allows && self.has_fixed_filter {
            warn_left_out(NAME);
        } else if !allows {
            tracing::debug!("dropped a result that contradicts the filter");
        }
        allows
    }
}

/// A result without a URL always counts as new.
fn is_new(result: &SearxngResult, seen: &mut HashSet<String>) -> bool {
    let is_new = result.url.as_ref().is_none_or(|url| seen.insert(url.clone()));
    if !is_new {
        tracing::debug!("dropped a repeated result");
    }
    is_new
}
