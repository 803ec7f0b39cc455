//! Names of columns and tables.

/// The begin of names that no field may have.
pub(crate) const RESERVED: &str = "textsearch_";

/// Returns the name in quotes.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
