//! Keys of the cache.

use textsearch_core::{SearchOptions, serde_json};

/// Everything that a search depends on.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) query: String,
    /// As JSON.
    options: String,
}

impl Key {
    /// `None` for options that have no JSON.
    pub(super) fn new(query: &str, options: &SearchOptions) -> Option<Self> {
        let options = serde_json::to_string(options).ok()?;
        Some(Self { query: query.to_owned(), options })
    }

    pub(super) fn size(&self) -> u64 {
        (self.query.len() + self.options.len()) as u64
    }
}
