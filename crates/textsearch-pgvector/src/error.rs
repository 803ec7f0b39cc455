//! Errors of the server and of the client.

use std::{error::Error as _, fmt, io};

use deadpool_postgres::{Pool, PoolError, TimeoutType};
use textsearch_core::{Error, ErrorKind};
use tokio_postgres::error::SqlState;

use crate::CONNECTOR;

pub(crate) fn refused(option: &str, value: impl fmt::Display, allowed: &str) -> Error {
    Error::invalid_options(CONNECTOR, option, value, allowed)
}

pub(crate) fn pool_error(error: PoolError, pool: &Pool) -> Error {
    let timeouts = pool.timeouts();
    let message = match error {
        PoolError::Backend(error) => {
            let advice = "check the URL, its sslmode, and the server";
            return failure("connecting", error, Some(advice));
        }
        PoolError::Timeout(TimeoutType::Wait) => format!(
            "waiting for a connection failed: all were busy for {waited:?} ({max} of {max}); raise \
             `PgVectorConfig::with_max_connections` or `with_wait_timeout`, or make fewer calls at once",
            waited = timeouts.wait.unwrap_or_default(),
            max = pool.status().max_size,
        ),
        PoolError::Timeout(TimeoutType::Create) => format!(
            "connecting failed: the server did not answer within {waited:?}; check host and port of the \
             URL, or raise its connect_timeout",
            waited = timeouts.create.unwrap_or_default(),
        ),
        ref other => format!("connecting failed: {other}"),
    };
    Error::new(ErrorKind::Unavailable, CONNECTOR, message).with_source(error)
}

/// Returns the error of `work`.
pub(crate) fn backend(work: &str, error: tokio_postgres::Error) -> Error {
    failure(work, error, None)
}

/// Returns the error of `work`, with advice.
pub(crate) fn failure(work: &str, error: tokio_postgres::Error, advice: Option<&str>) -> Error {
    let mut message = match error.as_db_error() {
        Some(fault) => {
            format!("{work} failed: {} (SQLSTATE {})", fault.message(), fault.code().code())
        }
        None => match error.source() {
            Some(cause) => format!("{work} failed: {error}: {cause}"),
            None => format!("{work} failed: {error}"),
        },
    };
    if let Some(advice) = advice {
        message = format!("{message}; {advice}");
    }
    Error::new(kind(&error), CONNECTOR, message).with_source(error)
}

fn kind(error: &tokio_postgres::Error) -> ErrorKind {
    match error.code() {
        Some(code) => kind_of_state(code),
        None if error.is_closed() || is_io(error) => ErrorKind::Unavailable,
        None => ErrorKind::Backend,
    }
}

/// A refused certificate is invalid data, and stays refused.
fn is_io(error: &tokio_postgres::Error) -> bool {
    let cause = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    cause.is_some_and(|cause| cause.kind() != io::ErrorKind::InvalidData)
}

/// The first two characters of a state.
pub(crate) fn class(error: &tokio_postgres::Error) -> Option<&str> {
    error.code()?.code().get(..2)
}

fn kind_of_state(code: &SqlState) -> ErrorKind {
    match code.code().get(..2) {
        Some("28") => ErrorKind::Authentication,
        _ if *code == SqlState::QUERY_CANCELED => ErrorKind::Timeout,
        // Connections fail, or the server has too few resources or shuts down.
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
