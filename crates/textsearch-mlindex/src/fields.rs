//! Which field of a record has which role.

use serde_json::{Map, Value};
use textsearch_core::Result;

use crate::place::Place;

/// The fields of the stored records by their role (`index.field_mapping`).
///
/// A name with dots is a path, such as `metadata.title`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldMapping {
    /// The text: the value of a result.
    pub content: Option<String>,
    /// The vector to compare.
    pub embedding: Option<String>,
    /// The title: the name of a result.
    pub title: Option<String>,
    /// The link of a result.
    pub url: Option<String>,
    /// The file that the text is from. Without a title, it is the name of a result.
    pub filename: Option<String>,
    /// Further data about the text.
    pub metadata: Option<String>,
}

const ALLOWED: &str = "the name of a field, as a text of 1 to 256 bytes";

const MAX_NAME_BYTES: usize = 256;

impl FieldMapping {
    /// Roles that this crate doesn't know are left out.
    pub(crate) fn read(place: &Place, fields: &Map<String, Value>) -> Result<Self> {
        let field = |role: &str| match fields.get(role) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(name)) if is_name(name) => Ok(Some(name.clone())),
            Some(_) => Err(place.invalid(role, "no name of a field", ALLOWED)),
        };
        Ok(Self {
            content: field("content")?,
            embedding: field("embedding")?,
            title: field("title")?,
            url: field("url")?,
            filename: field("filename")?,
            metadata: field("metadata")?,
        })
    }
}

fn is_name(name: &str) -> bool {
    !name.trim().is_empty() && name.len() <= MAX_NAME_BYTES && !name.contains(char::is_control)
}
