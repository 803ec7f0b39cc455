//! Embeds and stores batches of documents.

use futures_channel::mpsc::Receiver;
use futures_util::StreamExt as _;
use textsearch_core::ErrorKind;

use super::batch::Batch;
use crate::{
    DocumentStore, UpsertReport,
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
pub(super) struct WriteOutcome {
    pub(super) report: IngestReport,
    /// Ids of documents that the store or the model rejected.
    pub(super) refused: Vec<String>,
}

impl Writer<'_> {
    pub(super) async fn write(&self, batches: Receiver<Batch>) -> Result<WriteOutcome> {
        let mut batches =
            batches.map(|batch| self.write_batch(batch)).buffer_unordered(CONCURRENT_BATCHES);
        let mut outcome = WriteOutcome::default();
        let mut result = Ok(());
        while let Some(batch) = batches.next().await {
            match batch {
                Ok(batch) => {
                    outcome.report.append(batch.report);
                    outcome.refused.extend(batch.refused);
                }
                Err(error) => {
                    // Batches whose embeddings are made are stored.
                    self.observer.stop();
                    result = result.and(Err(error));
                }
            }
        }
        result.map(|()| outcome)
    }

    async fn write_batch(&self, batch: Batch) -> Result<WriteOutcome> {
        let documents = batch.group.documents.len();
        self.observer.check_running()?;
        let _in_progress = self.observer.start_batch(documents);
        let mut outcome = WriteOutcome::default();
        self.write_documents(batch, &mut outcome).await?;
        self.observer.notify(IngestEvent::BatchFinished { documents });
        Ok(outcome)
    }

    async fn write_documents(&self, batch: Batch, outcome: &mut WriteOutcome) -> Result<()> {
        let Batch { group, records_of } = batch;
        let report = &mut outcome.report;
        let count = |report: &mut IngestReport, stored: UpsertReport| match records_of {
            // The reader counts records without text.
            Some(_) => report.add(&stored),
            None => report.add_files(stored),
        };
        let mut stored = UpsertReport::default();
        match self.documents.write(&group, &mut stored).await {
            Ok(()) => {
                count(report, stored);
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
        for document in group.documents {
            let id = document.id.clone();
            match self.documents.upsert([document]).await {
                Ok(mut stored) => {
                    let counted = stored.unchanged.min(already_stored);
                    already_stored -= counted;
                    stored.unchanged -= counted;
                    count(report, stored);
                }
                Err(error) => {
                    // The earlier versions of all records of the file stay.
                    refuse(records_of.as_deref().unwrap_or(&id), error, report)?;
                    outcome.refused.push(id);
                }
            }
        }
        Ok(())
    }
}

/// Skips the file if it is to blame.
fn refuse(path: &str, source: textsearch_core::Error, report: &mut IngestReport) -> Result<()> {
    // Without embeddings, a model may be to blame.
    if !is_about_one_document(&source) || *source.kind() == ErrorKind::Embedding {
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
