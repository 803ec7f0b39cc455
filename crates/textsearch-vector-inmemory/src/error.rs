//! The errors of this crate.

use std::fmt;

use textsearch_core::{Error, ErrorKind, vector::RecordKey};

/// The connector's name in errors and spans.
pub(crate) const CONNECTOR: &str = "inmemory";

/// Creates the error for a record that does not fit its collection. `message` names the field, the
/// value and what is expected.
pub(crate) fn invalid_record(key: &RecordKey, message: impl fmt::Display) -> Error {
    let message = format!("the record `{key}` cannot be stored: {message}");
    Error::new(ErrorKind::invalid_record(key.to_string()), CONNECTOR, message)
}

/// Creates the error for an invalid option.
pub(crate) fn invalid_options(
    option: impl Into<String>,
    value: impl fmt::Display,
    allowed: impl Into<String>,
) -> Error {
    Error::invalid_options(CONNECTOR, option, value, allowed)
}

/// Creates the error for a missing collection.
pub(crate) fn collection_not_found(name: &str) -> Error {
    let message = format!("there is no collection `{name}`: create it with `ensure_exists`");
    Error::new(ErrorKind::collection_not_found(name), CONNECTOR, message)
}
