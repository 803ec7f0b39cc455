//! Describes Google to the core: `GET` requests for ten results each.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use textsearch_core::{
    FilterableField, Result,
    http::HttpResponse,
    results::TotalCount,
    web::{
        Connection, ErrorFormat, KeyPlace, PageAddress, PageScheme, Paging, QueryOperators,
        ResultList, ResultPage, WebEngine, WebQuery, WebRequest, WebSearch, facts, valid,
    },
};

use crate::{
    CONNECTOR, GOOGLE_API_KEY, GOOGLE_SEARCH_ENDPOINT, GoogleConfig, GoogleWebPage, filter,
};

/// Searches the web, or images, with Google's Custom Search JSON API v1. Legacy: Google ends it on
/// 2027-01-01. See the [crate](crate) for an example.
pub type GoogleTextSearch = WebSearch<GoogleConfig>;

const CLOSED: &str = "Google closed this API to new customers and ends it on 2027-01-01; a project \
                      without access can no longer get it";

impl WebEngine for GoogleConfig {
    const NAME: &'static str = CONNECTOR;
    const ENDPOINT: &'static str = "https://customsearch.googleapis.com/customsearch/v1";
    const ENDPOINT_VARIABLE: &'static str = GOOGLE_SEARCH_ENDPOINT;
    const KEY_VARIABLE: Option<&'static str> = Some(GOOGLE_API_KEY);
    const OPERATORS: QueryOperators = QueryOperators::Quotable(filter::OPERATORS);
    const SITE_FIELDS: &'static [&'static str] = &[filter::SITE];
    // Google reports quotas as 403 or 429 and a wrong key as 400. Only the code tells them apart.
    const ERRORS: ErrorFormat = ErrorFormat {
        roots: &["/error"],
        codes: &["/details/*/reason", "/errors/*/reason", "/status"],
        messages: &["/message"],
        details: &[("/details/*/fieldViolations", "; ", "")],
        key_errors: &[
            "API_KEY_INVALID",
            "key*",
            "accessNotConfigured",
            "PERMISSION_DENIED",
            "UNAUTHENTICATED",
        ],
        rate_limits: &[
            "rateLimitExceeded",
            "userRateLimitExceeded",
            "RATE_LIMIT_EXCEEDED",
            "RESOURCE_EXHAUSTED",
        ],
        quotas: &["dailyLimitExceeded*", "quotaExceeded", "limitExceeded"],
        quota_phrases: &["per day"], // Daily quotas and rate limits share codes.
        advice: &[(403, "does not have the access to Custom Search JSON API", CLOSED)],
        ..ErrorFormat::NONE
    };
    const HAS_TOTAL_COUNT: bool = true;

    type Record = GoogleWebPage;
    type Answer = Answer;

    fn connection(&self) -> &Connection {
        &self.connection
    }

    fn key_place(&self) -> KeyPlace {
        if self.key_in_query { KeyPlace::Query("key") } else { KeyPlace::header("x-goog-api-key") }
    }

    fn paging(&self) -> Paging {
        Paging {
            scheme: PageScheme::Offset("start", 1),
            size: Some(("num", 10)),
            max_results: Some(100),
            skip_unread: self.skip_unread,
            ..Paging::SINGLE_PAGE
        }
    }

    fn fields(&self) -> Vec<FilterableField> {
        filter::fields()
    }

    fn check(&self) -> Result<()> {
        let (id, allowed) = (&self.search_engine_id, "the id of a programmable search engine");
        valid(CONNECTOR, "search_engine_id", id, !id.trim().is_empty(), allowed)?;
        for (name, value) in &self.parameters {
            filter::check_setting(name, value)?;
            let is_fit = self.is_for_images() || !name.starts_with("img");
            valid(CONNECTOR, name, value, is_fit, "an image search (`with_images`) for it")?;
        }
        Ok(())
    }

    fn check_query(&self, text: &str) -> Result<()> {
        valid(CONNECTOR, "query", text, !text.trim().is_empty(), "at least one word")
    }

    fn request(&self, query: &WebQuery<'_>) -> Result<Option<WebRequest<GoogleWebPage>>> {
        let Some(conditions) = query.separate_conditions()? else { return Ok(None) };
        let filtered = filter::translate(&conditions)?;
        let settings = self.parameters.iter().map(|(name, value)| (*name, value.as_str()));
        let mut parameters: BTreeMap<&str, &str> = settings.collect();
        parameters.extend(filtered.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        let request = query.get().with_query("cx", &self.search_engine_id);
        let request = request.with_query("q", query.text().trim()).with_query_pairs(parameters);
        Ok(Some(request.into()))
    }

    fn results(&self, answer: HttpResponse<Answer>, _: &PageAddress) -> ResultPage<GoogleWebPage> {
        let Answer { items, rest } = answer.body;
        // JSON numbers aren't safe beyond 2^53, so Google sends text. Some services send a number.
        let total_count = rest.pointer("/searchInformation/totalResults");
        let total_count = total_count
            .and_then(|count| count.as_str().map_or(count.as_u64(), |digits| digits.parse().ok()));
        let has_next = rest.pointer("/queries/nextPage/0").is_some();
        let mut page = ResultPage::of(CONNECTOR, items);
        page.records.iter_mut().for_each(GoogleWebPage::remove_line_breaks);
        page.has_more = Some(has_next && page.sent > 0);
        page.total_count = total_count.map(TotalCount::Estimated);
        page.metadata = facts(rest, FACTS);
        page
    }

    fn link(page: &GoogleWebPage) -> &str {
        &page.link
    }

    /// An image counts by its page, not by the image server. An unreadable page is in no site.
    fn site_link<'a>(&self, page: &'a GoogleWebPage) -> &'a str {
        let link = if self.is_for_images() { "" } else { &page.link };
        page.image_page().unwrap_or(link)
    }
}

/// A response.
#[derive(Debug, Deserialize)]
pub struct Answer {
    #[serde(default)]
    items: ResultList<GoogleWebPage>,
    #[serde(flatten)]
    rest: Value,
}

const FACTS: &[(&str, &str)] = &[
    ("/searchInformation/searchTime", "search_time"),
    ("/spelling/correctedQuery", "corrected_query"),
    ("/spelling/htmlCorrectedQuery", "html_corrected_query"),
    ("/context", "context"),
    ("/promotions", "promotions"),
];
