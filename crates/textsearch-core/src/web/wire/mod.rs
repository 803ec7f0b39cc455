//! Reads responses with missing and mistyped values.

mod lenient;
mod records;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

pub use self::{
    lenient::{ResultList, readable_values, value_or_none},
    records::records,
};
use crate::results::Metadata;

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
