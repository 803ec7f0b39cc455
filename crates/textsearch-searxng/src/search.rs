//! Describes SearXNG to the core: pages by `GET` or `POST`, of a size that the instance sets.

use textsearch_core::{
    FilterableField, Result,
    http::{ErrorAnswer, HeaderName, HttpRequest, HttpResponse, ProviderError, Url},
    web::{
        Connection, KeyPlace, PageAddress, Paging, ResultPage, WebEngine, WebQuery, WebRequest,
        WebSearch,
    },
};

use crate::{
    NAME, SEARXNG_AUTHORIZATION, SEARXNG_ENDPOINT, SearxngConfig, SearxngResult,
    filter::{self, Translation},
    query::plain_text,
    response::{Answer, read_error},
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
pub type SearxngTextSearch = WebSearch<SearxngConfig>;

impl WebEngine for SearxngConfig {
    const NAME: &'static str = NAME;
    const ENDPOINT: &'static str = "http://127.0.0.1:8080";
    const ENDPOINT_VARIABLE: &'static str = SEARXNG_ENDPOINT;
    const KEY_VARIABLE: Option<&'static str> = Some(SEARXNG_AUTHORIZATION);
    const NEEDS_KEY: bool = false;
    const HAS_TOTAL_COUNT: bool = true;

    type Record = SearxngResult;
    type Answer = Answer;

    fn connection(&self) -> &Connection {
        &self.connection
    }

    fn key_place(&self) -> KeyPlace {
        KeyPlace::Header(HeaderName::from_static("authorization"))
    }

    fn paging(&self) -> Paging {
        Paging::by_page("pageno", 1).with_max_pages(self.max_pages)
    }

    fn fields(&self) -> Vec<FilterableField> {
        filter::fields(&self.known_categories)
    }

    fn check(&self) -> Result<()> {
        self.check_settings()
    }

    fn url(&self) -> Result<Url> {
        let mut url = self.connection.endpoint.url(NAME, Self::ENDPOINT)?;
        let path = url.path().trim_end_matches('/');
        let path =
            if path.ends_with("/search") { path.to_owned() } else { format!("{path}/search") };
        url.set_path(&path);
        url.set_query(None);
        url.set_fragment(None);
        Ok(url)
    }

    fn request(&self, query: &WebQuery<'_>) -> Result<Option<WebRequest<SearxngResult>>> {
        // Of two time ranges or levels, one lies within the other.
        let Some(conditions) = query.separate_conditions()? else { return Ok(None) };
        let Some(translation) = Translation::new(&conditions, self)? else { return Ok(None) };
        let text = match query.filter() {
            // SearXNG's own syntax would override the filter.
            Some(_) => plain_text(query.text()),
            None => query.text().to_owned(),
        };
        self.check_query(&text)?;
        let sites = translation.sites.included.iter().flatten();
        let text = sites.fold(text, |text, site| format!("{text} site:{site}"));
        let parameters = translation.parameters(self);
        let parameters = parameters.iter().map(|(name, value)| (*name, value.as_str()));
        let parameters = [("q", text.as_str()), ("format", "json")].into_iter().chain(parameters);
        let request = match self.post {
            true => query.post().with_form(parameters),
            false => query.get().with_query_pairs(parameters),
        };
        let mut request = WebRequest::from(request);
        if translation.leaves_out_results() {
            request = request.without_total_count();
        }
        if let Some(filter) = query.filter() {
            let keeps = translation.record_filter(filter.clone(), query.is_fixed());
            request = request.with_record_filter(keeps);
        }
        Ok(Some(request))
    }

    fn page_request(&self, request: &HttpRequest, page: &PageAddress) -> HttpRequest {
        let number = (page.number + 1).to_string();
        match self.post {
            true => request.clone().with_form([("pageno", number)]),
            false => request.clone().with_query("pageno", &number),
        }
    }

    fn results(&self, answer: HttpResponse<Answer>, _: &PageAddress) -> ResultPage<SearxngResult> {
        answer.body.into_page(self.markup_kept)
    }

    fn link(result: &SearxngResult) -> &str {
        result.url.as_deref().unwrap_or_default()
    }

    fn read_error(&self, answer: &ErrorAnswer<'_>) -> Option<ProviderError> {
        read_error(answer)
    }
}
