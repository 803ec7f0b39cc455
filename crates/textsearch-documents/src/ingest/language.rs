//! The language of full-text search.

/// The language of full-text search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Language {
    /// That of the store, and English for a new one.
    OfStore,
    /// This one, by its code.
    Of(String),
    /// None: words are found as they are written.
    None,
}
