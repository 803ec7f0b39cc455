//! Web pages and news articles.

use std::borrow::Cow;

use serde_json::Value;
use textsearch_core::{
    TextSearchRecord, TextSearchResult,
    filter::DateTime,
    web::{records, set, value_or_none},
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
        /// Name of the site.
        pub site_name: Option<String>,
        /// Publication time.
        pub date_published: Option<String>,
        /// Publication date for display.
        pub date_published_display_text: Option<String>,
        /// Age of the page for display.
        pub date_published_freshness_text: Option<String>,
        /// Language of the page.
        pub language: Option<String>,
        /// Whether the page is free of adult content.
        pub is_family_friendly: Option<bool>,
        /// Whether the query aimed at exactly this page.
        pub is_navigational: Option<bool>,
        /// Whether the page must not be cached.
        pub no_cache: Option<bool>,
        /// URL of a cached copy.
        pub cached_page_url: Option<String>,
        /// URL of a thumbnail.
        pub thumbnail_url: Option<String>,
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
        /// Source and licence of the snippet.
        pub snippet_attribution: Option<Value>,
        /// Harmful content that the service found on the page.
        pub malware: Option<Value>,
        /// A table or a list from the page.
        pub rich_caption: Option<Value>,
        /// A video on the page.
        pub video: Option<Value>,
        /// Name and snippet without marks, if the record contains marks.
        #[serde(skip)]
        pub(crate) plain: Option<(String, String)>,
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

    /// A named entity, such as a person or a place.
    pub struct BingThing {
        /// Name.
        pub name: Option<String>,
        /// URL with more information.
        pub read_link: Option<String>,
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
        pub provider: Vec<BingNewsProvider>,
        /// Id of the article within the response.
        pub id: Option<String>,
        /// Category, such as `ScienceAndTechnology`.
        pub category: Option<String>,
        /// Whether the article is a headline.
        pub headline: Option<bool>,
        /// URL of the AMP version for mobile devices.
        pub amp_url: Option<String>,
        /// Image of the article.
        pub image: Option<BingNewsImage>,
        /// Video of the article.
        pub video: Option<Value>,
        /// Subjects of the article.
        pub about: Vec<BingThing>,
        /// Entities that the article mentions.
        pub mentions: Vec<BingThing>,
        /// Articles on the same story.
        pub clustered_articles: Vec<BingNewsArticle>,
        /// Attributions that the contract requires with the article.
        pub contractual_rules: Vec<Value>,
        /// Name and description without marks, if the record contains marks.
        #[serde(skip)]
        pub(crate) plain: Option<(String, String)>,
    }

    /// A publisher of news.
    pub struct BingNewsProvider {
        /// Name.
        pub name: Option<String>,
        /// Logo.
        pub image: Option<BingNewsImage>,
    }

    /// An image of an article.
    pub struct BingNewsImage {
        /// URL of the page with the image.
        pub url: Option<String>,
        /// URL of the image, if original images are requested.
        pub content_url: Option<String>,
        /// Thumbnail.
        pub thumbnail: Option<BingNewsThumbnail>,
        /// Owners of the image.
        pub provider: Vec<BingThing>,
    }

    /// A thumbnail.
    pub struct BingNewsThumbnail {
        /// URL of the thumbnail.
        pub content_url: Option<String>,
        /// Width in pixels.
        pub width: Option<u32>,
        /// Height in pixels.
        pub height: Option<u32>,
    }
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
        set(&mut result.metadata, "provider", (!providers.is_empty()).then_some(providers));
        set(&mut result.metadata, "category", self.category.clone());
        result
    }
}

/// Bing's dates have seven fractional digits and sometimes no offset.
pub(crate) fn published(date: Option<&str>) -> Option<DateTime> {
    DateTime::parse(date?).ok()
}
