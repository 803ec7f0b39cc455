//! From files to documents in a store: walk, read, chunk, embed, update.
//!
//! [`FileWalker`] finds files, [`Ingestion`] says how they are read, and [`DocumentIndex`] keeps them in a vector store. An
//! update writes what changed and removes what is gone.
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
//! let found = search.search("citations", &SearchOptions::top(1)).await?;
//! assert_eq!(found.into_vec().await?.len(), 1);
//! # Ok(())
//! # }
//! ```
//!
//! Without updates the index isn't needed: [`Ingestion::into_collection`] stores documents in a new collection.

mod embedder;
mod error;
mod files;
mod index;
mod ingestion;
mod json_lines;
mod missing;
mod read;
mod report;
mod text_check;
mod update;

pub use self::{
    embedder::{EmbeddedBy, Embedder, Prefixes},
    error::{FieldRole, IngestError, ModelMismatch, ReadError, RecordError},
    files::{FileWalker, FoundFiles, SkipReason, Skipped},
    index::{Catalog, DocumentIndex},
    ingestion::{IngestEvent, Ingestion},
    json_lines::{JsonLines, JsonLinesConfig, JsonRecord, SchemaInference},
    report::{IngestReport, Tally},
};

/// The metadata field that holds the path of a document's file.
pub const PATH: &str = "path";
