//! The language of full-text search.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Language {
    /// The store's language, or English for a new store.
    StoreDefault,
    Stemmed(String),
    /// No language: words match only as written.
    ExactWords,
}
