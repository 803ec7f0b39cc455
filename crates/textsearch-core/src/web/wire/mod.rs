//! Reads responses with missing and mistyped values.

mod lenient;
mod records;

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

pub use self::{
    lenient::{ResultList, readable_values, text_or_none, value_or_none},
    records::records,
};
use crate::{TextSearchResult, filter::DateTime, results::Metadata};

/// For `#[serde(deserialize_with = "…")]` with a default: null counts as missing.
///
/// A value of another type is an error. Use it for fields that a result needs, such as its link,
/// and [`value_or_none`] for others.
///
/// ```
/// use serde::Deserialize;
/// use textsearch_core::web::value_or_default;
///
/// #[derive(Deserialize)]
/// #[serde(default)]
/// # #[derive(Default)]
/// struct Page {
///     #[serde(deserialize_with = "value_or_default")]
///     title: String,
/// }
///
/// let page: Page = serde_json::from_str(r#"{ "title": null }"#)?;
/// assert_eq!(page.title, "");
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Errors
/// Returns the deserializer's errors.
pub fn value_or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// Renames fields as [`records!`] writes them: `page_age` and `pageAge` become `PageAge`. For a
/// record's flattened map of other fields.
///
/// ```
/// use serde_json::json;
/// use textsearch_core::web::rename_details;
///
/// let mut details = json!({ "page_age": 2 }).as_object().unwrap().clone();
/// rename_details(&mut details);
/// assert_eq!(details["PageAge"], 2);
/// ```
pub fn rename_details(details: &mut Map<String, Value>) {
    if !details.is_empty() {
        let renamed = std::mem::take(details).into_iter();
        *details = renamed.map(|(name, value)| (pascal_case(&name), value)).collect();
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

/// Returns whether a value says nothing: null, an empty text, list or object.
pub fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Moves facts about a search from a response to metadata. Each has a place, as JSON pointer, and a
/// name. [Empty](is_empty) ones are left out.
///
/// ```
/// use serde_json::json;
/// use textsearch_core::web::facts;
///
/// let response = json!({ "query": { "altered": "rust" }, "videos": [] });
/// let metadata = facts(response, &[("/query/altered", "altered_query"), ("/videos", "videos")]);
/// assert_eq!(serde_json::to_value(metadata)?, json!({ "altered_query": "rust" }));
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn facts(mut response: Value, places: &[(&str, &str)]) -> Metadata {
    let facts = places.iter().filter_map(|(place, name)| {
        Some(((*name).to_owned(), response.pointer_mut(place)?.take()))
    });
    facts.filter(|(_, fact)| !is_empty(fact)).collect()
}

/// Returns a page as a result. An empty link counts as missing, and so does a time of publication that
/// is neither RFC 3339, a day nor RFC 2822.
///
/// ```
/// use textsearch_core::web::page_result;
///
/// let result = page_result("A text", "Title", "", Some("Mon, 31 Mar 2025 08:00:00 GMT"));
/// assert_eq!(result.link, None);
/// assert_eq!(result.published.unwrap().to_string(), "2025-03-31T08:00:00Z");
/// ```
pub fn page_result(
    text: impl Into<String>,
    title: &str,
    link: &str,
    published: Option<&str>,
) -> TextSearchResult {
    let mut result = TextSearchResult::new(text).with_name(title);
    if !link.is_empty() {
        result = result.with_link(link);
    }
    let read = |text| DateTime::parse(text).or_else(|_| DateTime::parse_rfc2822(text)).ok();
    match published.and_then(read) {
        Some(published) => result.with_published(published),
        None => result,
    }
}

/// Adds a fact to metadata if it is known.
///
/// ```
/// use textsearch_core::{results::Metadata, web::set};
///
/// let mut metadata = Metadata::new();
/// set(&mut metadata, "altered_query", Some("rust"));
/// set(&mut metadata, "market", None::<String>);
/// assert_eq!(metadata.len(), 1);
/// ```
pub fn set(metadata: &mut Metadata, name: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        metadata.insert(name.to_owned(), value.into());
    }
}
