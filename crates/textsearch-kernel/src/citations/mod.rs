//! Numbered sources of a run, and whether what an answer cites is among them.

#[cfg(feature = "citations")]
mod check;
mod sources;

#[cfg(feature = "citations")]
pub use check::{Citation, CitationKind, check_citations};
pub(crate) use sources::is_label;
pub use sources::{Source, Sources};
