//! Numbers the sources of a run, and checks an answer's citations against them.

#[cfg(feature = "citations")]
mod check;
mod sources;

#[cfg(feature = "citations")]
pub use check::{Citation, CitationKind, check_citations, check_message};
pub(crate) use sources::is_label;
pub use sources::{Source, Sources};
