//! Tests of the public API.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

mod changes;
mod chunks;
#[cfg(feature = "code")]
mod code;
mod facts;
mod failures;
mod html;
#[cfg(feature = "http")]
mod http_loader;
mod ingest;
#[cfg(feature = "mail")]
mod mail;
mod namespaces;
mod nesting;
#[cfg(feature = "office")]
mod office;
#[cfg(feature = "pdf")]
mod pdf;
mod properties;
mod readers;
mod reading;
mod references;
mod search;
#[cfg(feature = "site")]
mod site;
mod store;
mod surroundings;
mod wrapper;
