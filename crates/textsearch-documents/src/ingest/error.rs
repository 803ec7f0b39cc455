//! Errors of an ingestion.

use std::{error::Error, io};

use super::{record_error::RecordError, skipped::Skipped};
use crate::{LoaderError, ReadError};

pub(super) type Cause = Box<dyn Error + Send + Sync>;

pub(super) type Result<T, E = IngestError> = std::result::Result<T, E>;

/// Why an ingestion stopped. [`source`](Error::source) returns the cause.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IngestError {
    /// A path leads nowhere.
    #[error("there is no file or folder `{path}`: try another path")]
    NotFound {
        /// The given path.
        path: String,
    },
    /// A path, or a file of JSON Lines, can't be read.
    #[error("`{path}` cannot be read")]
    Unreadable {
        /// The path.
        path: String,
        /// The operating system's error.
        source: io::Error,
    },
    /// A path leads to a device, a pipe or similar.
    #[error("`{path}` is neither a file nor a folder: try a path of one")]
    NotAFile {
        /// The given path.
        path: String,
    },
    /// A path isn't UTF-8, so no link can hold it.
    #[error("the path `{path}` is not UTF-8: try another name")]
    NotUtf8 {
        /// The path, with replacement characters.
        path: String,
    },
    /// A line of JSON Lines isn't a record.
    #[error("`{path}` line {line}")]
    Record {
        /// The path of the file.
        path: String,
        /// The line, from 1. Of CSV, the row.
        line: u64,
        /// The reason.
        #[source]
        reason: RecordError,
    },
    /// The store or the embedding model failed at this file.
    #[error("`{path}` cannot be indexed")]
    File {
        /// Its path.
        path: String,
        /// The error of the store or the model.
        source: textsearch_core::Error,
    },
    /// A file of JSON Lines broke between its two readings, and some of its records are stored.
    #[error("`{path}` changed while it was read: try again")]
    Changed {
        /// Its path.
        path: String,
        /// The error of the second reading.
        source: Box<Self>,
    },
    /// A file and a record have the same id, which for a record is its file and its own id.
    #[error("a file and a record of JSON Lines are both called `{id}`: try to rename the file")]
    DuplicateId {
        /// The id of both.
        id: String,
    },
    /// A rebuild found no text; it left the store as it was.
    #[error("there is no text in these files, and a rebuild replaces no store by an empty one")]
    NoText {
        /// Files that were left out, and why.
        skipped: Vec<Skipped>,
    },
    /// The collections aren't a [`DocumentIndex`](super::DocumentIndex). They are unchanged.
    #[error("the collections belong to another program")]
    OtherProgram,
    /// Another version of this crate wrote the catalog.
    #[error("another version of this library wrote the catalog")]
    OtherVersion(#[source] serde_json::Error),
    /// Nothing is stored yet.
    #[error("nothing is stored under this name")]
    Empty,
    /// The embedding model doesn't fit the stored embeddings.
    #[error(transparent)]
    Model(#[from] ModelMismatch),
    /// The stored collection has another schema.
    #[error("the store was made for other documents: {}", .0.message())]
    Schema(#[source] textsearch_core::Error),
    /// The progress callback stopped the ingestion.
    #[error("the ingestion was cancelled")]
    Cancelled,
    /// The vector store or the embedding model failed.
    #[error(transparent)]
    Backend(#[from] textsearch_core::Error),
}

/// Why a file has no document.
#[derive(Debug, thiserror::Error)]
pub(super) enum FileError {
    #[error("it cannot be read")]
    Io(#[from] io::Error),
    #[error("it changed while it was read")]
    Changing,
    #[error(transparent)]
    Loader(#[from] LoaderError),
    #[error(transparent)]
    Content(#[from] ReadError),
}

/// An embedding model doesn't fit the embeddings of a store. Vectors of two models can't be
/// compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelMismatch {
    /// The store has no embeddings, but a model was given.
    #[error("the store has no embeddings")]
    NotEmbedded,
    /// The store has embeddings, but no model was given.
    #[error("the store has embeddings of `{model}`, and no model was given")]
    NoModel {
        /// The model of the store.
        model: String,
    },
    /// The store has embeddings of another model.
    #[error(
        "the store has embeddings of `{model}` with {dimensions} dimensions, not of `{requested}` with {requested_dimensions}"
    )]
    OtherModel {
        /// The model of the store.
        model: String,
        /// The length of its vectors.
        dimensions: usize,
        /// The requested model.
        requested: String,
        /// The length of its vectors.
        requested_dimensions: usize,
    },
    /// The passages of the store were embedded with another prefix, or without one.
    #[error("the documents of the store were embedded with another prefix ({stored:?})")]
    OtherPrefix {
        /// The prefix of the store's passages; `None` for none.
        stored: Option<String>,
    },
}

/// Joins an error and its causes, each text once.
pub(super) fn single_line(error: &(dyn Error + 'static)) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut next = Some(error);
    while let Some(error) = next {
        next = error.source();
        let text = error.to_string();
        if !parts.iter().any(|part| part.contains(&text)) {
            parts.push(text);
        }
    }
    parts.join(": ")
}
