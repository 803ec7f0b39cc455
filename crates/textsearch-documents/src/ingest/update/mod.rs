//! Writes changed files to a store: files are read while those before them are embedded and stored.

mod batch;
mod reader;
mod writer;

use futures_channel::mpsc;
use futures_util::future::join;

use self::{reader::Reader, writer::Writer};
use super::{
    error::Result,
    files::{Scope, SourceFile},
    ingestion::{Ingestion, Reading},
    missing::missing_documents,
    progress::{IngestEvent, Observer},
    report::IngestReport,
};
use crate::DocumentStore;

pub(super) struct Update<'a> {
    reading: &'a Reading,
    observer: &'a Observer,
    documents: DocumentStore,
    report: IngestReport,
}

impl<'a> Update<'a> {
    pub(super) fn new(
        ingestion: &'a Ingestion,
        documents: DocumentStore,
        report: IngestReport,
    ) -> Self {
        let Ingestion { reading, observer, .. } = ingestion;
        Self { reading, observer, documents, report }
    }

    /// Stores what was read even if reading ends early.
    pub(super) async fn run(self, files: &[SourceFile], scopes: &[Scope]) -> Result<IngestReport> {
        let Self { reading, observer, documents, mut report } = self;
        // Holds one batch that the writer hasn't taken yet.
        let (sender, batches) = mpsc::channel(0);
        let reader = Reader::new(reading, observer, documents.group(), sender);
        let writer = Writer { documents: &documents, observer };
        let (read, written) = join(reader.read(files), writer.write(batches)).await;
        let written = written?;
        read.result?;
        observer.check()?;
        let mut seen = read.seen;
        written.refused.iter().for_each(|id| {
            seen.remove(id);
        });
        report.skipped.extend(read.skipped);
        report.append(written.report);
        if !scopes.is_empty() {
            let missing = missing_documents(&documents, &seen, scopes, &report.skipped).await?;
            if !missing.is_empty() {
                observer.report(IngestEvent::RemovalStarted { documents: missing.len() })?;
                report.removed += documents.remove(missing).await?;
            }
        }
        Ok(report)
    }
}

#[cfg(test)]
mod tests;
