//! Responses, records and errors.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use textsearch_core::{
    ErrorKind, TextSearchRecord, TextSearchResult,
    filter::DateTime,
    http::{ErrorAnswer, ProviderError},
    results::Metadata,
    web::{ResultList, readable_values, set, value_or_default, value_or_none},
};

use crate::CONNECTOR;

/// A web page or an image found by Google.
///
/// See the
/// [reference](https://developers.google.com/custom-search/v1/reference/rest/v1/Search#result).
/// `title` and `snippet` are plain text. `html_title` and `html_snippet` highlight query words with
/// `<b>`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all(serialize = "PascalCase", deserialize = "camelCase"))]
#[non_exhaustive]
pub struct GoogleWebPage {
    /// Title of the page.
    #[serde(deserialize_with = "value_or_default")]
    pub title: String,
    /// Snippet: the part of the page about the query.
    #[serde(deserialize_with = "value_or_default")]
    pub snippet: String,
    /// URL of the page or the image.
    #[serde(deserialize_with = "value_or_default")]
    pub link: String,
    /// Host of the URL.
    #[serde(deserialize_with = "value_or_default")]
    pub display_link: String,
    /// URL for display, possibly shortened.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub formatted_url: Option<String>,
    /// Type of the object: `customsearch#result`.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Title in HTML.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub html_title: Option<String>,
    /// Snippet in HTML.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub html_snippet: Option<String>,
    /// URL for display, in HTML.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub html_formatted_url: Option<String>,
    /// Id of Google's cached copy.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub cache_id: Option<String>,
    /// Media type of the page.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub mime: Option<String>,
    /// File format, such as `PDF/Adobe Acrobat`.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub file_format: Option<String>,
    /// Structured metadata of the page, by kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pagemap: Option<Value>,
    /// Labels that the search engine assigns to the page.
    #[serde(deserialize_with = "readable_values", skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<GoogleLabel>,
    /// Details of the image, in an image search.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub image: Option<GoogleImage>,
}

/// A label that the search engine assigns to a page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all(serialize = "PascalCase", deserialize = "camelCase"))]
#[non_exhaustive]
pub struct GoogleLabel {
    /// Name.
    #[serde(deserialize_with = "value_or_none")]
    pub name: Option<String>,
    /// Name for display.
    #[serde(deserialize_with = "value_or_none")]
    pub display_name: Option<String>,
    /// Label as an operator in a query.
    #[serde(deserialize_with = "value_or_none", rename(deserialize = "label_with_op"))]
    pub label_with_op: Option<String>,
}

/// An image: its page and its sizes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all(serialize = "PascalCase", deserialize = "camelCase"))]
#[non_exhaustive]
pub struct GoogleImage {
    /// URL of the page that shows the image.
    #[serde(deserialize_with = "value_or_none")]
    pub context_link: Option<String>,
    /// Height in pixels.
    #[serde(deserialize_with = "value_or_none")]
    pub height: Option<u32>,
    /// Width in pixels.
    #[serde(deserialize_with = "value_or_none")]
    pub width: Option<u32>,
    /// Size in bytes.
    #[serde(deserialize_with = "value_or_none")]
    pub byte_size: Option<u64>,
    /// URL of the thumbnail.
    #[serde(deserialize_with = "value_or_none")]
    pub thumbnail_link: Option<String>,
    /// Height of the thumbnail in pixels.
    #[serde(deserialize_with = "value_or_none")]
    pub thumbnail_height: Option<u32>,
    /// Width of the thumbnail in pixels.
    #[serde(deserialize_with = "value_or_none")]
    pub thumbnail_width: Option<u32>,
}

impl TextSearchRecord for GoogleWebPage {
    fn text(&self) -> Cow<'_, str> {
        if self.snippet.is_empty() {
            Cow::Borrowed(&self.title)
        } else {
            Cow::Borrowed(&self.snippet)
        }
    }

    fn to_result(&self) -> TextSearchResult {
        let result = TextSearchResult::new(self.text()).with_name(&self.title);
        let mut result = result.with_link(&self.link);
        result.published = self.published();
        let page = self.image.as_ref().and_then(|image| image.context_link.clone());
        set(&mut result.metadata, "page", page);
        set(&mut result.metadata, "mime", self.mime.clone());
        result
    }
}

impl GoogleWebPage {
    fn published(&self) -> Option<DateTime> {
        let tags = self.pagemap.as_ref()?.pointer("/metatags/0")?;
        let mut dates = ["article:published_time", "og:published_time", "datepublished", "date"]
            .iter()
            .filter_map(|name| tags.get(*name)?.as_str());
        dates.find_map(|date| DateTime::parse(date).ok())
    }

    /// The URL that a filter on sites applies to: for an image its page, not the image server.
    /// Empty, which is in no site, if the page is unreadable.
    pub(crate) fn page(&self, is_image: bool) -> &str {
        let page = self.image.as_ref().and_then(|image| image.context_link.as_deref());
        page.unwrap_or(if is_image { "" } else { &self.link })
    }

    /// The service inserts line breaks.
    fn clean(&mut self) {
        for text in [&mut self.title, &mut self.snippet] {
            let words: Vec<&str> = text.split_whitespace().collect();
            *text = words.join(" ");
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Answer {
    #[serde(default)]
    items: ResultList<GoogleWebPage>,
    #[serde(default, deserialize_with = "value_or_none")]
    queries: Option<Queries>,
    #[serde(default, deserialize_with = "value_or_none")]
    search_information: Option<SearchInformation>,
    #[serde(default, deserialize_with = "value_or_none")]
    spelling: Option<Spelling>,
    context: Option<Value>,
    promotions: Option<Value>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Queries {
    #[serde(deserialize_with = "readable_values")]
    next_page: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SearchInformation {
    #[serde(default, deserialize_with = "value_or_none")]
    search_time: Option<f64>,
    // A string because JSON numbers aren't safe beyond 2^53. Some services send a number.
    total_results: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spelling {
    #[serde(default, deserialize_with = "value_or_none")]
    corrected_query: Option<String>,
    #[serde(default, deserialize_with = "value_or_none")]
    html_corrected_query: Option<String>,
}

#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) pages: Vec<GoogleWebPage>,
    pub(crate) has_next: bool,
    pub(crate) total: Option<u64>,
    pub(crate) metadata: Metadata,
}

impl Answer {
    pub(crate) fn into_parts(self) -> Parts {
        let mut metadata = Metadata::new();
        let information = self.search_information;
        let total = information.as_ref().and_then(|one| number(one.total_results.as_ref()?));
        set(&mut metadata, "search_time", information.and_then(|one| one.search_time));
        if let Some(spelling) = self.spelling {
            set(&mut metadata, "corrected_query", spelling.corrected_query);
            set(&mut metadata, "html_corrected_query", spelling.html_corrected_query);
        }
        set(&mut metadata, "context", self.context);
        set(&mut metadata, "promotions", self.promotions);
        let has_next = self.queries.is_some_and(|queries| !queries.next_page.is_empty());
        let mut pages = self.items.into_readable(CONNECTOR);
        pages.iter_mut().for_each(GoogleWebPage::clean);
        Parts { pages, has_next, total, metadata }
    }
}

fn number(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => text.parse().ok(),
        value => value.as_u64(),
    }
}

#[derive(Deserialize)]
struct ErrorBody {
    error: ErrorObject,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ErrorObject {
    #[serde(deserialize_with = "value_or_none")]
    message: Option<String>,
    #[serde(deserialize_with = "value_or_none")]
    status: Option<String>,
    #[serde(deserialize_with = "readable_values")]
    errors: Vec<Reason>,
    #[serde(deserialize_with = "readable_values")]
    details: Vec<Reason>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Reason {
    #[serde(deserialize_with = "value_or_none")]
    reason: Option<String>,
    #[serde(deserialize_with = "readable_values")]
    field_violations: Vec<Violation>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Violation {
    #[serde(deserialize_with = "value_or_none")]
    field: Option<String>,
    #[serde(deserialize_with = "value_or_none")]
    description: Option<String>,
}

impl Violation {
    fn described(&self) -> String {
        let parts = [self.field.as_deref(), self.description.as_deref()];
        parts.into_iter().flatten().collect::<Vec<_>>().join(": ")
    }
}

const MOST_VIOLATIONS: usize = 5;

const CLOSED: &str = "Google closed this API to new customers and ends it on 2027-01-01; a project without access \
                      can no longer get it";

pub(crate) fn read_error(answer: &ErrorAnswer<'_>) -> Option<ProviderError> {
    let ErrorBody { error } = answer.json()?;
    let reasons = error.details.iter().chain(&error.errors);
    let reasons: Vec<&str> = reasons.filter_map(|one| one.reason.as_deref()).collect();
    let mut message = error.message.unwrap_or_default();
    let kind = kind_of(&reasons, error.status.as_deref().unwrap_or_default(), &message);
    let violations = error.details.iter().flat_map(|detail| &detail.field_violations);
    for violation in violations.take(MOST_VIOLATIONS) {
        message = format!("{message}; {}", violation.described());
    }
    if message.contains("does not have the access to Custom Search JSON API") {
        message = format!("{message} ({CLOSED})");
    }
    let mut refined = ProviderError::default();
    if let Some(kind) = kind {
        refined = refined.with_kind(kind);
    }
    if !message.is_empty() {
        refined = refined.with_message(message);
    }
    let code = reasons.first().copied().or(error.status.as_deref());
    Some(match code {
        Some(code) => refined.with_code(code),
        None => refined,
    })
}

/// Google reports quotas as 403 or 429 and a wrong key as 400. Only the reason tells them apart.
fn kind_of(reasons: &[&str], status: &str, message: &str) -> Option<ErrorKind> {
    let of_reason = reasons.iter().find_map(|reason| match *reason {
        "dailyLimitExceeded" | "dailyLimitExceededUnreg" | "quotaExceeded" | "limitExceeded" => {
            Some(ErrorKind::QuotaExceeded)
        }
        "API_KEY_INVALID" | "keyInvalid" | "keyExpired" | "accessNotConfigured" => {
            Some(ErrorKind::Authentication)
        }
        "rateLimitExceeded" | "userRateLimitExceeded" | "RATE_LIMIT_EXCEEDED" => {
            Some(rate_or_quota(message))
        }
        _ => None,
    });
    of_reason.or_else(|| match status {
        "RESOURCE_EXHAUSTED" => Some(rate_or_quota(message)),
        "PERMISSION_DENIED" | "UNAUTHENTICATED" => Some(ErrorKind::Authentication),
        _ => None,
    })
}

/// Daily quotas and rate limits share one reason.
fn rate_or_quota(message: &str) -> ErrorKind {
    if message.to_ascii_lowercase().contains("per day") {
        ErrorKind::QuotaExceeded
    } else {
        ErrorKind::RateLimited
    }
}
