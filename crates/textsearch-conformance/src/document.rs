//! The documents of a case's backend.

use std::time::{Duration, UNIX_EPOCH};

use textsearch_core::filter::DateTime;

/// A document that the backend can find.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Document {
    /// The title.
    pub name: String,
    /// The text, without markup.
    pub text: String,
    /// The URL, by which cases identify documents. Its host is `example.com`, except in cases about
    /// links outside it.
    pub link: String,
    /// When it was published: the midnight that begins a day.
    pub published: DateTime,
}

impl Document {
    /// Returns the document with this number.
    pub fn numbered(number: usize) -> Self {
        Self {
            name: format!("Document {number}"),
            text: format!("What document {number} says of it."),
            link: format!("https://example.com/documents/{number}"),
            published: DateTime::from(
                UNIX_EPOCH + Duration::from_secs(86_400 * (20_000 + number as u64)),
            ),
        }
    }

    /// Returns documents numbered from 0.
    pub fn several(count: usize) -> Vec<Self> {
        (0..count).map(Self::numbered).collect()
    }
}
