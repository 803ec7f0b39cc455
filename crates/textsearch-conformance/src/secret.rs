//! Searches output for the key.

use std::{error::Error as StdError, fmt::Debug};

use textsearch_core::Error;

use crate::Endpoint;

/// Plain, as URLs and forms encode it, and truncated.
const FORMS: [&str; 3] = [Endpoint::KEY, "conformance%2Fsesame%2B1", "conformance/sesame"];

pub(crate) fn assert_secret(text: &str, place: &str) {
    for form in FORMS {
        assert!(!text.contains(form), "the key is in {place}: {text}");
    }
}

/// Searches what `Debug` prints.
pub(crate) fn assert_debug(value: &impl Debug) {
    assert_secret(&format!("{value:?}\n{value:#?}"), "what `Debug` prints");
}

/// The error and its causes, in all forms that callers may print.
pub(crate) fn printed(error: &Error) -> String {
    let first: Option<&(dyn StdError + 'static)> = Some(error);
    let causes = std::iter::successors(first, |&cause| cause.source());
    causes.map(|cause| format!("{cause}\n{cause:?}\n{cause:#?}\n")).collect()
}
