//! Web pages and news articles.

use std::{borrow::Cow, fmt};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use textsearch_core::{
    TextSearchRecord, TextSearchResult,
    filter::DateTime,
    web::{Marks, records, rename_details, set, value_or_none},
};

records! {
    "camelCase";

    /// A web page found by Bing.
    ///
    /// See the
    /// [reference](https://learn.microsoft.com/bing/search-apis/bing-web-search/reference/response-objects#webpage).
    pub struct BingWebPage {
        /// Title of the page.
        pub name: String,
        /// Snippet: the part of the page about the query.
        pub snippet: String,
        /// URL of the page.
        pub url: String,
        /// URL for display, possibly shortened.
        pub display_url: String,
        /// Time when the service last crawled the page.
        #[serde(deserialize_with = "value_or_none")]
        pub date_last_crawled: Option<String>,
        /// Id of the page within the response.
        pub id: Option<String>,
        /// Publication time.
        pub date_published: Option<String>,
        /// Language of the page.
        pub language: Option<String>,
        /// Whether the page is free of adult content.
        pub is_family_friendly: Option<bool>,
        /// Whether the query aimed at exactly this page.
        pub is_navigational: Option<bool>,
        /// Main image on the page.
        pub primary_image_of_page: Option<BingPageImage>,
        /// Pages of the same site.
        pub deep_links: Vec<BingDeepLink>,
        /// Subjects of the page.
        pub about: Vec<BingThing>,
        /// Entities that the page mentions.
        pub mentions: Vec<BingThing>,
        /// Meta tags that the page's author wrote for search engines.
        pub search_tags: Vec<BingMetaTag>,
        /// Attributions that the contract requires with the page.
        pub contractual_rules: Vec<Value>,
        /// Other fields, such as `SiteName`, `ThumbnailUrl`, `NoCache` and `Malware`.
        #[serde(flatten, skip_serializing_if = "Map::is_empty")]
        pub details: Map<String, Value>,
        /// The marks in name and snippet, if they are kept.
        #[serde(skip)]
        pub(crate) marks: Option<Marks>,
    }

    /// A page on the same site as another.
    pub struct BingDeepLink {
        /// Title of the page.
        pub name: Option<String>,
        /// URL of the page.
        pub url: Option<String>,
        /// Excerpt of the page.
        pub snippet: Option<String>,
        /// Pages below it.
        pub deep_links: Vec<BingDeepLink>,
    }

    /// A meta tag that a page's author wrote for search engines.
    pub struct BingMetaTag {
        /// Name of the tag.
        pub name: Option<String>,
        /// Content of the tag.
        pub content: Option<String>,
    }

    /// A person, a place or an organization.
    pub struct BingThing {
        /// Name.
        pub name: Option<String>,
        /// URL with more information.
        pub read_link: Option<String>,
        /// Logo of an organization.
        pub image: Option<BingNewsImage>,
    }

    /// Main image of a page.
    pub struct BingPageImage {
        /// URL of the thumbnail.
        pub thumbnail_url: Option<String>,
        /// Width of the thumbnail in pixels.
        pub width: Option<u32>,
        /// Height of the thumbnail in pixels.
        pub height: Option<u32>,
        /// Id of the image in the service.
        pub image_id: Option<String>,
    }

    /// A news article found by Bing.
    ///
    /// See the
    /// [reference](https://learn.microsoft.com/bing/search-apis/bing-news-search/reference/response-objects#newsarticle).
    pub struct BingNewsArticle {
        /// Title of the article.
        pub name: String,
        /// Short description.
        pub description: String,
        /// URL of the article.
        pub url: String,
        /// Time when the service discovered the article.
        #[serde(deserialize_with = "value_or_none")]
        pub date_published: Option<String>,
        /// Publishers of the article.
        pub provider: Vec<BingThing>,
        /// Id of the article within the response.
        pub id: Option<String>,
        /// Category, such as `ScienceAndTechnology`.
        pub category: Option<String>,
        /// Whether the article is a headline.
        pub headline: Option<bool>,
        /// Image of the article.
        pub image: Option<BingNewsImage>,
        /// Subjects of the article.
        pub about: Vec<BingThing>,
        /// Entities that the article mentions.
        pub mentions: Vec<BingThing>,
        /// Articles on the same story.
        pub clustered_articles: Vec<BingNewsArticle>,
        /// Attributions that the contract requires with the article.
        pub contractual_rules: Vec<Value>,
        /// Other fields, such as `AmpUrl` and `Video`.
        #[serde(flatten, skip_serializing_if = "Map::is_empty")]
        pub details: Map<String, Value>,
        /// The marks in name and description, if they are kept.
        #[serde(skip)]
        pub(crate) marks: Option<Marks>,
    }

    /// An image of an article, or its thumbnail.
    pub struct BingNewsImage {
        /// URL of the page with the image.
        pub url: Option<String>,
        /// URL of the image; of an original image, if requested.
        pub content_url: Option<String>,
        /// Thumbnail.
        pub thumbnail: Option<Box<BingNewsImage>>,
        /// Width in pixels.
        pub width: Option<u32>,
        /// Height in pixels.
        pub height: Option<u32>,
        /// Owners of the image.
        pub provider: Vec<BingThing>,
    }
}

/// What differs between searches for pages and for news. Sealed: the module is private.
pub trait BingRecord: TextSearchRecord + DeserializeOwned + fmt::Debug {
    const IS_NEWS: bool;
    const PATH: &'static str;
    const MAX_PAGE: usize;

    fn url(&self) -> &str;

    /// Removes the marks, or keeps them in the record only.
    fn clean(&mut self, marks: Marks, are_kept: bool);
}

impl BingRecord for BingWebPage {
    const IS_NEWS: bool = false;
    const PATH: &'static str = "/search";
    const MAX_PAGE: usize = 50;

    fn url(&self) -> &str {
        &self.url
    }

    fn clean(&mut self, marks: Marks, are_kept: bool) {
        rename_details(&mut self.details);
        self.marks = are_kept.then_some(marks);
        if !are_kept {
            marks.remove(&mut self.name);
            marks.remove(&mut self.snippet);
        }
    }
}

impl BingRecord for BingNewsArticle {
    const IS_NEWS: bool = true;
    const PATH: &'static str = "/news/search";
    const MAX_PAGE: usize = 100;

    fn url(&self) -> &str {
        &self.url
    }

    fn clean(&mut self, marks: Marks, are_kept: bool) {
        rename_details(&mut self.details);
        self.marks = are_kept.then_some(marks);
        if !are_kept {
            marks.remove(&mut self.name);
            marks.remove(&mut self.description);
        }
        self.clustered_articles.iter_mut().for_each(|article| article.clean(marks, are_kept));
    }
}

impl TextSearchRecord for BingWebPage {
    fn text(&self) -> Cow<'_, str> {
        plain(&self.snippet, self.marks)
    }

    fn to_result(&self) -> TextSearchResult {
        let name = plain(&self.name, self.marks);
        let mut result = TextSearchResult::new(self.text()).with_name(name).with_link(&self.url);
        result.id.clone_from(&self.id);
        result.published = published(self.date_published.as_deref());
        set(&mut result.metadata, "date_last_crawled", self.date_last_crawled.as_deref());
        result
    }
}

impl TextSearchRecord for BingNewsArticle {
    fn text(&self) -> Cow<'_, str> {
        plain(&self.description, self.marks)
    }

    fn to_result(&self) -> TextSearchResult {
        let name = plain(&self.name, self.marks);
        let mut result = TextSearchResult::new(self.text()).with_name(name).with_link(&self.url);
        result.id.clone_from(&self.id);
        result.published = published(self.date_published.as_deref());
        let providers = self.provider.iter().filter_map(|provider| provider.name.clone());
        let providers: Vec<String> = providers.collect();
        set(&mut result.metadata, "provider", (!providers.is_empty()).then_some(providers));
        set(&mut result.metadata, "category", self.category.as_deref());
        result
    }
}

fn plain(text: &str, marks: Option<Marks>) -> Cow<'_, str> {
    marks.map_or(Cow::Borrowed(text), |marks| marks.removed(text))
}

/// Bing's dates have seven fractional digits and sometimes no offset.
fn published(date: Option<&str>) -> Option<DateTime> {
    DateTime::parse(date?).ok()
}
