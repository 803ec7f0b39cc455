//! Describes Bing to the core: `GET` requests for pages of the web or news.

use std::collections::BTreeMap;

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use textsearch_core::{
    Error, FilterableField, Result,
    http::{ErrorAnswer, ErrorDetails, HttpResponse, Url},
    results::TotalCount,
    web::{
        Connection, ErrorFormat, KeyPlace, Marks, PageAddress, PageScheme, Paging, QueryOperators,
        ResultList, ResultPage, WebEngine, WebQuery, WebRequest, WebSearch, is_empty, set, valid,
        value_or_none, words_before,
    },
};

use crate::{
    BING_API_KEY, BING_ENDPOINT, BingConfig, BingKeyHeader, BingNewsConfig, CONNECTOR, filter,
    parameters, record::BingRecord,
};

/// The reference has no maximum number of results, but `offset` is an unsigned short.
const MAX_OFFSET: usize = u16::MAX as usize;

const GONE: &str = "Microsoft retired the public Bing Search APIs on 2025-08-11; set another endpoint, or use Web IQ";

/// Searches the web with Bing Web Search v7. Legacy: Microsoft retired the public API in August 2025, so it
/// needs a compatible service. [`WebIqTextSearch`](crate::WebIqTextSearch) succeeds it.
pub type BingTextSearch = WebSearch<BingConfig>;

/// Searches news with Bing News Search v7. Legacy, as [`BingTextSearch`].
///
/// ```no_run
/// use textsearch_bing::{BingConfig, BingNewsSearch};
///
/// # fn main() -> textsearch_bing::Result<()> {
/// let search = BingNewsSearch::new(BingConfig::from_env()?.for_news())?;
/// # Ok(())
/// # }
/// ```
pub type BingNewsSearch = WebSearch<BingNewsConfig>;

impl<R: BingRecord> WebEngine for BingConfig<R> {
    const NAME: &'static str = CONNECTOR;
    const ENDPOINT: &'static str = "https://api.bing.microsoft.com/v7.0";
    const ENDPOINT_VARIABLE: &'static str = BING_ENDPOINT;
    const KEY_VARIABLE: Option<&'static str> = Some(BING_API_KEY);
    const OPERATORS: QueryOperators = QueryOperators::Quotable(&["NEAR"]);
    const SITE_FIELDS: &'static [&'static str] = &["site", "domain"];
    // Some errors come from the gateway in front of the service.
    const ERRORS: ErrorFormat = ErrorFormat {
        roots: &["/errors/0", "/error"],
        codes: &["/code"],
        subcode: Some("/subCode"),
        messages: &["/message"],
        details: &[("/moreDetails", "; ", ""), ("/parameter", "; parameter `", "`")],
        key_errors: &["InvalidAuthorization", "InsufficientAuthorization"],
        rate_limits: &["RateLimitExceeded"],
        outages: &["ServerError"],
        quota_phrases: &["call volume quota"],
        ..ErrorFormat::NONE
    };
    const HAS_TOTAL_COUNT: bool = true;

    type Record = R;
    type Answer = Answer<R>;

    fn connection(&self) -> &Connection {
        &self.connection
    }

    fn key_place(&self) -> KeyPlace {
        match self.key_header {
            BingKeyHeader::Bearer => KeyPlace::Bearer,
            BingKeyHeader::Subscription => KeyPlace::header("ocp-apim-subscription-key"),
        }
    }

    fn paging(&self) -> Paging {
        Paging {
            scheme: PageScheme::Offset("offset", 0),
            size: Some(("count", R::MAX_PAGE)),
            whole_steps: true,
            skip_unread: self.skip_unread,
            ..Paging::SINGLE_PAGE
        }
    }

    fn fields(&self) -> Vec<FilterableField> {
        filter::fields(R::IS_NEWS)
    }

    fn check(&self) -> Result<()> {
        for (name, value) in self.settings() {
            parameters::check(name, value, R::IS_NEWS)?;
        }
        let has = |name| self.parameters.contains_key(name);
        for (name, allowed) in [
            ("mkt", "either a country or a market"),
            ("setLang", "a language either with the country or on its own"),
        ] {
            if has("cc") && has(name) {
                let value = format!("set together with `{name}`");
                return Err(Error::invalid_options(CONNECTOR, "cc", value, allowed));
            }
        }
        Ok(())
    }

    /// A filter alone is enough: `request` knows it.
    fn check_query(&self, _: &str) -> Result<()> {
        Ok(())
    }

    /// The endpoint may be the full URL of either search.
    fn url(&self) -> Result<Url> {
        let mut url = self.connection.endpoint.url(CONNECTOR, Self::ENDPOINT)?;
        let path = url.path().trim_end_matches('/');
        let base = path.strip_suffix("/search").unwrap_or(path);
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
        let words = if query.is_fixed() {
            // The query has no operators.
            format!("{} {}", filter.words, query.text())
        } else {
            words_before(&filter.words, query.text())
        };
        let words = words.trim();
        valid(CONNECTOR, "query", words, !words.is_empty(), "at least one word")?;
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
        let mut request = query.get().with_query("q", words).with_query_pairs(&parameters);
        if let (Some(languages), true) = (&self.accept_language, parameters.contains_key("cc")) {
            request = request.with_header("Accept-Language", languages);
        }
        Ok(Some(request.into()))
    }

    fn results(&self, answer: HttpResponse<Answer<R>>, page: &PageAddress) -> ResultPage<R> {
        // `textFormat` decides whether marks are HTML.
        let marks = match self.parameters.get("textFormat").map(String::as_str) {
            Some("HTML") => Marks::Html(&["b", "strong", "br"]),
            _ => Marks::Characters,
        };
        let Answer { web_pages, value, total_estimated_matches, mut facts } = answer.body;
        let (results, total) = match web_pages {
            Some(pages) => {
                facts.extend(pages.facts);
                (pages.value, pages.total_estimated_matches)
            }
            None if R::IS_NEWS => (value, total_estimated_matches),
            // The service leaves the whole object out if it finds nothing.
            None => (ResultList::default(), Some(0)),
        };
        let mut result_page = ResultPage::of(CONNECTOR, results);
        result_page.records.iter_mut().for_each(|record| record.clean(marks, self.markup_kept));
        if let Some(Value::Object(context)) = facts.remove("queryContext") {
            facts.extend(context);
        }
        let facts = facts.into_iter().filter(|(name, fact)| name != "_type" && !is_empty(fact));
        result_page.metadata = facts.map(|(name, fact)| (fact_name(&name), fact)).collect();
        for (header, name) in HEADERS {
            let value = answer.headers.get(*header).and_then(|value| value.to_str().ok());
            set(&mut result_page.metadata, name, value);
        }
        let next = page.offset.saturating_add(page.size);
        let is_within = total.is_none_or(|total| (next as u64) < total) && next <= MAX_OFFSET;
        result_page.has_more = Some(is_within && result_page.sent > 0);
        result_page.total_count = total.map(TotalCount::Estimated);
        result_page
    }

    fn link(record: &R) -> &str {
        record.url()
    }

    fn read_error(&self, answer: &ErrorAnswer<'_>) -> Option<ErrorDetails> {
        let is_public = self.connection.endpoint.as_str().starts_with(Self::ENDPOINT);
        let gone = &[(401, "", GONE), (403, "", GONE), (404, "", GONE), (410, "", GONE)];
        let advice = if is_public { gone } else { Self::ERRORS.advice };
        Some(ErrorFormat { advice, ..Self::ERRORS }.read(answer))
    }
}

impl<R: BingRecord> BingConfig<R> {
    fn settings(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.parameters.iter().map(|(name, value)| (*name, value.as_str()));
        all.filter(|(name, _)| parameters::belongs(name, R::IS_NEWS))
    }
}

/// A response, and the pages in it: `web_pages` of a search for pages, `value` of one for news.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", bound = "R: DeserializeOwned")]
pub struct Answer<R> {
    web_pages: Option<Box<Self>>,
    #[serde(default)]
    value: ResultList<R>,
    #[serde(default, deserialize_with = "value_or_none")]
    total_estimated_matches: Option<u64>,
    #[serde(flatten)]
    facts: Map<String, Value>,
}

const HEADERS: &[(&str, &str)] = &[
    ("bingapis-traceid", "request_id"),
    ("bingapis-market", "market"),
    ("x-msedge-clientid", "client_id"),
];

/// The name of a fact in the metadata, such as `altered_query`.
fn fact_name(name: &str) -> String {
    let mut words = String::new();
    // `rankingResponse` is known as `ranking`.
    for letter in name.strip_suffix("Response").unwrap_or(name).chars() {
        words.extend(letter.is_ascii_uppercase().then_some('_'));
        words.push(letter.to_ascii_lowercase());
    }
    words
}
