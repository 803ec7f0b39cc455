//! Describes Brave to the core: a `GET` request for each page of at most 20 results.

use std::{borrow::Cow, collections::BTreeMap};

use textsearch_core::{
    FilterableField, Result,
    http::{ErrorAnswer, HeaderName, HttpRequest, HttpResponse, ProviderError},
    web::{
        Connection, KeyPlace, PageAddress, Paging, ResultPage, WebEngine, WebQuery, WebRequest,
        WebSearch, plain_query,
    },
};

use crate::{
    BRAVE_API_KEY, BRAVE_ENDPOINT, BraveConfig, BraveWebPage, CONNECTOR,
    filter::{self, Translation},
    response::{Answer, read_error},
    values,
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
pub type BraveTextSearch = WebSearch<BraveConfig>;

const PAGE: usize = 20;

impl WebEngine for BraveConfig {
    const NAME: &'static str = CONNECTOR;
    const ENDPOINT: &'static str = "https://api.search.brave.com/res/v1/web/search";
    const ENDPOINT_VARIABLE: &'static str = BRAVE_ENDPOINT;
    const KEY_VARIABLE: Option<&'static str> = Some(BRAVE_API_KEY);
    const SITE_FIELDS: &'static [&'static str] = &["site"];

    type Record = BraveWebPage;
    type Answer = Answer;

    fn connection(&self) -> &Connection {
        &self.connection
    }

    fn key_place(&self) -> KeyPlace {
        KeyPlace::Header(HeaderName::from_static("x-subscription-token"))
    }

    fn paging(&self) -> Paging {
        // `offset` counts pages and ends at 9.
        let pages = Paging::by_page("offset", 0).with_size("count", PAGE).with_max_pages(10);
        pages.with_max_results(10 * PAGE).with_skip_unread(self.skip_unread)
    }

    fn fields(&self) -> Vec<FilterableField> {
        filter::fields()
    }

    fn check(&self) -> Result<()> {
        self.check_settings()
    }

    fn check_query(&self, _: &str) -> Result<()> {
        Ok(()) // `request` checks it with the words of the filter, which are enough.
    }

    fn request(&self, query: &WebQuery<'_>) -> Result<Option<WebRequest<BraveWebPage>>> {
        let Some(conditions) = query.conditions()? else { return Ok(None) };
        let translation = Translation::new(&conditions)?;
        let Some(Translation { words, parameters: filtered, .. }) = translation else {
            return Ok(None);
        };
        let text = match self.operators {
            true => Cow::Borrowed(query.text()),
            false => plain_query(query.text()).into(),
        };
        let text = words.with_query(&text);
        values::check_query(&text)?;

        let mut parameters: BTreeMap<&str, String> = self.sent_parameters()?;
        parameters.extend(filtered.iter().map(|(name, value)| (name.as_str(), value.clone())));
        if words.is_empty() && (query.is_fixed() || !self.operators) {
            parameters.insert("operators", "false".to_owned());
        }
        let (count, kinds) = (query.wanted().clamp(1, PAGE).to_string(), self.sent_kinds());
        let decorations = if self.markup_kept { "true" } else { "false" };
        let first = [("q", text.as_str()), ("count", &count), ("text_decorations", decorations)];
        let pairs = first
            .into_iter()
            .chain(parameters.iter().map(|(name, value)| (*name, value.as_str())))
            .chain(kinds.iter().map(|kinds| ("result_filter", kinds.as_str())))
            .chain(self.goggles.iter().map(|goggle| ("goggles", goggle.as_str())));
        Ok(Some(self.with_headers(query.get().with_query_pairs(pairs)).into()))
    }

    fn page_request(&self, request: &HttpRequest, page: &PageAddress) -> HttpRequest {
        // `request` has the count, which all pages share.
        request.clone().with_query("offset", &page.number.to_string())
    }

    fn results(&self, answer: HttpResponse<Answer>, _: &PageAddress) -> ResultPage<BraveWebPage> {
        answer.body.into_page(&answer.headers, self.markup_kept)
    }

    fn link(page: &BraveWebPage) -> &str {
        &page.url
    }

    fn read_error(&self, answer: &ErrorAnswer<'_>) -> Option<ProviderError> {
        read_error(answer)
    }

    fn read_success_error(&self, answer: &ErrorAnswer<'_>) -> Option<ProviderError> {
        read_error(answer)
    }
}
