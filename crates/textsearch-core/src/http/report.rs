//! Errors about a request, without its secrets.

use std::{error::Error as StdError, sync::Arc};

use url::Url;

use super::{TransportError, displayable, scrub::Scrubber};
use crate::{BoxError, Error, ErrorKind};

pub(super) struct Report<'a> {
    connector: Arc<str>,
    pub(super) scrubber: &'a Scrubber<'a>,
    place: String,
}

impl<'a> Report<'a> {
    pub(super) fn new(connector: &Arc<str>, scrubber: &'a Scrubber<'a>, url: &Url) -> Self {
        let place = scrubber.scrubbed(&displayable(url));
        Self { connector: Arc::clone(connector), scrubber, place }
    }

    pub(super) fn place(&self) -> &str {
        &self.place
    }

    pub(super) fn error(&self, kind: ErrorKind, message: &str) -> Error {
        Error::new(kind, self.connector.as_ref(), self.scrubber.scrubbed(message))
    }

    /// Replaces a cause that holds a secret by its scrubbed text.
    pub(super) fn caused(&self, kind: ErrorKind, message: &str, cause: TransportError) -> Error {
        let cause = cause.into_source();
        let error = self.error(kind, message);
        let text = full_text(cause.as_ref());
        if self.scrubber.finds_a_secret_in(&format!("{text} {cause:?}")) {
            let scrubbed: BoxError = self.scrubber.line(&text).into();
            return error.with_source(scrubbed);
        }
        error.with_source(cause)
    }
}

fn full_text(error: &(dyn StdError + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |&cause| cause.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::{Secret, TransportErrorKind};

    fn reported<T>(read: impl FnOnce(&Report<'_>) -> T) -> T {
        let url = Url::parse("https://example.com/sesame?key=sesame").unwrap();
        let secrets = [Secret::from("sesame")];
        read(&Report::new(&Arc::from("brave"), &Scrubber::new(&secrets), &url))
    }

    fn caused(cause: &'static str) -> Error {
        let cause = TransportError::new(TransportErrorKind::Connect, cause);
        reported(|report| report.caused(ErrorKind::Unavailable, "not there", cause))
    }

    #[test]
    fn neither_message_nor_place_holds_a_secret() {
        assert_eq!(reported(|report| report.place().to_owned()), "https://example.com/***");
        let error = reported(|report| report.error(ErrorKind::Unavailable, "is sesame open?"));
        assert_eq!(error.to_string(), "brave: is *** open?");
    }

    #[test]
    fn a_cause_is_kept_unless_it_holds_a_secret() {
        assert_eq!(caused("refused").source().unwrap().to_string(), "refused");
        let error = caused("no sesame");
        assert_eq!(error.source().unwrap().to_string(), "no ***");
        assert!(!format!("{error:?}").contains("sesame"));
    }
}
