//! Errors of the server and of the connection. Only this module decides their kinds.

use std::{error::Error as _, fmt};

use textsearch_core::{Error, ErrorKind, secret::Secret};
use tonic::Code;

use crate::{CONNECTOR, proto};

/// In characters.
const LONGEST_MESSAGE: usize = 400;

const REPLACEMENT: &str = "***";

/// Milvus's codes, as in its `merr` package.
mod code {
    use std::ops::RangeInclusive;

    pub(super) const RATE_LIMIT: i32 = 8;
    pub(super) const TOO_MANY_REQUESTS: i32 = 4;
    pub(super) const QUOTA: [i32; 3] = [3, 7, 9];
    pub(super) const COLLECTION_NOT_FOUND: i32 = 100;
    pub(super) const COLLECTION_NOT_LOADED: [i32; 2] = [101, 103];
    pub(super) const PRIVILEGE: [i32; 2] = [1400, 1401];
    /// Faults of the request: its collection, database, parameters, privileges or fields. Others may
    /// come after a part of it was done.
    pub(super) const REFUSALS: [RangeInclusive<i32>; 5] =
        [100..=199, 800..=899, 1100..=1199, 1400..=1499, 1700..=1799];
    /// Of `error_code`, in servers before 2.3.
    pub(super) const OLD_COLLECTION_NOT_FOUND: i32 = 4;
}

/// A failed request.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: Error,
    /// The collection isn't in the server's memory.
    pub(crate) not_loaded: bool,
    /// The server rejected the request without doing anything.
    pub(crate) is_refusal: bool,
    /// The response has more bytes than server or client allow.
    pub(crate) too_large: bool,
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        failure.error
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { error, not_loaded: false, is_refusal: false, too_large: false }
    }
}

/// The request of a failure.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) method: &'static str,
    pub(crate) collection: Option<&'a str>,
    pub(crate) token: Option<&'a Secret>,
}

pub(crate) fn refused(option: &str, value: impl fmt::Display, allowed: &str) -> Error {
    Error::invalid_options(CONNECTOR, option, value, allowed)
}

pub(crate) fn undecodable(method: &str, fault: impl fmt::Display) -> Error {
    let message = format!("the response to {method} can't be read: {fault}");
    Error::new(ErrorKind::Undecodable, CONNECTOR, message)
}

pub(crate) fn is_collection_not_found(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::CollectionNotFound { .. })
}

/// Returns the failure that a response reports, if any.
pub(crate) fn response_failure(status: &proto::Status, context: Context<'_>) -> Option<Failure> {
    if status.code == 0 && status.error_code == 0 {
        return None;
    }
    let is_old = status.code == 0 && status.error_code == code::OLD_COLLECTION_NOT_FOUND;
    let kind = match (status.code, context.collection) {
        (code::COLLECTION_NOT_FOUND, Some(name)) => ErrorKind::collection_not_found(name),
        (_, Some(name)) if is_old => ErrorKind::collection_not_found(name),
        (code::RATE_LIMIT | code::TOO_MANY_REQUESTS, _) => ErrorKind::RateLimited,
        (number, _) if code::QUOTA.contains(&number) => ErrorKind::QuotaExceeded,
        (number, _) if code::PRIVILEGE.contains(&number) => ErrorKind::Authentication,
        _ if status.retriable => ErrorKind::Unavailable,
        _ => ErrorKind::Backend,
    };
    let not_loaded = code::COLLECTION_NOT_LOADED.contains(&status.code);
    let is_refusal = !status.retriable && code::REFUSALS.iter().any(|of| of.contains(&status.code));
    let error = match (&kind, context.collection) {
        (ErrorKind::CollectionNotFound { .. }, Some(name)) => {
            Error::collection_not_found(CONNECTOR, name)
        }
        _ => {
            let code = if status.code == 0 { status.error_code } else { status.code };
            let detail = readable(&status.reason, context.token);
            let message = format!("{} failed: {detail} (code {code})", context.method);
            Error::new(kind, CONNECTOR, message)
        }
    };
    let too_large = status.reason.contains("maxOutputSize");
    Some(Failure { error, not_loaded, is_refusal, too_large })
}

/// Returns the failure of a connection, or of a server that doesn't answer in its protocol.
pub(crate) fn status_failure(status: tonic::Status, context: Context<'_>) -> Failure {
    let kind = match status.code() {
        Code::Unauthenticated | Code::PermissionDenied => ErrorKind::Authentication,
        Code::ResourceExhausted | Code::OutOfRange => ErrorKind::Backend,
        Code::DeadlineExceeded => ErrorKind::Timeout,
        Code::Unavailable | Code::Cancelled => ErrorKind::Unavailable,
        Code::Internal | Code::Unknown if status.source().is_some() => ErrorKind::Unavailable,
        Code::DataLoss => ErrorKind::Undecodable,
        _ => ErrorKind::Backend,
    };
    let is_refusal = matches!(
        status.code(),
        Code::Unauthenticated
            | Code::PermissionDenied
            | Code::Unimplemented
            | Code::InvalidArgument
    );
    let too_large = matches!(status.code(), Code::ResourceExhausted | Code::OutOfRange);
    let mut detail = readable(status.message(), context.token);
    if let Some(cause) = innermost(&status) {
        detail = format!("{detail}: {}", readable(&cause, context.token));
    }
    let message = format!("{} failed: {detail} (gRPC {:?})", context.method, status.code());
    // The status itself, as a source, would show a token that the server repeats.
    let error = Error::new(kind, CONNECTOR, message);
    Failure { is_refusal, too_large, ..Failure::from(error) }
}

/// Returns the first cause of a transport error, such as a refused connection.
fn innermost(status: &tonic::Status) -> Option<String> {
    let mut cause = status.source()?;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    Some(cause.to_string())
}

/// One line, truncated, without the token.
fn readable(message: &str, token: Option<&Secret>) -> String {
    let mut line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some(token) = token {
        let parts = token.expose().split(':').chain([token.expose()]);
        // A user's name may be a common word, and is no secret.
        for secret in parts.skip(usize::from(token.expose().contains(':'))) {
            if !secret.is_empty() {
                line = line.replace(secret, REPLACEMENT);
            }
        }
    }
    match line.char_indices().nth(LONGEST_MESSAGE) {
        Some((end, _)) => format!("{}…", line.split_at(end).0),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(code: i32, error_code: i32, retriable: bool) -> Option<Failure> {
        let reason = "it\n  failed for root:sesame".to_owned();
        let status = proto::Status { error_code, reason, code, retriable };
        let token = Secret::from("root:sesame");
        let context = Context { method: "Query", collection: Some("notes"), token: Some(&token) };
        response_failure(&status, context)
    }

    #[test]
    fn codes_have_kinds() {
        let cases = [
            (failure(100, 4, false), ErrorKind::collection_not_found("notes")),
            (failure(0, 4, false), ErrorKind::collection_not_found("notes")),
            (failure(8, 49, true), ErrorKind::RateLimited),
            (failure(9, 48, false), ErrorKind::QuotaExceeded),
            (failure(1401, 3, false), ErrorKind::Authentication),
            (failure(2, 1, true), ErrorKind::Unavailable),
            (failure(1100, 5, false), ErrorKind::Backend),
        ];
        for (failure, expected) in cases {
            assert_eq!(*failure.unwrap().error.kind(), expected);
        }
        assert!(failure(0, 0, false).is_none());
    }

    #[test]
    fn message_has_method_and_code_but_no_password() {
        let failure = failure(1100, 5, false).unwrap();
        let expected = "milvus: Query failed: it failed for root:*** (code 1100)";
        assert_eq!(failure.error.to_string(), expected);
        assert!(failure.is_refusal && !failure.not_loaded);
    }

    #[test]
    fn only_a_fault_of_the_request_is_a_refusal() {
        let is_refusal = |code, is_retriable| failure(code, 1, is_retriable).unwrap().is_refusal;
        for code in [100, 1100, 1401, 1701] {
            assert!(is_refusal(code, false) && !is_refusal(code, true), "{code}");
        }
        for code in [0, 5, 1302, 10_000, 65_535] {
            assert!(!is_refusal(code, false), "{code}");
        }
    }

    #[test]
    fn a_collection_outside_of_memory_is_told_apart() {
        assert!(failure(101, 101, false).unwrap().not_loaded);
        assert!(failure(103, 1, true).unwrap().not_loaded);
    }
}
