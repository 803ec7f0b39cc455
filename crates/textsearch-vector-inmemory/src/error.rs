//! The errors of this crate.

use std::fmt;

use textsearch_core::Error;

pub(crate) const CONNECTOR: &str = "inmemory";

pub(crate) fn invalid_options(
    option: impl Into<String>,
    value: impl fmt::Display,
    allowed: impl Into<String>,
) -> Error {
    Error::invalid_options(CONNECTOR, option, value, allowed)
}
