//! Embeds and stores batches of documents.

use futures_channel::mpsc::Receiver;
use futures_util::StreamExt as _;
use textsearch_core::ErrorKind;

use super::batch::Batch;
use crate::{
    Document, DocumentStore, UpsertReport,
    ingest::{
        error::{IngestError, Result},
        progress::{IngestEvent, Observer},
        readable::skip,
        report::IngestReport,
    },
};

/// The first is stored, the second is embedded, and the third is cut into chunks, so that the model
/// never waits.
const CONCURRENT_BATCHES: usize = 3;

pub(super) struct Writer<'a> {
    pub(super) documents: &'a DocumentStore,
    pub(super) observer: &'a Observer,
}

/// What was stored.
#[derive(Default)]
pub(super) struct Written {
    pub(super) report: IngestReport,
    /// Ids of documents that the store or the model rejected.
    pub(super) refused: Vec<String>,
}

impl Writer<'_> {
    pub(super) async fn write(&self, batches: Receiver<Batch>) -> Result<Written> {
        let mut batches =
            batches.map(|batch| self.write_batch(batch)).buffer_unordered(CONCURRENT_BATCHES);
        let mut written = Written::default();
        let mut result = Ok(());
        while let Some(batch) = batches.next().await {
            match batch {
                Ok(batch) => {
                    written.report.append(batch.report);
                    written.refused.extend(batch.refused);
                }
                Err(error) => {
                    // Batches whose embeddings are made are stored.
                    self.observer.stop();
                    result = result.and(Err(error));
                }
            }
        }
        result.map(|()| written)
    }

    async fn write_batch(&self, batch: Batch) -> Result<Written> {
        let documents = batch.documents.len();
        self.observer.check_running()?;
        let _in_progress = self.observer.start_batch(documents);
        let mut written = Written::default();
        match &batch.records_of {
            Some(path) => self.write_records(path, batch.documents, &mut written).await?,
            None => self.write_documents(batch.documents, &mut written).await?,
        }
        self.observer.notify(IngestEvent::BatchFinished { documents });
        Ok(written)
    }

    async fn write_documents(&self, documents: Vec<Document>, written: &mut Written) -> Result<()> {
        let report = &mut written.report;
        let mut stored = UpsertReport::default();
        match self.documents.upsert_into(&mut stored, documents.clone()).await {
            Ok(()) => {
                report.add_files(stored);
                return Ok(());
            }
            Err(error) if !is_about_one_document(&error) => return Err(error.into()),
            // Store each document alone to find the failing one.
            Err(error) => tracing::debug!(%error, "one of several documents cannot be stored"),
        }
        // Those that the batch stored are unchanged now.
        report.added += stored.added;
        report.changed += stored.changed;
        report.removed += stored.removed;
        let mut already_stored = stored.added + stored.changed;
        for document in documents {
            let id = document.id.clone();
            match self.documents.upsert([document]).await {
                Ok(mut stored) => {
                    let counted = stored.unchanged.min(already_stored);
                    already_stored -= counted;
                    stored.unchanged -= counted;
                    report.add_files(stored);
                }
                Err(error) => {
                    refuse(&id, error, report)?;
                    written.refused.push(id);
                }
            }
        }
        Ok(())
    }

    /// If the store rejects a record, others of its file may be stored.
    async fn write_records(
        &self,
        path: &str,
        records: Vec<Document>,
        written: &mut Written,
    ) -> Result<()> {
        let mut stored = UpsertReport::default();
        let result = self.documents.upsert_into(&mut stored, records).await;
        written.report.add(&stored);
        match result {
            Ok(()) => Ok(()),
            Err(error) => refuse(path, error, &mut written.report),
        }
    }
}

/// Skips the file if it is to blame.
fn refuse(path: &str, source: textsearch_core::Error, report: &mut IngestReport) -> Result<()> {
    if !matches!(source.kind(), ErrorKind::InvalidRecord { .. }) {
        return Err(IngestError::File { path: path.to_owned(), source });
    }
    skip(path, source, &mut report.skipped);
    Ok(())
}

/// If so, the others may be stored one by one. Errors of the model or the whole store, such as a
/// wrong key, would repeat.
fn is_about_one_document(error: &textsearch_core::Error) -> bool {
    match error.kind() {
        ErrorKind::InvalidRecord { .. } | ErrorKind::Embedding => true,
        ErrorKind::UnexpectedStatus { status, .. } => matches!(status, 400 | 413 | 422),
        _ => false,
    }
}
