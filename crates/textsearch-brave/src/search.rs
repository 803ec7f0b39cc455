//! Describes Brave to the core: a `GET` request for each page of at most 20 results.

use std::{borrow::Cow, collections::BTreeMap, time::Duration};

use serde::Deserialize;
use serde_json::{Map, Value};
use textsearch_core::{
    ErrorKind, FilterableField, Result,
    http::{ErrorAnswer, ErrorDetails, HttpRequest, HttpResponse},
    web::{
        Connection, ErrorFormat, KeyPlace, PageAddress, PageScheme, Paging, ResultList, ResultPage,
        WebEngine, WebQuery, WebRequest, WebSearch, exact_day, is_empty, plain_query, set, valid,
    },
};

use crate::{BRAVE_API_KEY, BRAVE_ENDPOINT, BraveConfig, BraveWebPage, CONNECTOR, filter, values};

/// Searches the web with [Brave Web
/// Search](https://api-dashboard.search.brave.com/documentation/services/web-search). See the
/// [crate](crate) for an example.
pub type BraveTextSearch = WebSearch<BraveConfig>;

const PAGE: usize = 20;

impl WebEngine for BraveConfig {
    const NAME: &'static str = CONNECTOR;
    const ENDPOINT: &'static str = "https://api.search.brave.com/res/v1/web/search";
    const ENDPOINT_VARIABLE: &'static str = BRAVE_ENDPOINT;
    const KEY_VARIABLE: Option<&'static str> = Some(BRAVE_API_KEY);
    const SITE_FIELDS: &'static [&'static str] = &["site"];
    // Brave reports a wrong key as 422.
    const ERRORS: ErrorFormat = ErrorFormat {
        roots: &["/error"],
        codes: &["/code"],
        messages: &["/detail"],
        details: &[("/meta/errors", ": ", "")],
        key_errors: &["SUBSCRIPTION_TOKEN*", "SUBSCRIPTION_NOT_FOUND"],
        quotas: &["QUOTA_LIMITED", "USAGE_LIMIT_EXCEEDED"],
        ..ErrorFormat::NONE
    };

    type Record = BraveWebPage;
    type Answer = Answer;

    fn connection(&self) -> &Connection {
        &self.connection
    }

    fn key_place(&self) -> KeyPlace {
        KeyPlace::header("x-subscription-token")
    }

    fn paging(&self) -> Paging {
        // `offset` counts pages and ends at 9.
        Paging {
            scheme: PageScheme::Number("offset", 0),
            size: Some(("count", PAGE)),
            max_pages: Some(10),
            max_results: Some(10 * PAGE),
            skip_unread: self.skip_unread,
            ..Paging::SINGLE_PAGE
        }
    }

    fn fields(&self) -> Vec<FilterableField> {
        filter::fields()
    }

    fn check(&self) -> Result<()> {
        self.sent_parameters()?;
        let kinds = &self.result_filter;
        for kind in kinds {
            let is_known = values::KINDS.split(", ").any(|known| known == kind);
            valid(CONNECTOR, "result_filter", kind, is_known, values::KINDS)?;
        }
        let has_web = kinds.is_empty() || kinds.iter().any(|kind| kind == "web");
        valid(CONNECTOR, "result_filter", kinds.join(","), has_web, "web among others")?;
        if let Some(version) = &self.api_version {
            exact_day(CONNECTOR, "api_version", version)?;
        }
        self.location.check()
    }

    fn check_query(&self, _: &str) -> Result<()> {
        Ok(()) // `request` checks it with the words of the filter, which are enough.
    }

    fn request(&self, query: &WebQuery<'_>) -> Result<Option<WebRequest<BraveWebPage>>> {
        let Some(conditions) = query.conditions()? else { return Ok(None) };
        let Some((words, filtered)) = filter::translate(&conditions)? else { return Ok(None) };
        let text = if self.operators {
            Cow::Borrowed(query.text())
        } else {
            plain_query(query.text()).into()
        };
        let text = words.with_query(&text);
        values::check_query(&text)?;

        let mut parameters: BTreeMap<&str, String> = self.sent_parameters()?;
        parameters.extend(filtered.iter().map(|(name, value)| (name.as_str(), value.clone())));
        if words.is_empty() && (query.is_fixed() || !self.operators) {
            parameters.insert("operators", "false".to_owned());
        }
        let count = query.wanted().clamp(1, PAGE).to_string();
        let kinds = self.sent_kinds();
        let decorations = if self.markup_kept { "true" } else { "false" };
        let first = [("q", text.as_str()), ("count", &count), ("text_decorations", decorations)];
        let pairs = first
            .into_iter()
            .chain(parameters.iter().map(|(name, value)| (*name, value.as_str())))
            .chain(kinds.iter().map(|kinds| ("result_filter", kinds.as_str())))
            .chain(self.goggles.iter().map(|goggle| ("goggles", goggle.as_str())));
        let version = self.api_version.iter().map(|version| ("Api-Version", version.clone()));
        let headers = version.chain(self.location.headers());
        let request = query.get().with_query_pairs(pairs);
        let add =
            |request: HttpRequest, (name, value): (_, String)| request.with_header(name, &value);
        Ok(Some(headers.fold(request, add).into()))
    }

    fn page_request(&self, request: &HttpRequest, page: &PageAddress) -> HttpRequest {
        // `request` has the count, which all pages share.
        request.clone().with_query("offset", &page.number.to_string())
    }

    fn results(&self, answer: HttpResponse<Answer>, _: &PageAddress) -> ResultPage<BraveWebPage> {
        let Answer { web, rest } = answer.body;
        let Web { results, facts } = web.unwrap_or_default();
        let mut page = ResultPage::of(CONNECTOR, results);
        page.records.iter_mut().for_each(|record| record.finish(self.markup_kept));
        let query = rest.get("query");
        let has_more = query.and_then(|query| query.get("more_results_available")?.as_bool());
        page.has_more = has_more.map(|has_more| has_more && page.sent > 0);
        let altered = query.and_then(|query| query.get("altered")).filter(|text| !is_empty(text));
        set(&mut page.metadata, "altered_query", altered.cloned());
        let facts = facts.into_iter().chain(rest);
        page.metadata.extend(facts.filter(|(name, fact)| name != "type" && !is_empty(fact)));
        for (header, value) in &answer.headers {
            if let Some(limit) = header.as_str().strip_prefix("x-ratelimit-") {
                set(&mut page.metadata, &format!("rate_limit_{limit}"), value.to_str().ok());
            }
        }
        page
    }

    fn link(page: &BraveWebPage) -> &str {
        &page.url
    }

    fn read_error(&self, answer: &ErrorAnswer<'_>) -> Option<ErrorDetails> {
        Some(read_error(answer))
    }
}

pub(crate) fn read_error(answer: &ErrorAnswer<'_>) -> ErrorDetails {
    let details = BraveConfig::ERRORS.read(answer);
    if answer.status == 429 { limited(details, answer) } else { details }
}

/// Tells the monthly quota from the limit per second. The headers have numbers for each window, the
/// longest last.
fn limited(details: ErrorDetails, answer: &ErrorAnswer<'_>) -> ErrorDetails {
    let numbers = |name: &str| -> Vec<u64> {
        let text = answer.headers.get(name).and_then(|value| value.to_str().ok());
        let numbers = text.unwrap_or_default().split(',');
        numbers.filter_map(|number| number.trim().parse().ok()).collect()
    };
    let body: Value = answer.json().unwrap_or_default();
    let quota = |name: &str| body.pointer(name).and_then(Value::as_f64).unwrap_or_default();
    let limit = quota("/error/meta/quota_limit");
    let current = quota("/error/meta/quota_current");
    let limits = numbers("x-ratelimit-limit");
    // A limit of 0 means unlimited.
    let is_used_up = (limit > 0.0 && current >= limit)
        || (limits.len() > 1
            && limits.last() > Some(&0)
            && numbers("x-ratelimit-remaining").last() == Some(&0));
    match numbers("x-ratelimit-reset").first() {
        _ if is_used_up => ErrorDetails { kind: Some(ErrorKind::QuotaExceeded), ..details },
        Some(wait) if !answer.headers.contains_key("retry-after") => {
            ErrorDetails { retry_after: Some(Duration::from_secs(*wait)), ..details }
        }
        _ => details,
    }
}

/// A response.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Answer {
    web: Option<Web>,
    /// The query as Brave understood it, and other kinds of results.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Web {
    results: ResultList<BraveWebPage>,
    /// Whether they are free of adult content, and others.
    #[serde(flatten)]
    facts: Map<String, Value>,
}
