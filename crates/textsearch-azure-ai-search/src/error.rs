//! Errors of this crate, and of the service.

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

pub(crate) fn undecodable(what: &str, fault: impl fmt::Display) -> Error {
    Error::new(ErrorKind::Undecodable, CONNECTOR, format!("{what}: {fault}"))
}

/// Returns the error of a call on the index `name`.
pub(crate) fn index_error(name: &str, error: Error) -> Error {
    if !is_status(&error, 404) {
        return error;
    }
    Error::collection_not_found(CONNECTOR, name).with_attempts(error.attempts()).with_source(error)
}

pub(crate) fn is_status(error: &Error, expected: u16) -> bool {
    matches!(error.kind(), ErrorKind::UnexpectedStatus { status, .. } if *status == expected)
}

#[derive(Deserialize)]
struct Answer {
    error: Fault,
}

#[derive(Deserialize)]
struct Fault {
    #[serde(default)]
    code: String,
    #[serde(default)]
    message: String,
}

/// Reads the service's [error
/// body](https://learn.microsoft.com/rest/api/searchservice/http-status-codes).
pub(crate) fn read(answer: &ErrorAnswer<'_>) -> Option<ErrorDetails> {
    let Fault { code, message } = answer.json::<Answer>()?.error;
    let code = Some(code).filter(|code| !code.is_empty());
    Some(ErrorDetails { code, message: Some(message), ..ErrorDetails::default() })
}
