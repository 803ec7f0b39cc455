//! The errors of this crate.

use std::fmt;

use textsearch_core::{Error, ErrorKind, vector::RecordKey};

pub(crate) const CONNECTOR: &str = "inmemory";

pub(crate) fn invalid_record(key: &RecordKey, message: impl fmt::Display) -> Error {
    let message = format!("the record `{key}` cannot be stored: {message}");
    Error::new(ErrorKind::invalid_record(key.to_string()), CONNECTOR, message)
}

pub(crate) fn invalid_options(
    option: impl Into<String>,
    value: impl fmt::Display,
    allowed: impl Into<String>,
) -> Error {
    Error::invalid_options(CONNECTOR, option, value, allowed)
}

pub(crate) fn collection_not_found(name: &str) -> Error {
    let message = format!("there is no collection `{name}`: create it with `ensure_exists`");
    Error::new(ErrorKind::collection_not_found(name), CONNECTOR, message)
}
