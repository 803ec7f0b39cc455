//! Responses, records and errors.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use textsearch_core::{
    ErrorKind, TextSearchRecord, TextSearchResult,
    filter::DateTime,
    http::{ErrorAnswer, HeaderMap, ProviderError},
    results::Metadata,
    web::{Marks, ResultList, readable_values, set, value_or_default, value_or_none},
};

use crate::{BingConfig, CONNECTOR};

/// A web page found by Bing.
///
/// See the
/// [reference](https://learn.microsoft.com/bing/search-apis/bing-web-search/reference/response-objects#webpage).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all(serialize = "PascalCase", deserialize = "camelCase"))]
#[non_exhaustive]
pub struct BingWebPage {
    /// Title of the page.
    #[serde(deserialize_with = "value_or_default")]
    pub name: String,
    /// Snippet: the part of the page about the query.
    #[serde(deserialize_with = "value_or_default")]
    pub snippet: String,
    /// URL of the page.
    #[serde(deserialize_with = "value_or_default")]
    pub url: String,
    /// URL for display, possibly shortened.
    #[serde(deserialize_with = "value_or_default")]
    pub display_url: String,
    /// Time when the service last crawled the page.
    #[serde(deserialize_with = "value_or_none")]
    pub date_last_crawled: Option<String>,
    /// Id of the page within the response.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Name of the site.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub site_name: Option<String>,
    /// Publication time.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub date_published: Option<String>,
    /// Publication date for display.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub date_published_display_text: Option<String>,
    /// Age of the page for display.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub date_published_freshness_text: Option<String>,
    /// Language of the page.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Whether the page is free of adult content.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub is_family_friendly: Option<bool>,
    /// Whether the query aimed at exactly this page.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub is_navigational: Option<bool>,
    /// Whether the page must not be cached.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub no_cache: Option<bool>,
    /// URL of a cached copy.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub cached_page_url: Option<String>,
    /// URL of a thumbnail.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub thumbnail_url: Option<String>,
    /// Main image on the page.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub primary_image_of_page: Option<BingPageImage>,
    /// Pages of the same site.
    #[serde(deserialize_with = "readable_values", skip_serializing_if = "Vec::is_empty")]
    pub deep_links: Vec<BingDeepLink>,
    /// Subjects of the page.
    #[serde(deserialize_with = "readable_values", skip_serializing_if = "Vec::is_empty")]
    pub about: Vec<BingThing>,
    /// Entities that the page mentions.
    #[serde(deserialize_with = "readable_values", skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<BingThing>,
    /// Meta tags that the page's author wrote for search engines.
    #[serde(deserialize_with = "readable_values", skip_serializing_if = "Vec::is_empty")]
    pub search_tags: Vec<BingMetaTag>,
    /// Attributions that the contract requires with the page.
    #[serde(deserialize_with = "readable_values", skip_serializing_if = "Vec::is_empty")]
    pub contractual_rules: Vec<Value>,
    /// Source and licence of the snippet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet_attribution: Option<Value>,
    /// Harmful content that the service found on the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub malware: Option<Value>,
    /// A table or a list from the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rich_caption: Option<Value>,
    /// A video on the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub video: Option<Value>,
    /// Name and snippet without marks, if the record contains marks.
    #[serde(skip)]
    pub(crate) plain: Option<(String, String)>,
}

/// A page on the same site as another.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all(serialize = "PascalCase", deserialize = "camelCase"))]
#[non_exhaustive]
pub struct BingDeepLink {
    /// Title of the page.
    #[serde(deserialize_with = "value_or_none")]
    pub name: Option<String>,
    /// URL of the page.
    #[serde(deserialize_with = "value_or_none")]
    pub url: Option<String>,
    /// Excerpt of the page.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// Pages below it.
    #[serde(deserialize_with = "readable_values", skip_serializing_if = "Vec::is_empty")]
    pub deep_links: Vec<BingDeepLink>,
}

/// A meta tag that a page's author wrote for search engines.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all(serialize = "PascalCase", deserialize = "camelCase"))]
#[non_exhaustive]
pub struct BingMetaTag {
    /// Name of the tag.
    #[serde(deserialize_with = "value_or_none")]
    pub name: Option<String>,
    /// Content of the tag.
    #[serde(deserialize_with = "value_or_none")]
    pub content: Option<String>,
}

/// A named entity, such as a person or a place.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all(serialize = "PascalCase", deserialize = "camelCase"))]
#[non_exhaustive]
pub struct BingThing {
    /// Name.
    #[serde(deserialize_with = "value_or_none")]
    pub name: Option<String>,
    /// URL with more information.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub read_link: Option<String>,
}

/// Main image of a page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all(serialize = "PascalCase", deserialize = "camelCase"))]
#[non_exhaustive]
pub struct BingPageImage {
    /// URL of the thumbnail.
    #[serde(deserialize_with = "value_or_none")]
    pub thumbnail_url: Option<String>,
    /// Width of the thumbnail in pixels.
    #[serde(deserialize_with = "value_or_none")]
    pub width: Option<u32>,
    /// Height of the thumbnail in pixels.
    #[serde(deserialize_with = "value_or_none")]
    pub height: Option<u32>,
    /// Id of the image in the service.
    #[serde(deserialize_with = "value_or_none")]
    pub image_id: Option<String>,
}

impl TextSearchRecord for BingWebPage {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.plain.as_ref().map_or(&self.snippet, |(_, snippet)| snippet))
    }

    fn to_result(&self) -> TextSearchResult {
        let name = self.plain.as_ref().map_or(&self.name, |(name, _)| name);
        let mut result = TextSearchResult::new(self.text()).with_name(name).with_link(&self.url);
        result.id.clone_from(&self.id);
        result.published = published(self.date_published.as_deref());
        if let Some(date) = &self.date_last_crawled {
            result = result.with_metadata("date_last_crawled", date.as_str());
        }
        result
    }
}

impl BingWebPage {
    /// Stores plain copies if the record keeps marks.
    fn clean(&mut self, markup: Markup) {
        let plain = (markup.removed(&self.name), markup.removed(&self.snippet));
        if markup.are_kept {
            self.plain = Some(plain);
        } else {
            (self.name, self.snippet) = plain;
        }
    }
}

/// Bing's dates have seven fractional digits and sometimes no offset.
pub(crate) fn published(date: Option<&str>) -> Option<DateTime> {
    DateTime::parse(date?).ok()
}

#[derive(Debug, Clone, Copy)]
pub struct Markup {
    marks: Marks,
    pub(crate) are_kept: bool,
}

impl Markup {
    /// `textFormat` decides whether marks are HTML.
    pub(crate) fn of(config: &BingConfig) -> Self {
        let format = config.parameters.get("textFormat").map(String::as_str);
        let marks = match format {
            Some("HTML") => Marks::html(&["b", "strong", "br"]),
            _ => Marks::characters(),
        };
        Self { marks, are_kept: config.markup_kept }
    }

    pub(crate) fn removed(self, text: &str) -> String {
        self.marks.removed(text).into_owned()
    }
}

#[derive(Debug)]
pub struct Answer<R> {
    pub(crate) records: Vec<R>,
    pub(crate) total: Option<u64>,
    pub(crate) metadata: Metadata,
}

pub trait Wire: serde::de::DeserializeOwned + Send + 'static {
    type Record: TextSearchRecord;

    const PATH: &'static str;
    /// Maximum `count` of one request.
    const LARGEST_PAGE: usize;
    const IS_NEWS: bool;

    fn into_answer(self, markup: Markup) -> Answer<Self::Record>;

    fn link(record: &Self::Record) -> &str;
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebAnswer {
    web_pages: Option<WebPages>,
    #[serde(default, deserialize_with = "value_or_none")]
    query_context: Option<QueryContext>,
    #[serde(flatten)]
    others: Metadata,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WebPages {
    #[serde(default, deserialize_with = "value_or_none")]
    total_estimated_matches: Option<u64>,
    #[serde(default, deserialize_with = "value_or_none")]
    web_search_url: Option<String>,
    #[serde(default)]
    value: ResultList<BingWebPage>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct QueryContext {
    #[serde(default, deserialize_with = "value_or_none")]
    original_query: Option<String>,
    #[serde(default, deserialize_with = "value_or_none")]
    altered_query: Option<String>,
    #[serde(default, deserialize_with = "value_or_none")]
    alteration_display_query: Option<String>,
    #[serde(default, deserialize_with = "value_or_none")]
    alteration_override_query: Option<String>,
    #[serde(default, deserialize_with = "value_or_none")]
    adult_intent: Option<bool>,
    #[serde(default, deserialize_with = "value_or_none")]
    ask_user_for_location: Option<bool>,
    #[serde(default, deserialize_with = "value_or_none")]
    is_transactional: Option<bool>,
}

impl QueryContext {
    pub(crate) fn describe(self, metadata: &mut Metadata) {
        let texts = [
            ("original_query", self.original_query),
            ("altered_query", self.altered_query),
            ("alteration_display_query", self.alteration_display_query),
            ("alteration_override_query", self.alteration_override_query),
        ];
        let flags = [
            ("adult_intent", self.adult_intent),
            ("ask_user_for_location", self.ask_user_for_location),
            ("is_transactional", self.is_transactional),
        ];
        texts.into_iter().for_each(|(name, text)| set(metadata, name, text));
        flags.into_iter().for_each(|(name, flag)| set(metadata, name, flag));
    }
}

const OTHERS: &[(&str, &str)] = &[
    ("rankingResponse", "ranking"),
    ("relatedSearches", "related_searches"),
    ("spellSuggestions", "spell_suggestions"),
    ("computation", "computation"),
    ("entities", "entities"),
    ("images", "images"),
    ("news", "news"),
    ("places", "places"),
    ("timeZone", "time_zone"),
    ("translations", "translations"),
    ("videos", "videos"),
];

impl Wire for WebAnswer {
    type Record = BingWebPage;
    const PATH: &'static str = "/search";
    const LARGEST_PAGE: usize = 50;
    const IS_NEWS: bool = false;

    fn into_answer(mut self, markup: Markup) -> Answer<BingWebPage> {
        let mut metadata = Metadata::new();
        if let Some(context) = self.query_context {
            context.describe(&mut metadata);
        }
        for (name, known_as) in OTHERS {
            set(&mut metadata, known_as, self.others.remove(*name));
        }
        let Some(pages) = self.web_pages else {
            // The service leaves the whole object out if it finds nothing.
            return Answer { records: Vec::new(), total: Some(0), metadata };
        };
        set(&mut metadata, "web_search_url", pages.web_search_url);
        let mut records = pages.value.into_readable(CONNECTOR);
        records.iter_mut().for_each(|page| page.clean(markup));
        Answer { records, total: pages.total_estimated_matches, metadata }
    }

    fn link(record: &BingWebPage) -> &str {
        &record.url
    }
}

pub(crate) fn describe_headers(headers: &HeaderMap, metadata: &mut Metadata) {
    let names = [
        ("bingapis-traceid", "request_id"),
        ("bingapis-market", "market"),
        ("x-msedge-clientid", "client_id"),
    ];
    for (header, name) in names {
        let value = headers.get(header).and_then(|value| value.to_str().ok());
        set(metadata, name, value);
    }
}

#[derive(Deserialize)]
struct ErrorBody {
    #[serde(default, deserialize_with = "readable_values")]
    errors: Vec<ErrorItem>,
    /// From the gateway in front of the service.
    #[serde(default, deserialize_with = "value_or_none")]
    error: Option<ErrorItem>,
    #[serde(default, deserialize_with = "value_or_none")]
    message: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct ErrorItem {
    #[serde(deserialize_with = "value_or_none")]
    code: Option<String>,
    #[serde(deserialize_with = "value_or_none")]
    sub_code: Option<String>,
    #[serde(deserialize_with = "value_or_none")]
    message: Option<String>,
    #[serde(deserialize_with = "value_or_none")]
    more_details: Option<String>,
    #[serde(deserialize_with = "value_or_none")]
    parameter: Option<String>,
}

/// Reads an error that a gateway sends with success.
pub(crate) fn read_success_error(answer: &ErrorAnswer<'_>) -> Option<ProviderError> {
    let body: ErrorBody = answer.json()?;
    if body.errors.is_empty() && body.error.is_none() {
        return None;
    }
    read_error(answer, false)
}

/// `is_public`: the endpoint that Microsoft retired.
pub(crate) fn read_error(answer: &ErrorAnswer<'_>, is_public: bool) -> Option<ProviderError> {
    let is_gone = is_public && matches!(answer.status.as_u16(), 401 | 403 | 404 | 410);
    let body: Option<ErrorBody> = answer.json();
    if body.is_none() && !is_gone {
        return None;
    }
    let (item, plain) = body.map_or_else(Default::default, |body| {
        (body.errors.into_iter().next().or(body.error).unwrap_or_default(), body.message)
    });
    let parameter = item.parameter.map(|name| format!("parameter `{name}`"));
    let gone = is_gone.then(|| {
        "Microsoft retired the public Bing Search APIs on 2025-08-11; set another endpoint"
            .to_owned()
    });
    let words: Vec<String> = [item.message.or(plain), item.more_details, parameter, gone]
        .into_iter()
        .flatten()
        .collect();
    let words = words.join("; ");
    let code = match (item.code, item.sub_code) {
        (Some(code), Some(sub_code)) => Some(format!("{code}/{sub_code}")),
        (code, sub_code) => code.or(sub_code),
    };
    let mut error = ProviderError::default();
    if let Some(kind) = kind_of(code.as_deref().unwrap_or_default(), &words) {
        error = error.with_kind(kind);
    }
    if !words.is_empty() {
        error = error.with_message(words);
    }
    Some(match code {
        Some(code) => error.with_code(code),
        None => error,
    })
}

fn kind_of(code: &str, words: &str) -> Option<ErrorKind> {
    if words.to_ascii_lowercase().contains("call volume quota") {
        return Some(ErrorKind::QuotaExceeded);
    }
    match code.split('/').next()? {
        "InvalidAuthorization" | "InsufficientAuthorization" => Some(ErrorKind::Authentication),
        "RateLimitExceeded" => Some(ErrorKind::RateLimited),
        "ServerError" => Some(ErrorKind::Unavailable),
        _ => None,
    }
}
