//! Reporting progress, and cancelling.

use std::{ops::ControlFlow, sync::Arc};

use super::error::{IngestError, Result};

/// The progress of an ingestion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum IngestEvent<'a> {
    /// A file is read next.
    FileStarted {
        /// The path of the file.
        path: &'a str,
    },
    /// A record of JSON Lines was read. Records are stored as they are read.
    RecordRead {
        /// The path of the file.
        path: &'a str,
        /// The number of records read from the file.
        records: usize,
    },
    /// A file was read. It may be stored with the next ones.
    FileFinished {
        /// The path of the file.
        path: &'a str,
    },
    /// Files are embedded, if there is a model, and stored next.
    BatchStarted {
        /// The number of files to store in one call.
        documents: usize,
    },
    /// Files were embedded and stored, or were found as they are now.
    BatchFinished {
        /// The number of files stored in one call.
        documents: usize,
    },
    /// Next, the documents of deleted files are removed.
    RemovalStarted {
        /// The number of documents.
        documents: usize,
    },
}

type Callback = dyn Fn(IngestEvent<'_>) -> ControlFlow<()> + Send + Sync;

/// The progress callback, if there is one.
#[derive(Clone, Default)]
pub(super) struct Observer(Option<Arc<Callback>>);

impl Observer {
    /// Returns an observer that passes events to `callback`.
    pub(super) fn new(
        callback: impl Fn(IngestEvent<'_>) -> ControlFlow<()> + Send + Sync + 'static,
    ) -> Self {
        Self(Some(Arc::new(callback)))
    }

    /// Reports an event.
    ///
    /// # Errors
    ///
    /// Returns [`Cancelled`](IngestError::Cancelled) if the callback cancels.
    pub(super) fn report(&self, event: IngestEvent<'_>) -> Result<()> {
        match self.0.as_ref().map(|callback| callback(event)) {
            Some(ControlFlow::Break(())) => Err(IngestError::Cancelled),
            _ => Ok(()),
        }
    }
}
