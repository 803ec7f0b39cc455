//! News articles, as News Search answers with them.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use textsearch_core::{
    Metadata, TextSearchRecord, TextSearchResult,
    web::{ResultList, readable_values, set, value_or_default, value_or_none},
};

use crate::{
    CONNECTOR,
    response::{Answer, BingThing, Markup, QueryContext, Wire, published},
};

/// A news article, with all that the service says of it.
///
/// See the [reference](https://learn.microsoft.com/bing/search-apis/bing-news-search/reference/response-objects#newsarticle).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all(serialize = "PascalCase", deserialize = "camelCase"))]
#[non_exhaustive]
pub struct BingNewsArticle {
    /// The title of the article.
    #[serde(deserialize_with = "value_or_default")]
    pub name: String,
    /// A short description of it.
    #[serde(deserialize_with = "value_or_default")]
    pub description: String,
    /// Where it can be read.
    #[serde(deserialize_with = "value_or_default")]
    pub url: String,
    /// When the service discovered it.
    #[serde(deserialize_with = "value_or_none")]
    pub date_published: Option<String>,
    /// The news organisations that run it.
    #[serde(deserialize_with = "readable_values", skip_serializing_if = "Vec::is_empty")]
    pub provider: Vec<BingNewsProvider>,
    /// The name of the article within the answer.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The category, such as `ScienceAndTechnology`.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Whether it is a headline.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub headline: Option<bool>,
    /// Where its form for small screens is.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub amp_url: Option<String>,
    /// An image to it.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub image: Option<BingNewsImage>,
    /// A video to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub video: Option<Value>,
    /// What it is about.
    #[serde(deserialize_with = "readable_values", skip_serializing_if = "Vec::is_empty")]
    pub about: Vec<BingThing>,
    /// What it mentions.
    #[serde(deserialize_with = "readable_values", skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<BingThing>,
    /// Articles on the same matter.
    #[serde(deserialize_with = "readable_values", skip_serializing_if = "Vec::is_empty")]
    pub clustered_articles: Vec<BingNewsArticle>,
    /// What has to be shown with the article by contract.
    #[serde(deserialize_with = "readable_values", skip_serializing_if = "Vec::is_empty")]
    pub contractual_rules: Vec<Value>,
    /// Name and description without marks, where the record has them.
    #[serde(skip)]
    plain: Option<(String, String)>,
}

/// A news organisation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all(serialize = "PascalCase", deserialize = "camelCase"))]
#[non_exhaustive]
pub struct BingNewsProvider {
    /// Its name.
    #[serde(deserialize_with = "value_or_none")]
    pub name: Option<String>,
    /// Its sign.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub image: Option<BingNewsImage>,
}

/// An image to an article.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all(serialize = "PascalCase", deserialize = "camelCase"))]
#[non_exhaustive]
pub struct BingNewsImage {
    /// Where the page of the image is.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Where the image is, where original images are asked for.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub content_url: Option<String>,
    /// A small form of it.
    #[serde(deserialize_with = "value_or_none")]
    pub thumbnail: Option<BingNewsThumbnail>,
    /// Whose image it is.
    #[serde(deserialize_with = "readable_values", skip_serializing_if = "Vec::is_empty")]
    pub provider: Vec<BingThing>,
}

/// A small image.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all(serialize = "PascalCase", deserialize = "camelCase"))]
#[non_exhaustive]
pub struct BingNewsThumbnail {
    /// Where it is.
    #[serde(deserialize_with = "value_or_none")]
    pub content_url: Option<String>,
    /// Its width in pixels.
    #[serde(deserialize_with = "value_or_none")]
    pub width: Option<u32>,
    /// Its height in pixels.
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

/// The answer to a news search.
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
