//! The search for the key in what must not hold it.

use std::error::Error as StdError;

use textsearch_core::Error;

use crate::Endpoint;

/// The key as it is, as URLs and forms write it, and as it is without its end, which an excerpt may have cut off.
const FORMS: [&str; 3] = [Endpoint::KEY, "conformance%2Fsesame%2B1", "conformance/sesame"];

pub(crate) fn assert_secret(text: &str, place: &str) {
    for form in FORMS {
        assert!(!text.contains(form), "the key is in {place}: {text}");
    }
}

/// An error and its causes in all the forms in which they may be printed.
pub(crate) fn printed(error: &Error) -> String {
    let first: Option<&(dyn StdError + 'static)> = Some(error);
    let causes = std::iter::successors(first, |&cause| cause.source());
    causes.map(|cause| format!("{cause}\n{cause:?}\n{cause:#?}\n")).collect()
}
