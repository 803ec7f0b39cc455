//! Names of a store's collections, and commands for advice.

/// The collection of chunks in a file or in memory.
pub(crate) const DOCUMENTS: &str = "documents";

/// The collection whose only record describes [`DOCUMENTS`].
pub(super) const CATALOG: &str = "catalog";

/// Placeholder for the location of a store, in advice.
pub(crate) const ANY_PLACE: &str = "FILE";

pub(crate) fn filling(location: &str) -> String {
    format!("`textsearch index PATH --store {location}`")
}

pub(crate) fn rebuilding(location: &str, arguments: &str) -> String {
    format!(
        "`textsearch index PATH --store {location} --rebuild{arguments}` with every path that the store is to hold"
    )
}
