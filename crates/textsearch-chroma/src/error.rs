//! Errors of the server and of this crate.

use std::fmt;

use serde::Deserialize;
use textsearch_core::{
    Error, ErrorKind,
    http::{ErrorAnswer, ErrorDetails},
};

use crate::CONNECTOR;

pub(crate) fn refused(option: &str, value: impl fmt::Display, allowed: &str) -> Error {
    Error::invalid_options(CONNECTOR, option, value, allowed)
}

pub(crate) fn undecodable(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Undecodable, CONNECTOR, message)
}

/// The body of each error: [reference](https://docs.trychroma.com/reference/architecture/overview).
#[derive(Deserialize)]
struct Fault {
    error: String,
    message: String,
}

/// What this crate's callers can act on, in place of a status.
const MISSING_COLLECTION: &str = "CollectionNotFound";

pub(crate) fn read(answer: &ErrorAnswer<'_>) -> Option<ErrorDetails> {
    let fault: Fault = answer.json()?;
    let is_collection = answer.status.as_u16() == 404 && fault.message.starts_with("Collection ");
    let code = if is_collection { MISSING_COLLECTION.to_owned() } else { fault.error };
    Some(ErrorDetails { code: Some(code), message: Some(fault.message), ..ErrorDetails::default() })
}

/// Returns whether the server has no collection of the name or id in the URL.
pub(crate) fn is_missing(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::UnexpectedStatus { code: Some(code), .. } if code == MISSING_COLLECTION)
}

/// Returns whether another program has just created the collection.
pub(crate) fn is_conflict(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::UnexpectedStatus { status: 409, .. })
}
