//! A web page as a record.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use textsearch_core::{
    TextSearchRecord, TextSearchResult,
    filter::DateTime,
    web::{Marks, readable_values, value_or_default, value_or_none},
};

/// Tags that Brave uses to highlight query words.
const MARKS: Marks = Marks::html(&["strong", "b", "em"]);

/// A web page found by Brave.
///
/// Each field is one of the
/// [reference](https://api-dashboard.search.brave.com/api-reference/web/search/get), under the same
/// name in `PascalCase`. Missing values are left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all(serialize = "PascalCase", deserialize = "snake_case"), default)]
#[schemars(description = "A web page that Brave Search found")]
#[non_exhaustive]
pub struct BraveWebPage {
    /// Title of the page.
    #[serde(deserialize_with = "value_or_default")]
    pub title: String,
    /// URL of the page.
    #[serde(deserialize_with = "value_or_default")]
    pub url: String,
    /// Snippet: the part of the page about the query.
    #[serde(deserialize_with = "value_or_default")]
    pub description: String,
    /// More excerpts of the page.
    #[serde(deserialize_with = "readable_values", skip_serializing_if = "Vec::is_empty")]
    pub extra_snippets: Vec<String>,
    /// Time of publication or last change, as Brave writes it, such as `2025-03-31T08:00:00`.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub page_age: Option<String>,
    /// Age as readable text, such as `2 days ago`.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub age: Option<String>,
    /// Main language of the page.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Whether the page is free of adult content.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub family_friendly: Option<bool>,
    /// Whether the page comes from the local index.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub is_source_local: Option<bool>,
    /// Whether the page comes from both indices.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub is_source_both: Option<bool>,
    /// Whether the page is live now.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub is_live: Option<bool>,
    /// Kind of page, such as `generic` or `article`.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub subtype: Option<String>,
    /// Content type, such as `pdf`.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// Time when Brave last fetched the page, in seconds since 1970.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub fetched_content_timestamp: Option<i64>,
    /// Publisher of the page.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub profile: Option<BraveProfile>,
    /// Parts of the URL.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub meta_url: Option<BraveMetaUrl>,
    /// Image of the page.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub thumbnail: Option<BraveThumbnail>,
    /// Links, news and images from the same site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deep_results: Option<Value>,
    /// Structured data of the page, as defined by schema.org.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schemas: Option<Value>,
    /// Data about the page's subject under its kind: `Article`, `Book`, `CreativeWork`, `Faq`,
    /// `Location`, `Movie`, `MusicRecording`, `Organization`, `Product`, `Qa`, `Rating`, `Recipe`,
    /// `Review`, `Software` or `Video`. Fields that aren't listed here are included too.
    #[serde(flatten, skip_serializing_if = "Map::is_empty")]
    pub details: Map<String, Value>,
    /// Whether title, snippet and excerpts contain markup.
    #[serde(skip)]
    has_markup: bool,
}

/// Publisher of a page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all(serialize = "PascalCase", deserialize = "snake_case"), default)]
#[non_exhaustive]
pub struct BraveProfile {
    /// Short name.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Long name.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub long_name: Option<String>,
    /// URL of the publisher.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// URL of an image.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub img: Option<String>,
}

/// Parts of a URL.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all(serialize = "PascalCase", deserialize = "snake_case"), default)]
#[non_exhaustive]
pub struct BraveMetaUrl {
    /// Protocol, such as `https`.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub scheme: Option<String>,
    /// Network location.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub netloc: Option<String>,
    /// Host in lower case.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub hostname: Option<String>,
    /// URL of the site's icon.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub favicon: Option<String>,
    /// Path in readable form.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// Image of a page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all(serialize = "PascalCase", deserialize = "snake_case"), default)]
#[non_exhaustive]
pub struct BraveThumbnail {
    /// URL of the image on Brave's servers.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub src: Option<String>,
    /// URL of the original image.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub original: Option<String>,
    /// Description of the image.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub alt: Option<String>,
    /// Height in pixels.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// Width in pixels.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// Background colour.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub bg_color: Option<String>,
    /// Whether the image is a logo.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub logo: Option<bool>,
    /// Whether Brave holds a copy of the image.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub duplicated: Option<bool>,
}

impl TextSearchRecord for BraveWebPage {
    fn text(&self) -> Cow<'_, str> {
        self.readable(&self.description)
    }

    fn to_result(&self) -> TextSearchResult {
        let mut result = TextSearchResult::new(self.text()).with_name(self.readable(&self.title));
        if !self.url.is_empty() {
            result = result.with_link(&self.url);
        }
        match self.page_age.as_deref().and_then(|age| DateTime::parse(age).ok()) {
            Some(published) => result.with_published(published),
            None => result,
        }
    }
}

impl BraveWebPage {
    fn readable<'text>(&self, text: &'text str) -> Cow<'text, str> {
        if self.has_markup { MARKS.removed(text) } else { Cow::Borrowed(text) }
    }

    /// Renames `details` like the other fields.
    pub(crate) fn finish(&mut self, markup_kept: bool) {
        if !self.details.is_empty() {
            let details = std::mem::take(&mut self.details).into_iter();
            self.details = details.map(|(name, value)| (pascal_case(&name), value)).collect();
        }
        self.has_markup = markup_kept;
        if !markup_kept {
            let texts = [&mut self.title, &mut self.description].into_iter();
            texts.chain(&mut self.extra_snippets).for_each(|text| MARKS.remove(text));
        }
    }
}

fn pascal_case(name: &str) -> String {
    let words = name.split('_').map(|word| {
        let mut letters = word.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    });
    words.collect()
}
