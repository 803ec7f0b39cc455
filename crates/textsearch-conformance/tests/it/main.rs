//! The suite on correct and faulty searches.
#![expect(
    clippy::unwrap_used,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

#[cfg(feature = "chat")]
mod chat;
#[cfg(any(feature = "chat", feature = "vector"))]
mod faults;
mod fixed_search;
mod report;
mod saboteurs;
#[cfg(feature = "vector")]
mod vector;
