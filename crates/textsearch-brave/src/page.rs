//! A web page as a record.

use std::borrow::Cow;

use serde_json::{Map, Value};
use textsearch_core::{
    TextSearchRecord, TextSearchResult,
    filter::DateTime,
    web::{Marks, records, rename_details},
};

/// Tags that Brave uses to highlight query words.
const MARKS: Marks = Marks::Html(&["strong", "b", "em"]);

records! {
    "snake_case";

    /// A web page found by Brave.
    ///
    /// Each field is one of the
    /// [reference](https://api-dashboard.search.brave.com/api-reference/web/search/get), under the
    /// same name in `PascalCase`. Missing values are left out.
    #[schemars(description = "A web page that Brave Search found")]
    pub struct BraveWebPage {
        /// Title of the page.
        pub title: String,
        /// URL of the page.
        pub url: String,
        /// Snippet: the part of the page about the query.
        pub description: String,
        /// More excerpts of the page.
        pub extra_snippets: Vec<String>,
        /// Time of publication or last change, as Brave writes it, such as `2025-03-31T08:00:00`.
        pub page_age: Option<String>,
        /// Age as readable text, such as `2 days ago`.
        pub age: Option<String>,
        /// Main language of the page.
        pub language: Option<String>,
        /// Whether the page is free of adult content.
        pub family_friendly: Option<bool>,
        /// Whether the page is live now.
        pub is_live: Option<bool>,
        /// Time when Brave last fetched the page, in seconds since 1970.
        pub fetched_content_timestamp: Option<i64>,
        /// Publisher of the page.
        pub profile: Option<BraveProfile>,
        /// Parts of the URL.
        pub meta_url: Option<BraveMetaUrl>,
        /// Image of the page.
        pub thumbnail: Option<BraveThumbnail>,
        /// Other fields: data about the page's subject under its kind, such as `Article` or `Product`,
        /// `Schemas` as defined by schema.org, `DeepResults` from the same site, `Subtype` and others.
        #[serde(flatten, skip_serializing_if = "Map::is_empty")]
        pub details: Map<String, Value>,
        /// Whether title, snippet and excerpts contain markup.
        #[serde(skip)]
        has_markup: bool,
    }

    /// Publisher of a page.
    pub struct BraveProfile {
        /// Short name.
        pub name: Option<String>,
        /// Long name.
        pub long_name: Option<String>,
        /// URL of the publisher.
        pub url: Option<String>,
        /// URL of an image.
        pub img: Option<String>,
    }

    /// Parts of a URL.
    pub struct BraveMetaUrl {
        /// Protocol, such as `https`.
        pub scheme: Option<String>,
        /// Network location.
        pub netloc: Option<String>,
        /// Host in lower case.
        pub hostname: Option<String>,
        /// URL of the site's icon.
        pub favicon: Option<String>,
        /// Path in readable form.
        pub path: Option<String>,
    }

    /// Image of a page.
    pub struct BraveThumbnail {
        /// URL of the image on Brave's servers.
        pub src: Option<String>,
        /// URL of the original image.
        pub original: Option<String>,
        /// Description of the image.
        pub alt: Option<String>,
        /// Height in pixels.
        pub height: Option<u32>,
        /// Width in pixels.
        pub width: Option<u32>,
        /// Background colour.
        pub bg_color: Option<String>,
        /// Whether the image is a logo.
        pub logo: Option<bool>,
        /// Whether Brave holds a copy of the image.
        pub duplicated: Option<bool>,
    }
}

impl TextSearchRecord for BraveWebPage {
    fn text(&self) -> Cow<'_, str> {
        self.readable(&self.description)
    }

    fn to_result(&self) -> TextSearchResult {
        let name = self.readable(&self.title);
        let mut result = TextSearchResult::new(self.text()).with_name(name).with_link(&self.url);
        result.published = self.page_age.as_deref().and_then(|age| DateTime::parse(age).ok());
        result
    }
}

impl BraveWebPage {
    fn readable<'text>(&self, text: &'text str) -> Cow<'text, str> {
        if self.has_markup { MARKS.removed(text) } else { Cow::Borrowed(text) }
    }

    pub(crate) fn finish(&mut self, markup_kept: bool) {
        rename_details(&mut self.details);
        self.has_markup = markup_kept;
        if !markup_kept {
            let texts = [&mut self.title, &mut self.description].into_iter();
            texts.chain(&mut self.extra_snippets).for_each(|text| MARKS.remove(text));
        }
    }
}
