//! Writes changed files to a store: files are read while those before them are embedded and stored.

mod batch;
mod reader;
mod writer;

use futures_channel::mpsc;
use futures_util::future::join;

use self::{reader::Reader, writer::Writer};
use super::{
    error::Result, files::SourceFile, ingestion::Ingestion, missing::missing_documents,
    progress::IngestEvent, report::IngestReport,
};
use crate::DocumentStore;

/// Stores `files` and removes missing documents. Adds to `report`, which holds the files that were
/// skipped before. Stores all documents that were read, even if reading fails or is cancelled.
pub(super) async fn run(
    ingestion: &Ingestion,
    documents: &DocumentStore,
    mut report: IngestReport,
    files: &[SourceFile],
) -> Result<IngestReport> {
    let Ingestion { reading, observer, .. } = ingestion;
    let scopes = &ingestion.files.scopes;
    // Holds one batch that the writer hasn't taken yet.
    let (sender, batches) = mpsc::channel(0);
    let reader = Reader::new(reading, observer, documents.group(), sender);
    let writer = Writer { documents, observer };
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
        let missing = missing_documents(documents, &seen, scopes, &report.skipped).await?;
        if !missing.is_empty() {
            observer.report(IngestEvent::RemovalStarted { documents: missing.len() })?;
            report.removed += documents.remove(missing).await?;
        }
    }
    Ok(report)
}

#[cfg(test)]
mod tests;
