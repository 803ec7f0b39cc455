//! What the core promises, tested from the outside.

mod erasure;
mod errors;
mod options;
mod paging;
mod spans;
mod support;

#[cfg(feature = "chat")]
mod chat;
#[cfg(feature = "vector")]
mod vector;
