//! What Tavily answers: pages with their scores, facts of the search, errors.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use textsearch_core::{
    DateTime, ErrorKind, Metadata, TextSearchRecord, TextSearchResult,
    http::{ErrorAnswer, ProviderError},
    web::{ResultList, described_faults, readable_values, value_or_default, value_or_none},
};

use crate::CONNECTOR;

/// A web page as Tavily finds it.
///
/// Each field is one of the [reference](https://docs.tavily.com/documentation/api-reference/endpoint/search), under
/// its name there in `PascalCase`. What Tavily did not send is left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all(serialize = "PascalCase", deserialize = "snake_case"), default)]
#[schemars(description = "A web page that Tavily found")]
#[non_exhaustive]
pub struct TavilyWebPage {
    /// The title.
    #[serde(deserialize_with = "value_or_default")]
    pub title: String,
    /// The address.
    #[serde(deserialize_with = "value_or_default")]
    pub url: String,
    /// What the page says of the query: a summary, or excerpts with `[...]` between them.
    #[serde(deserialize_with = "value_or_default")]
    pub content: String,
    /// How well the page fits, from 0 to 1.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The whole page, where it was asked for.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub raw_content: Option<String>,
    /// When the page was published, as Tavily writes it: `Mon, 31 Mar 2025 08:00:00 GMT` or `2025-03-31`.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub published_date: Option<String>,
    /// The address of the site's icon, where it was asked for.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub favicon: Option<String>,
    /// Images of the page, where they were asked for: addresses, or objects with an address and a description.
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

/// The answer to a request.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Answer {
    results: ResultList<TavilyWebPage>,
    /// The query, the answer, images, the time it took, the id of the request, what it cost.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

impl Answer {
    /// The pages, and what Tavily says of the search, under its own names.
    pub(crate) fn into_parts(self) -> (Vec<TavilyWebPage>, Metadata) {
        let is_something = |value: &Value| match value {
            Value::Null => false,
            Value::Array(items) => !items.is_empty(),
            Value::Object(fields) => !fields.is_empty(),
            _ => true,
        };
        let rest = self.rest.into_iter().filter(|(_, value)| is_something(value));
        (self.results.into_readable(CONNECTOR), rest.collect())
    }
}

/// Reads an error of Tavily, which has two statuses of its own for a plan that is used up.
pub(crate) fn read_error(answer: &ErrorAnswer<'_>) -> Option<ProviderError> {
    let body = answer.json::<Value>();
    let words = body.as_ref().and_then(words_of);
    let mut error = ProviderError::default();
    if matches!(answer.status.as_u16(), 432 | 433) {
        error = error.with_kind(ErrorKind::QuotaExceeded);
    }
    Some(words.into_iter().fold(error, ProviderError::with_message))
}

/// The message: in an object, alone, or in a list of what was wrong with the parameters.
fn words_of(body: &Value) -> Option<String> {
    let places = ["/detail/error", "/detail", "/error", "/error/message", "/message"];
    let message = places.into_iter().find_map(|place| body.pointer(place)?.as_str());
    message.map(str::to_owned).or_else(|| described_faults(body.get("detail")?))
}

/// A date in either of the forms in which Tavily writes it.
fn instant(text: &str) -> Option<DateTime> {
    DateTime::parse(text).or_else(|_| DateTime::parse_rfc2822(text)).ok()
}
