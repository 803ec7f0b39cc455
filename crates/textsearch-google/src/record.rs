//! Records.

use std::borrow::Cow;

use serde_json::Value;
use textsearch_core::{
    TextSearchRecord, TextSearchResult,
    filter::DateTime,
    web::{records, set, value_or_none},
};

records! {
    "camelCase";

    /// A web page or an image found by Google.
    ///
    /// See the
    /// [reference](https://developers.google.com/custom-search/v1/reference/rest/v1/Search#result).
    /// `title` and `snippet` are plain text. `html_title` and `html_snippet` highlight query words
    /// with `<b>`.
    pub struct GoogleWebPage {
        /// Title of the page.
        pub title: String,
        /// Snippet: the part of the page about the query.
        pub snippet: String,
        /// URL of the page or the image.
        pub link: String,
        /// Host of the URL.
        pub display_link: String,
        /// URL for display, possibly shortened.
        pub formatted_url: Option<String>,
        /// Title in HTML.
        pub html_title: Option<String>,
        /// Snippet in HTML.
        pub html_snippet: Option<String>,
        /// Id of Google's cached copy.
        pub cache_id: Option<String>,
        /// Media type of the page.
        pub mime: Option<String>,
        /// File format, such as `PDF/Adobe Acrobat`.
        pub file_format: Option<String>,
        /// Structured metadata of the page, by kind.
        pub pagemap: Option<Value>,
        /// Labels that the search engine assigns to the page.
        pub labels: Vec<GoogleLabel>,
        /// Details of the image, in an image search.
        pub image: Option<GoogleImage>,
    }

    /// A label that the search engine assigns to a page.
    pub struct GoogleLabel {
        /// Name.
        pub name: Option<String>,
        /// Name for display.
        pub display_name: Option<String>,
        /// Label as an operator in a query.
        #[serde(rename(deserialize = "label_with_op"), deserialize_with = "value_or_none")]
        pub label_with_op: Option<String>,
    }

    /// An image: its page and its sizes.
    pub struct GoogleImage {
        /// URL of the page that shows the image.
        pub context_link: Option<String>,
        /// Height in pixels.
        pub height: Option<u32>,
        /// Width in pixels.
        pub width: Option<u32>,
        /// Size in bytes.
        pub byte_size: Option<u64>,
        /// URL of the thumbnail.
        pub thumbnail_link: Option<String>,
        /// Height of the thumbnail in pixels.
        pub thumbnail_height: Option<u32>,
        /// Width of the thumbnail in pixels.
        pub thumbnail_width: Option<u32>,
    }
}

impl TextSearchRecord for GoogleWebPage {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(if self.snippet.is_empty() { &self.title } else { &self.snippet })
    }

    fn to_result(&self) -> TextSearchResult {
        let mut result =
            TextSearchResult::new(self.text()).with_name(&self.title).with_link(&self.link);
        result.published = self.published();
        set(&mut result.metadata, "page", self.image_page());
        set(&mut result.metadata, "mime", self.mime.as_deref());
        result
    }
}

impl GoogleWebPage {
    fn published(&self) -> Option<DateTime> {
        let tags = self.pagemap.as_ref()?.pointer("/metatags/0")?;
        let names = ["article:published_time", "og:published_time", "datepublished", "date"];
        let mut dates = names.into_iter().filter_map(|name| tags.get(name)?.as_str());
        dates.find_map(|date| DateTime::parse(date).ok())
    }

    /// The page that shows the image.
    pub(crate) fn image_page(&self) -> Option<&str> {
        self.image.as_ref()?.context_link.as_deref()
    }

    /// The service inserts line breaks.
    pub(crate) fn remove_line_breaks(&mut self) {
        for text in [&mut self.title, &mut self.snippet] {
            *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        }
    }
}
