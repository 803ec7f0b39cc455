//! Responses, records and errors.

use std::borrow::Cow;

use serde::Deserialize;
use textsearch_core::{
    TextSearchRecord, TextSearchResult,
    filter::DateTime,
    results::{Metadata, TotalCount},
    serde_json::Value,
    web::{Marks, ResultList, ResultPage, is_empty, records, set, text_or_none},
};

use crate::NAME;

/// Tags that engines use to highlight query words.
const MARKS: Marks = Marks::Html(&["b", "strong", "em", "mark", "span"]);

records! {
    "snake_case";

    /// A result, with the fields of SearXNG's [main
    /// result](https://docs.searxng.org/dev/result_types/main/mainresult.html).
    ///
    /// Templates and JSON see the fields as `Title`, `Url`, `Content`, `PublishedDate`, …; missing
    /// values are left out.
    pub struct SearxngResult {
        /// Title of the page.
        pub title: Option<String>,
        /// URL of the page.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub url: Option<String>,
        /// Snippet: one or two sentences about the query.
        pub content: Option<String>,
        /// Engine that this version of the result comes from.
        pub engine: Option<String>,
        /// All engines that found the page.
        pub engines: Vec<String>,
        /// Rank in each engine's list, counted from 1.
        pub positions: Vec<i64>,
        /// SearXNG's score, computed from the positions: higher is better.
        pub score: Option<f64>,
        /// First category of the engine, such as `general`.
        pub category: Option<String>,
        /// Publication time as SearXNG writes it, usually without a UTC offset.
        #[serde(
            deserialize_with = "text_or_none",
            rename(deserialize = "publishedDate"),
            skip_serializing_if = "Option::is_none"
        )]
        pub published_date: Option<String>,
        /// Publication time as readable text. SearXNG plans to remove this field.
        pub pubdate: Option<String>,
        /// URL of a thumbnail.
        pub thumbnail: Option<String>,
        /// URL of an image.
        pub img_src: Option<String>,
        /// URL of a page to embed.
        pub iframe_src: Option<String>,
        /// URL of an audio recording.
        pub audio_src: Option<String>,
        /// Parts of the URL: scheme, host, path, parameters, query and fragment.
        pub parsed_url: Option<Vec<String>>,
        /// Template that SearXNG renders the result with, such as `default.html`.
        pub template: Option<String>,
        /// Duration of a recording, in seconds or as text.
        pub length: Option<Value>,
        /// Number of views, as a number or as text.
        pub views: Option<Value>,
        /// Author.
        pub author: Option<String>,
        /// Other data from the engine.
        pub metadata: Option<Value>,
        /// `high` or `low` if the instance ranks the host up or down.
        pub priority: Option<String>,
    }
}

impl SearxngResult {
    fn clean(&mut self, markup_kept: bool) {
        for text in [&mut self.title, &mut self.content] {
            if let (Some(marked), false) = (&text, markup_kept) {
                let plain = MARKS.removed(marked).trim().to_owned();
                *text = Some(plain).filter(|plain| !plain.is_empty());
            }
        }
        self.url.take_if(|url| url.trim().is_empty());
    }
}

impl TextSearchRecord for SearxngResult {
    /// Returns the content, or the title if there's no content.
    fn text(&self) -> Cow<'_, str> {
        let text = self.content.as_ref().or(self.title.as_ref());
        Cow::Borrowed(text.map_or("", String::as_str))
    }

    fn to_result(&self) -> TextSearchResult {
        let mut result = TextSearchResult::new(self.text());
        result.name.clone_from(&self.title);
        result.link.clone_from(&self.url);
        result.score = self.score;
        result.published =
            self.published_date.as_deref().and_then(|date| DateTime::parse(date).ok());
        let engines = Some(&self.engines).filter(|engines| !engines.is_empty());
        set(&mut result.metadata, "engines", engines.cloned());
        set(&mut result.metadata, "category", self.category.as_deref());
        result
    }
}

/// A response.
#[derive(Debug, Deserialize)]
pub struct Answer {
    results: ResultList<SearxngResult>,
    #[serde(flatten)]
    about: Metadata,
}

const METADATA_NAMES: [&str; 6] =
    ["query", "answers", "corrections", "infoboxes", "suggestions", "unresponsive_engines"];

impl Answer {
    pub(crate) fn into_page(mut self, markup_kept: bool) -> ResultPage<SearxngResult> {
        let total_count = self.total_count();
        self.about.retain(|name, value| METADATA_NAMES.contains(&&**name) && !is_empty(value));
        let mut page = ResultPage::of(NAME, self.results);
        if let (0, Some(engines)) = (page.sent, self.about.get("unresponsive_engines")) {
            // Log only the number: the answer may echo what was sent, even the key.
            let engines = engines.as_array().map_or(1, Vec::len);
            tracing::warn!(engines, "no results, and some engines did not answer");
        }
        page.records.iter_mut().for_each(|result| result.clean(markup_kept));
        page.metadata = self.about;
        page.total_count = total_count;
        page
    }

    /// The engines' estimate. 0 means that no engine gave one.
    fn total_count(&self) -> Option<TotalCount> {
        let count = self.about.get("number_of_results")?;
        // Some versions send an average with a fraction.
        let count = count.as_u64().or_else(|| count.as_f64().map(|count| count as u64))?;
        (count > 0).then_some(TotalCount::Estimated(count))
    }
}
