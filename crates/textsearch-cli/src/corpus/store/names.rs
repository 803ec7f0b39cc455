//! What the parts of a store are called, and the commands that write one.

/// The collection of chunks in a store that is a file, or nothing but memory.
pub(crate) const DOCUMENTS: &str = "documents";

/// The collection with one record, which describes [`DOCUMENTS`].
pub(super) const CATALOG: &str = "catalog";

/// Stands for the location of a store that isn't in a file.
pub(crate) const ANY_PLACE: &str = "FILE";

/// Returns the command that fills the store at `location`, for advice.
pub(crate) fn filling(location: &str) -> String {
    format!("`textsearch index PATH --store {location}`")
}

/// Returns the command that makes the store at `location` anew, with more `arguments`, for advice.
pub(crate) fn rebuilding(location: &str, arguments: &str) -> String {
    format!(
        "`textsearch index PATH --store {location} --rebuild{arguments}` with every path that the store is to hold"
    )
}
