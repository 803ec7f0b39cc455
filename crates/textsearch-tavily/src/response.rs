//! Responses, records and errors.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use textsearch_core::{
    ErrorKind, TextSearchRecord, TextSearchResult,
    filter::DateTime,
    http::{ErrorAnswer, ProviderError},
    web::{
        ResultList, ResultPage, described_faults, readable_values, value_or_default, value_or_none,
    },
};

use crate::CONNECTOR;

/// A web page found by Tavily.
///
/// Each field is one of the
/// [reference](https://docs.tavily.com/documentation/api-reference/endpoint/search), under the same
/// name in `PascalCase`. Missing values are left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all(serialize = "PascalCase", deserialize = "snake_case"), default)]
#[schemars(description = "A web page that Tavily found")]
#[non_exhaustive]
pub struct TavilyWebPage {
    /// Title of the page.
    #[serde(deserialize_with = "value_or_default")]
    pub title: String,
    /// URL of the page.
    #[serde(deserialize_with = "value_or_default")]
    pub url: String,
    /// Part of the page about the query: a summary, or excerpts separated by `[...]`.
    #[serde(deserialize_with = "value_or_default")]
    pub content: String,
    /// Relevance, from 0 to 1.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The whole page, if requested.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub raw_content: Option<String>,
    /// Publication time as Tavily writes it: `Mon, 31 Mar 2025 08:00:00 GMT` or `2025-03-31`.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub published_date: Option<String>,
    /// URL of the site's icon, if requested.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub favicon: Option<String>,
    /// Images of the page, if requested: URLs, or objects with a URL and a description.
    #[serde(deserialize_with = "readable_values", skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Value>,
}

impl TextSearchRecord for TavilyWebPage {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.content)
    }

    fn to_result(&self) -> TextSearchResult {
        let mut result = TextSearchResult::new(&self.content).with_name(&self.title);
        if !self.url.is_empty() {
            result = result.with_link(&self.url);
        }
        if let Some(score) = self.score {
            result = result.with_score(score);
        }
        match self.published_date.as_deref().and_then(instant) {
            Some(published) => result.with_published(published),
            None => result,
        }
    }
}

/// A response.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Answer {
    results: ResultList<TavilyWebPage>,
    /// Query, answer, images, response time, request id and cost.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

impl Answer {
    pub(crate) fn into_page(self) -> ResultPage<TavilyWebPage> {
        let is_something = |value: &Value| match value {
            Value::Null => false,
            Value::Array(items) => !items.is_empty(),
            Value::Object(fields) => !fields.is_empty(),
            _ => true,
        };
        let rest = self.rest.into_iter().filter(|(_, value)| is_something(value));
        ResultPage::of(CONNECTOR, self.results).with_metadata(rest.collect())
    }
}

/// Reads an error response. Tavily reports an exhausted plan as 432 or 433.
pub(crate) fn read_error(answer: &ErrorAnswer<'_>) -> Option<ProviderError> {
    let body = answer.json::<Value>();
    let words = body.as_ref().and_then(words_of);
    let mut error = ProviderError::default();
    if matches!(answer.status.as_u16(), 432 | 433) {
        error = error.with_kind(ErrorKind::QuotaExceeded);
    }
    Some(words.into_iter().fold(error, ProviderError::with_message))
}

/// Reads an error that a gateway sends with success.
pub(crate) fn read_success_error(answer: &ErrorAnswer<'_>) -> Option<ProviderError> {
    #[derive(Deserialize)]
    struct Refusal {
        #[serde(rename = "detail")]
        _detail: Value,
    }
    answer.json::<Refusal>()?;
    read_error(answer)
}

/// Finds the message: in an object, as plain text, or in a list of wrong parameters.
fn words_of(body: &Value) -> Option<String> {
    let places = ["/detail/error", "/detail", "/error", "/error/message", "/message"];
    let message = places.into_iter().find_map(|place| body.pointer(place)?.as_str());
    message.map(str::to_owned).or_else(|| described_faults(body.get("detail")?))
}

fn instant(text: &str) -> Option<DateTime> {
    DateTime::parse(text).or_else(|_| DateTime::parse_rfc2822(text)).ok()
}
