//! Responses of both kinds of search.

use std::fmt;

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use textsearch_core::{
    TextSearchRecord,
    http::HeaderMap,
    results::{Metadata, TotalCount},
    web::{Marks, ResultList, ResultPage, set, value_or_none},
};

use crate::{BingNewsArticle, BingWebPage, CONNECTOR};

/// What differs between searches for pages and for news. Sealed: the module is private.
pub trait BingRecord: TextSearchRecord + DeserializeOwned + fmt::Debug {
    const IS_NEWS: bool;
    const PATH: &'static str;
    const MAX_PAGE: usize;

    fn url(&self) -> &str;

    fn clean(&mut self, markup: Markup);
}

impl BingRecord for BingWebPage {
    const IS_NEWS: bool = false;
    const PATH: &'static str = "/search";
    const MAX_PAGE: usize = 50;

    fn url(&self) -> &str {
        &self.url
    }

    fn clean(&mut self, markup: Markup) {
        self.plain = markup.clean(&mut self.name, &mut self.snippet);
    }
}

impl BingRecord for BingNewsArticle {
    const IS_NEWS: bool = true;
    const PATH: &'static str = "/news/search";
    const MAX_PAGE: usize = 100;

    fn url(&self) -> &str {
        &self.url
    }

    fn clean(&mut self, markup: Markup) {
        self.plain = markup.clean(&mut self.name, &mut self.description);
        self.clustered_articles.iter_mut().for_each(|article| article.clean(markup));
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Markup {
    pub(crate) marks: Marks,
    pub(crate) are_kept: bool,
}

impl Markup {
    /// Removes marks, or returns plain copies if the marks are kept.
    fn clean(self, name: &mut String, text: &mut String) -> Option<(String, String)> {
        let Self { marks, are_kept } = self;
        if are_kept {
            return Some((marks.removed(name).into_owned(), marks.removed(text).into_owned()));
        }
        marks.remove(name);
        marks.remove(text);
        None
    }
}

/// A response: `web_pages` of a search for pages, `value` of one for news.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", bound = "R: DeserializeOwned")]
pub struct Answer<R> {
    web_pages: Option<WebPages<R>>,
    #[serde(default)]
    value: ResultList<R>,
    #[serde(default, deserialize_with = "value_or_none")]
    total_estimated_matches: Option<u64>,
    #[serde(flatten)]
    facts: Value,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", bound = "R: DeserializeOwned")]
struct WebPages<R> {
    #[serde(default)]
    value: ResultList<R>,
    #[serde(default, deserialize_with = "value_or_none")]
    total_estimated_matches: Option<u64>,
    #[serde(default, deserialize_with = "value_or_none")]
    web_search_url: Option<String>,
}

impl<R: BingRecord> Answer<R> {
    pub(crate) fn into_page(self, headers: &HeaderMap, markup: Markup) -> ResultPage<R> {
        let mut metadata = metadata(self.facts, headers);
        let (results, total_count) = match self.web_pages {
            Some(pages) => {
                set(&mut metadata, "web_search_url", pages.web_search_url);
                (pages.value, pages.total_estimated_matches)
            }
            None if R::IS_NEWS => (self.value, self.total_estimated_matches),
            // The service leaves the whole object out if it finds nothing.
            None => (ResultList::default(), Some(0)),
        };
        let mut page = ResultPage::of(CONNECTOR, results).with_metadata(metadata);
        page.records.iter_mut().for_each(|record| record.clean(markup));
        page.with_total_count(total_count.map(TotalCount::Estimated))
    }
}

/// For each fact about a search: its place in a response, and its name in the metadata.
const FACTS: &[(&str, &str)] = &[
    ("/queryContext/originalQuery", "original_query"),
    ("/queryContext/alteredQuery", "altered_query"),
    ("/queryContext/alterationDisplayQuery", "alteration_display_query"),
    ("/queryContext/alterationOverrideQuery", "alteration_override_query"),
    ("/queryContext/adultIntent", "adult_intent"),
    ("/queryContext/askUserForLocation", "ask_user_for_location"),
    ("/queryContext/isTransactional", "is_transactional"),
    ("/rankingResponse", "ranking"),
    ("/relatedSearches", "related_searches"),
    ("/spellSuggestions", "spell_suggestions"),
    ("/computation", "computation"),
    ("/entities", "entities"),
    ("/images", "images"),
    ("/news", "news"),
    ("/places", "places"),
    ("/timeZone", "time_zone"),
    ("/translations", "translations"),
    ("/videos", "videos"),
    ("/sort", "sort"),
    ("/relatedTopics", "related_topics"),
];

const HEADERS: &[(&str, &str)] = &[
    ("bingapis-traceid", "request_id"),
    ("bingapis-market", "market"),
    ("x-msedge-clientid", "client_id"),
];

fn metadata(mut facts: Value, headers: &HeaderMap) -> Metadata {
    let mut metadata = Metadata::new();
    for (place, name) in FACTS {
        let is_right = |fact: &Value| match *name {
            "adult_intent" | "ask_user_for_location" | "is_transactional" => fact.is_boolean(),
            name if name.ends_with("_query") => fact.is_string(),
            _ => !fact.is_null(),
        };
        set(&mut metadata, name, facts.pointer_mut(place).map(Value::take).filter(is_right));
    }
    for (header, name) in HEADERS {
        set(&mut metadata, name, headers.get(*header).and_then(|value| value.to_str().ok()));
    }
    metadata
}
