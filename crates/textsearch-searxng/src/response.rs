//! What SearXNG answers, and the record that is made of it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use textsearch_core::{
    DateTime, ErrorKind, Metadata, TextSearchRecord, TextSearchResult, TotalCount,
    http::{ErrorAnswer, ProviderError, StatusCode},
    schemars::{self, JsonSchema},
    serde_json::Value,
    web::{Marks, ResultList, readable_values, value_or_none},
};

use crate::NAME;

/// What engines mark the words of the query with.
const MARKS: Marks = Marks::html(&["b", "strong", "em", "mark", "span"]);

/// One result, with the fields that SearXNG gives its [results](https://docs.searxng.org/dev/result_types/main/mainresult.html).
///
/// Templates and JSON have the fields as `Title`, `Url`, `Content`, `PublishedDate`, …; what is missing is left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all(serialize = "PascalCase"))]
#[non_exhaustive]
pub struct SearxngResult {
    /// The title of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The address of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// What the page says about the query, in a sentence or two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The engine whose version of the result this is.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// All engines that found the page.
    #[serde(deserialize_with = "readable_values", skip_serializing_if = "Vec::is_empty")]
    pub engines: Vec<String>,
    /// The positions at which the engines listed it, from 1 on.
    #[serde(deserialize_with = "readable_values", skip_serializing_if = "Vec::is_empty")]
    pub positions: Vec<i64>,
    /// What SearXNG made of the positions: more is better.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The first category of the engine, such as `general`.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// When the page was published, as SearXNG writes it: mostly without an offset.
    #[serde(
        deserialize_with = "value_or_none",
        rename(deserialize = "publishedDate"),
        skip_serializing_if = "Option::is_none"
    )]
    pub published_date: Option<String>,
    /// The same as text for people, which SearXNG is about to give up.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub pubdate: Option<String>,
    /// The address of a small picture.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub thumbnail: Option<String>,
    /// The address of a picture.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub img_src: Option<String>,
    /// The address of a page to embed.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub iframe_src: Option<String>,
    /// The address of a recording.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub audio_src: Option<String>,
    /// The address in parts: scheme, host, path, parameters, query and fragment.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub parsed_url: Option<Vec<String>>,
    /// The template that SearXNG shows the result with, such as `default.html`.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// How long a recording plays, in seconds or as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<Value>,
    /// How often it was seen, as a number or as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub views: Option<Value>,
    /// Who wrote or made it.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Anything else that the engine says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Value>,
    /// `high` or `low` where the instance prefers or slights the host.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub priority: Option<String>,
}

impl SearxngResult {
    /// Empty texts are missing ones; markup goes, unless it is to be kept.
    fn cleaned(mut self, markup_kept: bool) -> Self {
        if !markup_kept {
            self.title = self.title.map(|title| readable(&title));
            self.content = self.content.map(|content| readable(&content));
        }
        let texts = [
            &mut self.title,
            &mut self.url,
            &mut self.content,
            &mut self.published_date,
            &mut self.pubdate,
            &mut self.thumbnail,
            &mut self.img_src,
            &mut self.iframe_src,
            &mut self.audio_src,
            &mut self.author,
            &mut self.priority,
        ];
        for text in texts {
            text.take_if(|text| text.is_empty());
        }
        self
    }
}

impl TextSearchRecord for SearxngResult {
    /// The content, or the title where an engine gives no more.
    fn text(&self) -> Cow<'_, str> {
        let text = self.content.as_ref().or(self.title.as_ref());
        Cow::Borrowed(text.map_or("", String::as_str))
    }

    fn to_result(&self) -> TextSearchResult {
        let mut result = TextSearchResult::new(self.text());
        result.name.clone_from(&self.title);
        result.link.clone_from(&self.url);
        result.score = self.score;
        let date = self.published_date.as_deref();
        result.published = date.and_then(|date| DateTime::parse(date).ok());
        if !self.engines.is_empty() {
            result = result.with_metadata("engines", self.engines.clone());
        }
        match &self.category {
            Some(category) => result.with_metadata("category", category.as_str()),
            None => result,
        }
    }
}

fn readable(text: &str) -> String {
    MARKS.removed(text).trim().to_owned()
}

/// One page of an answer.
#[derive(Debug, Deserialize)]
pub(crate) struct Answer {
    results: ResultList<SearxngResult>,
    #[serde(flatten)]
    about: Metadata,
}

impl Answer {
    /// The results, and what the instance says of them.
    pub(crate) fn into_parts(self, markup_kept: bool) -> (Vec<SearxngResult>, About) {
        let about = About(self.about);
        if let (true, Some(engines)) =
            (self.results.sent() == 0, about.said("unresponsive_engines"))
        {
            // How many, and not which: an answer may hold whatever was sent, the key among it.
            let engines = engines.as_array().map_or(1, Vec::len);
            tracing::warn!(engines, "nothing was found, and some engines did not answer");
        }
        let results = self.results.into_readable(NAME).into_iter();
        let results = results.map(|result| result.cleaned(markup_kept));
        (results.collect(), about)
    }
}

/// What the instance says beside the results.
pub(crate) struct About(Metadata);

/// The names under which it says something for [`SearchResults::metadata`](textsearch_core::SearchResults::metadata).
const ABOUT: [&str; 6] =
    ["query", "answers", "corrections", "infoboxes", "suggestions", "unresponsive_engines"];

impl About {
    /// How many results the engines say there are: a guess, and zero where none of them says anything.
    pub(crate) fn total_count(&self) -> Option<TotalCount> {
        let count = self.0.get("number_of_results")?;
        // Some versions write a mean, with a fraction.
        let count = count.as_u64().or_else(|| count.as_f64().map(|count| count as u64))?;
        (count > 0).then_some(TotalCount::Estimated(count))
    }

    /// What there is besides, without what is empty.
    pub(crate) fn metadata(&self) -> Metadata {
        let said = ABOUT.iter().filter_map(|name| Some((*name, self.said(name)?)));
        said.map(|(name, value)| (name.to_owned(), value.clone())).collect()
    }

    fn said(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !is_empty(value))
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

/// What an instance means by an error.
pub(crate) fn read_error(answer: &ErrorAnswer<'_>) -> Option<ProviderError> {
    match answer.status {
        StatusCode::FORBIDDEN => {
            let message = "the instance refuses the search: most likely it does not serve JSON. \
                           Add `json` to `search.formats` in its settings.yml; else look at its \
                           limiter and at the authorization";
            Some(ProviderError::default().with_message(message))
        }
        StatusCode::TOO_MANY_REQUESTS => {
            let message = "too many requests: on an instance of your own, switch its limiter off \
                           (`server.limiter` in settings.yml) or let this client pass";
            let error = ProviderError::default().with_kind(ErrorKind::RateLimited);
            Some(error.with_message(message))
        }
        _ => {
            let body: Value = answer.json()?;
            let message = body.get("error")?.as_str()?;
            Some(ProviderError::default().with_message(message))
        }
    }
}
