//! Failed attempts.

use super::{TransportError, TransportErrorKind, report::Report};
use crate::{Error, ErrorKind};

#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: Error,
    pub(super) retry: Retry,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Retry {
    /// None: it would fail again.
    Never,
    /// Idempotent requests: the server may have seen the request.
    IfIdempotent,
    /// All: the server has not seen the request or did not serve it.
    Always,
}

impl Failure {
    pub(super) fn new(error: Error, retry: Retry) -> Self {
        Self { error, retry }
    }

    pub(super) fn last(error: Error) -> Self {
        Self::new(error, Retry::Never)
    }

    pub(super) fn of_transport(report: &Report<'_>, error: TransportError) -> Self {
        let place = report.place();
        let (kind, retry, message) = match error.kind() {
            TransportErrorKind::Connect => {
                (ErrorKind::Unavailable, Retry::Always, format!("cannot connect to {place}"))
            }
            TransportErrorKind::Timeout => {
                (ErrorKind::Timeout, Retry::IfIdempotent, format!("no answer from {place} in time"))
            }
            TransportErrorKind::Interrupted => {
                let message = format!("the answer of {place} broke off");
                (ErrorKind::Unavailable, Retry::IfIdempotent, message)
            }
            TransportErrorKind::Refused => return Self::refused(report, error),
            TransportErrorKind::Other => {
                (ErrorKind::Backend, Retry::Never, format!("cannot send a request to {place}"))
            }
        };
        Self::new(report.caused(kind, &message, error), retry)
    }

    /// The reason is the message: the user who gave the URL must see it.
    fn refused(report: &Report<'_>, error: TransportError) -> Self {
        let option = "url".to_owned();
        let allowed = "a public address, or an allowed host".to_owned();
        let source = std::error::Error::source(&error).map(ToString::to_string);
        let message = format!("{}: {}", report.place(), source.unwrap_or_default());
        let kind = ErrorKind::InvalidOptions { option, allowed };
        Self::last(report.caused(kind, &message, error))
    }
}
