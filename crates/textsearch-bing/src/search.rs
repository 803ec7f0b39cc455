//! Describes Bing to the core: `GET` requests for pages of the web or news.

use std::collections::BTreeMap;

use textsearch_core::{
    Error, FilterableField, Result,
    http::{ErrorAnswer, HeaderName, HttpResponse, ProviderError, Url},
    web::{
        Connection, KeyPlace, Marks, PageAddress, Paging, QueryOperators, ResultPage, WebEngine,
        WebQuery, WebRequest, WebSearch,
    },
};

use crate::{
    BING_API_KEY, BING_ENDPOINT, BingConfig, BingKeyHeader, BingNewsConfig, CONNECTOR,
    answer::{Answer, BingRecord, Markup},
    errors::{read_error, read_success_error},
    filter, parameters, query,
};

/// The reference has no maximum number of results, but `offset` is an unsigned short.
const MAX_OFFSET: usize = u16::MAX as usize;

/// Searches the web with Bing Web Search v7.
///
/// ```no_run
/// use textsearch_bing::{BingConfig, BingTextSearch, SearchOptions, TextSearchConnector};
///
/// # async fn example() -> textsearch_bing::Result<()> {
/// let search = BingTextSearch::new(BingConfig::from_env()?)?;
/// let mut pages = search.records("What is the Semantic Kernel?", &SearchOptions::top(3)).await?;
/// while let Some(page) = pages.next().await {
///     let page = page?;
///     println!("{} ({}): {}", page.name, page.display_url, page.snippet);
/// }
/// # Ok(())
/// # }
/// ```
pub type BingTextSearch = WebSearch<BingConfig>;

/// Searches news with Bing News Search v7.
///
/// ```no_run
/// use textsearch_bing::{BingConfig, BingNewsSearch, SearchOptions, TextSearch};
///
/// # async fn example() -> textsearch_bing::Result<()> {
/// let search = BingNewsSearch::new(BingConfig::from_env()?.for_news())?;
/// let articles = search.text_search_results("rust", &SearchOptions::top(3)).await?;
/// for article in articles.into_vec().await? {
///     println!("{:?} {:?}", article.name, article.published);
/// }
/// # Ok(())
/// # }
/// ```
pub type BingNewsSearch = WebSearch<BingNewsConfig>;

impl<R: BingRecord> WebEngine for BingConfig<R> {
    const NAME: &'static str = CONNECTOR;
    const ENDPOINT: &'static str = "https://api.bing.microsoft.com/v7.0";
    const ENDPOINT_VARIABLE: &'static str = BING_ENDPOINT;
    const KEY_VARIABLE: Option<&'static str> = Some(BING_API_KEY);
    const OPERATORS: QueryOperators = QueryOperators::Quotable(query::OPERATORS);
    const SITE_FIELDS: &'static [&'static str] = &["site", "domain"];
    const HAS_TOTAL_COUNT: bool = true;

    type Record = R;
    type Answer = Answer<R>;

    fn connection(&self) -> &Connection {
        &self.connection
    }

    fn key_place(&self) -> KeyPlace {
        match self.key_header {
            BingKeyHeader::Bearer => KeyPlace::Bearer,
            BingKeyHeader::Subscription => {
                KeyPlace::Header(HeaderName::from_static("ocp-apim-subscription-key"))
            }
        }
    }

    fn paging(&self) -> Paging {
        let pages = Paging::by_offset("offset", 0).with_size("count", R::MAX_PAGE);
        pages.with_whole_steps(true).with_skip_unread(self.skip_unread)
    }

    fn fields(&self) -> Vec<FilterableField> {
        filter::fields(R::IS_NEWS)
    }

    fn check(&self) -> Result<()> {
        for (name, value) in self.settings() {
            parameters::check(name, value, R::IS_NEWS)?;
        }
        let has = |name| self.parameters.contains_key(name);
        let refused =
            |option, found, allowed| Err(Error::invalid_options(CONNECTOR, option, found, allowed));
        match (has("cc"), has("mkt"), has("setLang")) {
            (true, true, _) => {
                refused("cc", "set together with `mkt`", "either a country or a market")
            }
            (true, _, true) => {
                let allowed = "a language either with the country or on its own";
                refused("setLang", "set together with `cc`", allowed)
            }
            _ => Ok(()),
        }
    }

    /// A filter alone is enough: `request` knows it.
    fn check_query(&self, _: &str) -> Result<()> {
        Ok(())
    }

    /// The endpoint may be the full URL of either search.
    fn url(&self) -> Result<Url> {
        let mut url = self.connection.endpoint.url(CONNECTOR, Self::ENDPOINT)?;
        let base = url.path().trim_end_matches('/');
        let base = base.strip_suffix("/search").unwrap_or(base);
        let base = base.strip_suffix("/news").unwrap_or(base);
        let path = format!("{}{}", base.trim_end_matches('/'), R::PATH);
        url.set_path(&path);
        Ok(url)
    }

    fn request(&self, query: &WebQuery<'_>) -> Result<Option<WebRequest<R>>> {
        let filter = match query.filter() {
            Some(filter) => filter::translate(filter, R::IS_NEWS)?,
            None => Some(filter::Translation::default()),
        };
        let Some(filter) = filter else { return Ok(None) };
        let words = query::combined(query.text(), &filter.words, query.is_fixed());
        if words.is_empty() {
            let allowed = "at least one word";
            return Err(Error::invalid_options(CONNECTOR, "query", "empty", allowed));
        }
        let skip = query.options().skip;
        if self.skip_unread && skip > MAX_OFFSET {
            let allowed = format!("at most {MAX_OFFSET} with `skip_unread`");
            return Err(Error::invalid_options(CONNECTOR, "skip", skip, allowed));
        }
        let mut parameters: BTreeMap<&str, &str> = self.settings().collect();
        if filter.parameters.contains_key("mkt") {
            parameters.remove("cc");
        }
        let filtered = filter.parameters.iter();
        parameters.extend(filtered.map(|(name, value)| (name.as_str(), value.as_str())));
        let mut request = query.get().with_query("q", &words).with_query_pairs(&parameters);
        if let (Some(languages), true) = (&self.accept_language, parameters.contains_key("cc")) {
            request = request.with_header("Accept-Language", languages);
        }
        Ok(Some(request.into()))
    }

    fn results(&self, answer: HttpResponse<Answer<R>>, page: &PageAddress) -> ResultPage<R> {
        // `textFormat` decides whether marks are HTML.
        let marks = match self.parameters.get("textFormat").map(String::as_str) {
            Some("HTML") => Marks::html(&["b", "strong", "br"]),
            _ => Marks::characters(),
        };
        let markup = Markup { marks, are_kept: self.markup_kept };
        let results = answer.body.into_page(&answer.headers, markup);
        let next = page.offset.saturating_add(page.size);
        let is_within = results.total_count.is_none_or(|total| (next as u64) < total.value());
        let has_links = results.records.iter().any(|record| !record.url().is_empty());
        results.with_more(next <= MAX_OFFSET && is_within && has_links)
    }

    fn link(record: &R) -> &str {
        record.url()
    }

    fn read_error(&self, answer: &ErrorAnswer<'_>) -> Option<ProviderError> {
        let is_public = self.connection.endpoint.as_str().starts_with(Self::ENDPOINT);
        read_error(answer, is_public)
    }

    fn read_success_error(&self, answer: &ErrorAnswer<'_>) -> Option<ProviderError> {
        read_success_error(answer)
    }
}

impl<R: BingRecord> BingConfig<R> {
    fn settings(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.parameters.iter().map(|(name, value)| (*name, value.as_str()));
        all.filter(|(name, _)| parameters::belongs(name, R::IS_NEWS))
    }
}
