//! A web page as a record: every field that Brave documents, as text and as a result.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use textsearch_core::{
    DateTime, TextSearchRecord, TextSearchResult,
    web::{Marks, readable_values, value_or_default, value_or_none},
};

/// What Brave marks the words of the query with.
const MARKS: Marks = Marks::html(&["strong", "b", "em"]);

/// A web page as Brave finds it.
///
/// Each field is one of the
/// [reference](https://api-dashboard.search.brave.com/api-reference/web/search/get), under its name there in
/// `PascalCase`. What Brave did not send is left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all(serialize = "PascalCase", deserialize = "snake_case"), default)]
#[schemars(description = "A web page that Brave Search found")]
#[non_exhaustive]
pub struct BraveWebPage {
    /// The title.
    #[serde(deserialize_with = "value_or_default")]
    pub title: String,
    /// The address.
    #[serde(deserialize_with = "value_or_default")]
    pub url: String,
    /// The snippet: what the page says of the query.
    #[serde(deserialize_with = "value_or_default")]
    pub description: String,
    /// More excerpts of the page.
    #[serde(deserialize_with = "readable_values", skip_serializing_if = "Vec::is_empty")]
    pub extra_snippets: Vec<String>,
    /// When the page was published or last changed, as Brave writes it, such as `2025-03-31T08:00:00`.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub page_age: Option<String>,
    /// The same for people, such as `2 days ago`.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub age: Option<String>,
    /// The main language of the page.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Whether the page is fit for everyone.
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
    /// The kind of page, such as `generic` or `article`.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub subtype: Option<String>,
    /// The type of the content, such as `pdf`.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// When Brave last read the page, in seconds since 1970.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub fetched_content_timestamp: Option<i64>,
    /// Who publishes the page.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub profile: Option<BraveProfile>,
    /// The parts of the address.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub meta_url: Option<BraveMetaUrl>,
    /// An image of the page.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub thumbnail: Option<BraveThumbnail>,
    /// Links, news and images of the same site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deep_results: Option<Value>,
    /// The structured data of the page, as schema.org defines it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schemas: Option<Value>,
    /// What kind of thing the page is about: `Article`, `Book`, `CreativeWork`, `Faq`, `Location`, `Movie`,
    /// `MusicRecording`, `Organization`, `Product`, `Qa`, `Rating`, `Recipe`, `Review`, `Software` or `Video`, each
    /// with what Brave knows of it, and any field that is not listed here.
    #[serde(flatten, skip_serializing_if = "Map::is_empty")]
    pub details: Map<String, Value>,
    /// Whether title, snippet and excerpts hold markup.
    #[serde(skip)]
    has_markup: bool,
}

/// Who publishes a page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all(serialize = "PascalCase", deserialize = "snake_case"), default)]
#[non_exhaustive]
pub struct BraveProfile {
    /// The short name.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The long name.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub long_name: Option<String>,
    /// The address.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The address of an image.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub img: Option<String>,
}

/// The parts of an address.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all(serialize = "PascalCase", deserialize = "snake_case"), default)]
#[non_exhaustive]
pub struct BraveMetaUrl {
    /// The protocol, such as `https`.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub scheme: Option<String>,
    /// The network location.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub netloc: Option<String>,
    /// The host in small letters.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub hostname: Option<String>,
    /// The address of the site's icon.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub favicon: Option<String>,
    /// The path as one shows it to people.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// An image of a page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all(serialize = "PascalCase", deserialize = "snake_case"), default)]
#[non_exhaustive]
pub struct BraveThumbnail {
    /// The address of the image as Brave serves it.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub src: Option<String>,
    /// The address of the image at its origin.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub original: Option<String>,
    /// The description of the image.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub alt: Option<String>,
    /// The height in pixels.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// The width in pixels.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// The colour behind it.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub bg_color: Option<String>,
    /// Whether the image is a logo.
    #[serde(deserialize_with = "value_or_none", skip_serializing_if = "Option::is_none")]
    pub logo: Option<bool>,
    /// Whether the image is copied to Brave.
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

    /// Makes the page what is handed out: its details get names like those of the other fields, and the markup goes
    /// unless it is to be kept.
    pub(crate) fn finish(&mut self, markup_kept: bool) {
        if !self.details.is_empty() {
            let details = std::mem::take(&mut self.details).into_iter();
            self.details = details.map(|(name, value)| (pascal_case(&name), value)).collect();
        }
        self.has_markup = markup_kept;
        if !markup_kept {
            self.remove_markup();
        }
    }

    fn remove_markup(&mut self) {
        remove_marks(&mut self.title);
        remove_marks(&mut self.description);
        self.extra_snippets.iter_mut().for_each(remove_marks);
    }
}

fn remove_marks(text: &mut String) {
    if let Cow::Owned(plain) = MARKS.removed(text) {
        *text = plain;
    }
}

/// `creative_work` as `CreativeWork`.
fn pascal_case(name: &str) -> String {
    let words = name.split('_').filter(|word| !word.is_empty());
    words
        .map(|word| {
            let mut letters = word.chars();
            letters
                .next()
                .map(|first| first.to_ascii_uppercase())
                .into_iter()
                .chain(letters)
                .collect::<String>()
        })
        .collect()
}
