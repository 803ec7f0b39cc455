//! News articles and the responses of a news search.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use textsearch_core::{
    TextSearchRecord, TextSearchResult,
    results::Metadata,
    web::{ResultList, readable_values, set, value_or_default, value_or_none},
};

use crate::{
    CONNECTOR,
    response::{Answer, BingThing, Markup, QueryContext, Wire, published},
};

/// A news article found by Bing.
///
/// See the
/// [reference](https://learn.microsoft.com/bing/search-apis/bing-news-search/reference/response-objects#newsarticle).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all(serialize = "PascalCase", deserialize = "camelCase"))]
#[non_exhaustive]
pub struct BingNewsArticle {
    /// Title of the article.
    #[serde(deserialize_with = "value_or_default")]
    pub name: String,
    /// Short description.
    #[serde(deserialize_with = "value_or_default")]
    pub description: String,
    /// URL of the article.
    #[serde(deserialize_with = "value_or_default")]
    pub url: String,
    /// Time when the service discovered the article.
    #[serde(deserialize_with = "value_or_none")]
    pub date_published: Option<String>,
    /// Publishers of the article.
    #[serde(deserialize_with = "readable_values", skip_serializing_if = "Vec::is_empty")]
    pub provider: Vec<BingNewsProvider>,
    /// Id of the article within the response.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Category, such as `ScienceAndTechnology`.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Whether the article is a headline.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub headline: Option<bool>,
    /// URL of the AMP version for mobile devices.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub amp_url: Option<String>,
    /// Image of the article.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub image: Option<BingNewsImage>,
    /// Video of the article.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub video: Option<Value>,
    /// Subjects of the article.
    #[serde(deserialize_with = "readable_values", skip_serializing_if = "Vec::is_empty")]
    pub about: Vec<BingThing>,
    /// Entities that the article mentions.
    #[serde(deserialize_with = "readable_values", skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<BingThing>,
    /// Articles on the same story.
    #[serde(deserialize_with = "readable_values", skip_serializing_if = "Vec::is_empty")]
    pub clustered_articles: Vec<BingNewsArticle>,
    /// Attributions that the contract requires with the article.
    #[serde(deserialize_with = "readable_values", skip_serializing_if = "Vec::is_empty")]
    pub contractual_rules: Vec<Value>,
    /// Name and description without marks, if the record contains marks.
    #[serde(skip)]
    plain: Option<(String, String)>,
}

/// A publisher of news.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all(serialize = "PascalCase", deserialize = "camelCase"))]
#[non_exhaustive]
pub struct BingNewsProvider {
    /// Name.
    #[serde(deserialize_with = "value_or_none")]
    pub name: Option<String>,
    /// Logo.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub image: Option<BingNewsImage>,
}

/// An image of an article.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all(serialize = "PascalCase", deserialize = "camelCase"))]
#[non_exhaustive]
pub struct BingNewsImage {
    /// URL of the page with the image.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// URL of the image, if original images are requested.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub content_url: Option<String>,
    /// Thumbnail.
    #[serde(deserialize_with = "value_or_none")]
    pub thumbnail: Option<BingNewsThumbnail>,
    /// Owners of the image.
    #[serde(deserialize_with = "readable_values", skip_serializing_if = "Vec::is_empty")]
    pub provider: Vec<BingThing>,
}

/// A thumbnail.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all(serialize = "PascalCase", deserialize = "camelCase"))]
#[non_exhaustive]
pub struct BingNewsThumbnail {
    /// URL of the thumbnail.
    #[serde(deserialize_with = "value_or_none")]
    pub content_url: Option<String>,
    /// Width in pixels.
    #[serde(deserialize_with = "value_or_none")]
    pub width: Option<u32>,
    /// Height in pixels.
    #[serde(deserialize_with = "value_or_none")]
    pub height: Option<u32>,
}

impl TextSearchRecord for BingNewsArticle {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.plain.as_ref().map_or(&self.description, |(_, text)| text))
    }

    fn to_result(&self) -> TextSearchResult {
        let name = self.plain.as_ref().map_or(&self.name, |(name, _)| name);
        let mut result = TextSearchResult::new(self.text()).with_name(name).with_link(&self.url);
        result.id.clone_from(&self.id);
        result.published = published(self.date_published.as_deref());
        let providers = self.provider.iter().filter_map(|provider| provider.name.clone());
        let providers: Vec<String> = providers.collect();
        if !providers.is_empty() {
            result = result.with_metadata("provider", providers);
        }
        set(&mut result.metadata, "category", self.category.clone());
        result
    }
}

impl BingNewsArticle {
    fn clean(&mut self, markup: Markup) {
        let plain = (markup.removed(&self.name), markup.removed(&self.description));
        if markup.are_kept {
            self.plain = Some(plain);
        } else {
            (self.name, self.description) = plain;
        }
        self.clustered_articles.iter_mut().for_each(|article| article.clean(markup));
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewsAnswer {
    #[serde(default, deserialize_with = "value_or_none")]
    total_estimated_matches: Option<u64>,
    #[serde(default, deserialize_with = "value_or_none")]
    query_context: Option<QueryContext>,
    sort: Option<Value>,
    related_topics: Option<Value>,
    #[serde(default)]
    value: ResultList<BingNewsArticle>,
}

impl Wire for NewsAnswer {
    type Record = BingNewsArticle;
    const PATH: &'static str = "/news/search";
    const LARGEST_PAGE: usize = 100;
    const IS_NEWS: bool = true;

    fn into_answer(self, markup: Markup) -> Answer<BingNewsArticle> {
        let mut metadata = Metadata::new();
        if let Some(context) = self.query_context {
            context.describe(&mut metadata);
        }
        set(&mut metadata, "sort", self.sort);
        set(&mut metadata, "related_topics", self.related_topics);
        let mut records = self.value.into_readable(CONNECTOR);
        records.iter_mut().for_each(|article| article.clean(markup));
        Answer { records, total: self.total_estimated_matches, metadata }
    }

    fn link(record: &BingNewsArticle) -> &str {
        &record.url
    }
}
