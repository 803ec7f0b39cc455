//! Errors of the server and of the client.

use std::{error::Error as _, fmt, io};

use deadpool_postgres::PoolError;
use textsearch_core::{Error, ErrorKind};
use tokio_postgres::error::SqlState;

use crate::CONNECTOR;

pub(crate) fn refused(option: &str, found: impl fmt::Display, allowed: &str) -> Error {
    Error::invalid_options(CONNECTOR, option, found, allowed)
}

pub(crate) fn pool_error(error: PoolError) -> Error {
    match error {
        PoolError::Backend(error) => backend("connecting", error),
        other => {
            let message = format!("connecting failed: {other}");
            Error::new(ErrorKind::Unavailable, CONNECTOR, message).with_source(other)
        }
    }
}

/// Returns the error of a call on the collection `name`.
pub(crate) fn collection_error(name: &str, error: tokio_postgres::Error) -> Error {
    if error.code() == Some(&SqlState::UNDEFINED_TABLE) {
        return collection_not_found(name);
    }
    backend(&format!("a query of the collection `{name}`"), error)
}

pub(crate) fn collection_not_found(name: &str) -> Error {
    let message = format!("no collection `{name}`; create it with ensure_exists");
    Error::new(ErrorKind::collection_not_found(name), CONNECTOR, message)
}

/// Returns the error of `work`.
pub(crate) fn backend(work: &str, error: tokio_postgres::Error) -> Error {
    let kind = kind(&error);
    let message = match error.as_db_error() {
        Some(fault) => {
            let (fault, code) = (fault.message(), fault.code().code());
            format!("{work} failed: {fault} (SQLSTATE {code})")
        }
        None => format!("{work} failed: {error}"),
    };
    Error::new(kind, CONNECTOR, message).with_source(error)
}

fn kind(error: &tokio_postgres::Error) -> ErrorKind {
    match error.code() {
        Some(code) => kind_of_state(code),
        None if error.is_closed() || is_io(error) => ErrorKind::Unavailable,
        None => ErrorKind::Backend,
    }
}

fn is_io(error: &tokio_postgres::Error) -> bool {
    error.source().is_some_and(|source| source.is::<io::Error>())
}

fn kind_of_state(code: &SqlState) -> ErrorKind {
    // The first two characters are the class.
    match code.code().get(..2) {
        Some("28") => ErrorKind::Authentication,
        // Connections fail, or the server has too few resources or shuts down.
        _ if *code == SqlState::QUERY_CANCELED => ErrorKind::Timeout,
        Some("08" | "53" | "57") => ErrorKind::Unavailable,
        _ => ErrorKind::Backend,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_have_kinds() {
        let cases = [
            (SqlState::INVALID_PASSWORD, ErrorKind::Authentication),
            (SqlState::QUERY_CANCELED, ErrorKind::Timeout),
            (SqlState::ADMIN_SHUTDOWN, ErrorKind::Unavailable),
            (SqlState::TOO_MANY_CONNECTIONS, ErrorKind::Unavailable),
            (SqlState::CONNECTION_FAILURE, ErrorKind::Unavailable),
            (SqlState::UNDEFINED_COLUMN, ErrorKind::Backend),
        ];
        for (state, expected) in cases {
            assert_eq!(kind_of_state(&state), expected, "{state:?}");
        }
    }
}
