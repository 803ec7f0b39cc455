//! Errors of this crate and of Pinecone.

use std::fmt;

use serde::Deserialize;
use serde_json::Value;
use textsearch_core::{
    Error, ErrorKind,
    http::{ErrorAnswer, ErrorDetails},
};

use crate::CONNECTOR;

pub(crate) fn refused(option: &str, value: impl fmt::Display, allowed: &str) -> Error {
    Error::invalid_options(CONNECTOR, option, value, allowed)
}

pub(crate) fn undecodable(id: &str, fault: impl fmt::Display) -> Error {
    let message = format!("the vector `{id}` is no record of this collection: {fault}");
    Error::new(ErrorKind::Undecodable, CONNECTOR, message)
}

/// Returns whether Pinecone sent this status.
pub(crate) fn has_status(error: &Error, expected: u16) -> bool {
    matches!(error.kind(), ErrorKind::UnexpectedStatus { status, .. } if *status == expected)
}

/// The code of a missing namespace. A proxy, a wrong address or a missing index sends 404 as well.
const MISSING_NAMESPACE: &str = "NAMESPACE_NOT_FOUND";

/// Returns whether the index has no such namespace.
pub(crate) fn is_missing_namespace(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::UnexpectedStatus { code: Some(code), .. } if code == MISSING_NAMESPACE)
}

/// An error of the control plane, or of the data plane (gRPC's `Status`).
#[derive(Deserialize)]
struct Body {
    error: Option<ControlError>,
    /// A code of gRPC.
    code: Option<Value>,
    message: Option<String>,
}

#[derive(Deserialize)]
struct ControlError {
    code: String,
    message: String,
}

const GRPC_NOT_FOUND: u8 = 5;

/// `Namespace not found`, or with a name in between.
fn names_namespace(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    message.starts_with("namespace") && message.contains("not found")
}

/// Reads an error of Pinecone. Authentication and rate limits answer with plain text.
pub(crate) fn read_error(answer: &ErrorAnswer<'_>) -> Option<ErrorDetails> {
    let body: Option<Body> = answer.json();
    let (code, message) = match body {
        Some(Body { error: Some(error), .. }) => (Some(error.code), error.message),
        Some(Body { code, message: Some(message), .. }) => {
            let is_missing = answer.status.as_u16() == 404
                && code == Some(Value::from(GRPC_NOT_FOUND))
                && names_namespace(&message);
            (is_missing.then(|| MISSING_NAMESPACE.to_owned()), message)
        }
        _ => (None, String::from_utf8_lossy(answer.body).into_owned()),
    };
    let kind = match answer.status.as_u16() {
        // Waiting for a retry doesn't help until the next month.
        429 if message.contains("month") => Some(ErrorKind::QuotaExceeded),
        403 if message.contains("quota") => Some(ErrorKind::QuotaExceeded),
        // The key is valid: the index is protected from deletion, for example.
        403 if code.as_deref() == Some("FORBIDDEN") => Some(ErrorKind::Backend),
        _ => None,
    };
    let message = Some(message).filter(|message| !message.trim().is_empty());
    Some(ErrorDetails { kind, code, message, ..ErrorDetails::default() })
}
