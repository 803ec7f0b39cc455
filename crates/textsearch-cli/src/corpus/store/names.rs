//! The names of a store's collections, and the commands that write a store.

/// The collection of chunks in a store in a file or in memory.
pub(crate) const DOCUMENTS: &str = "documents";

/// The collection whose only record describes [`DOCUMENTS`].
pub(super) const CATALOG: &str = "catalog";

/// Placeholder for the location of a store that isn't in a file.
pub(crate) const ANY_PLACE: &str = "FILE";

/// Returns the command that fills the store at `location`, for advice.
pub(crate) fn filling(location: &str) -> String {
    format!("`textsearch index PATH --store {location}`")
}

/// Returns the command that rebuilds the store at `location` with extra `arguments`, for advice.
pub(crate) fn rebuilding(location: &str, arguments: &str) -> String {
    format!(
        "`textsearch index PATH --store {location} --rebuild{arguments}` with every path that the store is to hold"
    )
}
