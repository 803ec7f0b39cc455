//! How the providers of chat services and embedding generators fail.

use textsearch_core::ErrorKind;

/// Each status with the kind of its error, in any service.
pub(crate) const STATUSES: [(u16, ErrorKind); 5] = [
    (401, ErrorKind::Authentication),
    (403, ErrorKind::Authentication),
    (429, ErrorKind::RateLimited),
    (500, ErrorKind::Unavailable),
    (503, ErrorKind::Unavailable),
];

/// The types and bodies of successful responses without an answer.
pub(crate) const UNREADABLE: [(&str, &str); 5] = [
    ("text/html", "<!doctype html><title>Sign in</title>"),
    ("application/json", ""),
    ("application/json", "{}"),
    ("application/json", "[]"),
    ("application/json", "[[null]]"),
];
