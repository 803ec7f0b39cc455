//! Runs a search and reads its pages.

use std::sync::Arc;

use textsearch_core::{
    CheckedOptions, FilterableField, Result, SearchResults, TextSearchConnector, http::HttpClient,
    results::{Metadata, Page},
};

use crate::{
    NAME,
    config::AcmeConfig,
    filter,
    request::Parameters,
    response::{AcmePage, Answer, read_error},
};

/// Searches the web with Acme.
///
/// ```no_run
/// use textsearch_acme::{AcmeConfig, AcmeTextSearch};
/// use textsearch_core::{SearchOptions, TextSearch};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_core::Result<()> {
/// let search = AcmeTextSearch::new(AcmeConfig::from_env()?)?;
/// let mut results = search.text_search_results("rust", &SearchOptions::top(25)).await?;
/// while let Some(result) = results.next().await {
///     println!("{}", result?.value);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct AcmeTextSearch {
    service: Arc<Service>,
    fields: Vec<FilterableField>,
}

#[derive(Debug, Clone)]
struct Service {
    client: HttpClient,
    config: AcmeConfig,
}

impl AcmeTextSearch {
    /// Creates a search from `config`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions) if a
    /// setting is invalid. The error names the setting and the allowed values.
    pub fn new(config: AcmeConfig) -> Result<Self> {
        config.check()?;
        let client = HttpClient::new(NAME, config.http.clone())?.with_error_reader(read_error);
        let service = Arc::new(Service { client, config });
        Ok(Self { service, fields: filter::fields() })
    }

    /// Replaces the HTTP client. The client's own settings apply instead of the configured ones.
    #[must_use]
    pub fn with_http_client(mut self, client: HttpClient) -> Self {
        Arc::make_mut(&mut self.service).client = client.with_error_reader(read_error);
        self
    }
}

impl TextSearchConnector for AcmeTextSearch {
    type Record = AcmePage;

    fn name(&self) -> &str {
        NAME
    }

    async fn search_records(
        &self,
        query: &str,
        options: &CheckedOptions<'_, Self>,
    ) -> Result<SearchResults<AcmePage>> {
        let parameters = Parameters::new(query, options, &self.fields)?;
        let Some(parameters) = parameters.filter(|_| options.top > 0) else {
            return Ok(SearchResults::from_vec(Vec::new()));
        };
        let service = Arc::clone(&self.service);
        // Starts at the first page, so results repeated across pages count once, even while
        // skipping.
        let (first, about) = service.fetch(&parameters, 0).await?;
        let fetch = move |offset| {
            let (service, parameters) = (Arc::clone(&service), parameters.clone());
            async move { service.fetch(&parameters, offset).await.map(|(page, _)| page) }
        };
        let results = SearchResults::paged_distinct(first, fetch, |page: &AcmePage| {
            page.url.as_deref().unwrap_or_default()
        });
        Ok(results.window(options.skip, options.top).with_metadata(about))
    }

    fn fields(&self) -> &[FilterableField] {
        &self.fields
    }
}

type Fetched = (Page<AcmePage, usize>, Metadata);

impl Service {
    /// Fetches the page that starts at `offset`, and the response's metadata. A page that isn't
    /// full is the last.
    async fn fetch(&self, parameters: &Parameters, offset: usize) -> Result<Fetched> {
        let request = parameters.page(offset, self.config.url()?, &self.config.api_key);
        let Answer { results, about } = self.client.send_json(request).await?.body;
        let is_full = results.sent() >= parameters.count;
        let results = results.into_readable(NAME);
        let next = is_full.then(|| offset.saturating_add(parameters.count));
        Ok((Page::new(results, next), about))
    }
}
