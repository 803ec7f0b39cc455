#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod chunk;
mod document;
mod facts;
mod html;
pub mod ingest;
mod read;
mod section;
mod store;
mod surroundings;

pub use chunk::{Chunk, ChunkedDocument, Chunker, ChunkerConfig};
pub use document::{Document, DocumentFormat};
pub use facts::Facts;
pub use html::{MAX_HTML_BYTES, MAX_HTML_DEPTH};
#[cfg(feature = "http")]
pub use read::HttpLoader;
pub use read::{ExternalLoader, LoaderError, ReadError, ReadLimits, Reader, ReaderProcess};
pub use section::{Locator, Section, SectionHeading};
pub use store::{
    DocumentSchema, DocumentSource, DocumentStore, SourceTexts, StoredDocument, Tally,
    UpsertReport, fields,
};
pub use surroundings::{Around, Surroundings};

const CONNECTOR: &str = "documents";
