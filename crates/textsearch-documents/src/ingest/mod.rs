//! From files to documents in a store.
//!
//! [`FileWalker`] finds files, [`Ingestion`] configures how they are read, and [`DocumentIndex`]
//! keeps them in a vector store. An update writes changed documents and removes deleted ones.
//!
//! ```
//! use textsearch_core::{SearchOptions, TextSearch};
//! use textsearch_documents::ingest::{DocumentIndex, FileWalker, Ingestion};
//! use textsearch_vector_inmemory::InMemoryVectorStore;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let files = FileWalker::new().walk(&["README.md"])?;
//! let index = DocumentIndex::new(InMemoryVectorStore::new(), "docs");
//! let report = index.update(Ingestion::new(files)).await?;
//! assert_eq!(report.added, 1);
//!
//! let search = index.open(None).await?.text_search();
//! let results = search.search("headings", &SearchOptions::top(1)).await?;
//! assert_eq!(results.into_vec().await?.len(), 1);
//! # Ok(())
//! # }
//! ```

mod catalog;
mod embedder;
mod error;
mod files;
mod index;
mod ingestion;
mod json_lines;
mod language;
mod missing;
mod prefixes;
mod progress;
mod read;
mod readable;
mod record_error;
mod report;
#[cfg(feature = "site")]
mod site;
mod skipped;
mod text_check;
mod update;

#[cfg(feature = "site")]
pub use self::site::{SiteProgress, SiteSettings, SiteWalker};
pub use self::{
    catalog::Catalog,
    embedder::{EmbeddedBy, Embedder},
    error::{IngestError, ModelMismatch},
    files::{FileWalker, SourceFiles},
    index::DocumentIndex,
    ingestion::Ingestion,
    json_lines::{JsonLines, JsonLinesConfig, JsonRecord, SchemaInference},
    prefixes::Prefixes,
    progress::IngestEvent,
    record_error::{FieldRole, RecordError},
    report::IngestReport,
    skipped::{SkipReason, Skipped},
};

/// The metadata field that holds the path of a document's file.
pub const PATH: &str = "path";
