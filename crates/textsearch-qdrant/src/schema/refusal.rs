//! The error for a collection that doesn't match its definition.

use std::fmt;

use textsearch_core::{Error, ErrorKind};

use crate::CONNECTOR;

pub(super) fn refused(
    field: &str,
    found: impl fmt::Display,
    expected: impl fmt::Display,
    remedy: &str,
) -> Error {
    let allowed = format!("{expected}, as in the collection that exists; {remedy}");
    let message = format!("the definition of `{field}` is {found}; expected {allowed}");
    let option = format!("definition.{field}");
    Error::new(ErrorKind::invalid_options(option, allowed), CONNECTOR, message)
}
