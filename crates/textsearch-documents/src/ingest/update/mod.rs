//! Writes changed files to a store.

use std::collections::HashSet;

use textsearch_core::ErrorKind;

use super::{
    error::{Cause, IngestError, ReadError, Result},
    files::{Scope, SourceFile},
    ingestion::Ingestion,
    json_lines::JsonLinesConfig,
    missing::missing_documents,
    progress::{IngestEvent, Observer},
    read::{read_document, read_records},
    readable::{FileVersion, ReadableFile, skip, version_of},
    report::IngestReport,
};
use crate::{Document, DocumentFormat, DocumentStore};

const MAX_BATCH_DOCUMENTS: usize = 64;

/// Approximate, in bytes of text.
const MAX_BATCH_BYTES: usize = 256 << 10;

pub(super) struct Update<'a> {
    json: &'a JsonLinesConfig,
    observer: &'a Observer,
    documents: DocumentStore,
    report: IngestReport,
    /// Ids of all documents found, changed or not.
    seen: HashSet<String>,
    batch: Batch,
}

/// Stored in one call: each call of a store or a model has an overhead.
#[derive(Default)]
struct Batch {
    files: Vec<(SourceFile, Document)>,
    bytes: usize,
}

impl Batch {
    fn push(&mut self, file: &SourceFile, document: Document) {
        self.bytes += document.text.len();
        self.files.push((file.clone(), document));
    }

    fn is_full(&self) -> bool {
        self.files.len() >= MAX_BATCH_DOCUMENTS || self.bytes >= MAX_BATCH_BYTES
    }
}

impl<'a> Update<'a> {
    pub(super) fn new(
        ingestion: &'a Ingestion,
        documents: DocumentStore,
        report: IngestReport,
    ) -> Self {
        let Ingestion { json, observer, .. } = ingestion;
        let (seen, batch) = (HashSet::new(), Batch::default());
        Self { json, observer, documents, report, seen, batch }
    }

    pub(super) async fn run(
        mut self,
        files: &[ReadableFile],
        scopes: &[Scope],
    ) -> Result<IngestReport> {
        for ReadableFile { file, version } in files {
            self.observer.report(IngestEvent::FileStarted { path: &file.path })?;
            match file.kind.format() {
                Some(format) => self.add_text(file, format).await?,
                None => self.add_records(file, *version).await?,
            }
            self.observer.report(IngestEvent::FileFinished { path: &file.path })?;
        }
        self.store_batch().await?;
        let Self { documents, observer, mut report, seen, .. } = self;
        if !scopes.is_empty() {
            let missing = missing_documents(&documents, &seen, scopes, &report.skipped).await?;
            if !missing.is_empty() {
                observer.report(IngestEvent::RemovalStarted { documents: missing.len() })?;
                report.removed += documents.remove(missing).await?;
            }
        }
        Ok(report)
    }

    async fn add_text(&mut self, file: &SourceFile, format: DocumentFormat) -> Result<()> {
        match read_document(file, format) {
            Ok(document) if self.seen.contains(&document.id) => {
                self.refuse(file, duplicate(&document.id).into())
            }
            Ok(document) => {
                self.seen.insert(document.id.clone());
                self.batch.push(file, document);
                if self.batch.is_full() { self.store_batch().await } else { Ok(()) }
            }
            Err(error) => self.refuse(file, error.into()),
        }
    }

    async fn store_batch(&mut self) -> Result<()> {
        let files = std::mem::take(&mut self.batch).files;
        if files.is_empty() {
            return Ok(());
        }
        let count = files.len();
        self.observer.report(IngestEvent::BatchStarted { documents: count })?;
        self.store_files(files).await?;
        self.observer.report(IngestEvent::BatchFinished { documents: count })
    }

    async fn store_files(&mut self, files: Vec<(SourceFile, Document)>) -> Result<()> {
        let documents: Vec<Document> = files.iter().map(|(_, document)| document.clone()).collect();
        match self.documents.upsert(documents).await {
            Ok(report) => {
                self.report.add_files(report);
                return Ok(());
            }
            Err(error) if !is_about_one_document(&error) => return Err(error.into()),
            // Store each document alone to find the failing one.
            Err(error) => tracing::debug!(%error, "one of several documents cannot be stored"),
        }
        for (file, document) in files {
            let id = document.id.clone();
            match self.documents.upsert([document]).await {
                Ok(report) => self.report.add_files(report),
                Err(error) => {
                    self.seen.remove(&id);
                    self.refuse(&file, error.into())?;
                }
            }
        }
        Ok(())
    }

    /// Skips a file of a folder if the file is to blame.
    fn refuse(&mut self, file: &SourceFile, source: Cause) -> Result<()> {
        if file.is_named || !is_about_the_file(&source) {
            return Err(IngestError::File { path: file.path.clone(), source });
        }
        skip(file, &source, &mut self.report.skipped);
        Ok(())
    }

    /// [`ReadableFiles::check`] read all lines before.
    async fn add_records(&mut self, file: &SourceFile, before: Option<FileVersion>) -> Result<()> {
        let mut count = 0;
        match self.try_add_records(file, &mut count).await {
            Err(IngestError::Unreadable { source, .. }) if !file.is_named && count == 0 => {
                skip(file, &ReadError::Io(source).into(), &mut self.report.skipped);
                Ok(())
            }
            Err(error @ IngestError::Cancelled) => Err(error),
            Err(error) if version_of(file) != before => {
                Err(IngestError::Changed { path: file.path.clone(), source: Box::new(error) })
            }
            added => added,
        }
    }

    async fn try_add_records(&mut self, file: &SourceFile, count: &mut usize) -> Result<()> {
        let mut failure = None;
        let records = read_records(file, self.json)?;
        let (seen, observer) = (&mut self.seen, self.observer);
        let records = records.map_while(|record| {
            let read = record.and_then(|document| {
                if !seen.insert(document.id.clone()) {
                    return Err(duplicate(&document.id));
                }
                *count += 1;
                observer.report(IngestEvent::RecordRead { path: &file.path, records: *count })?;
                Ok(document)
            });
            read.map_err(|error| failure = Some(error)).ok()
        });
        let report = self.documents.upsert(records).await;
        if let Some(failure) = failure {
            return Err(failure);
        }
        // The store may reject a valid record.
        let named = |error: textsearch_core::Error| IngestError::File {
            path: file.path.clone(),
            source: error.into(),
        };
        self.report.add(&report.map_err(named)?);
        Ok(())
    }
}

fn duplicate(id: &str) -> IngestError {
    IngestError::DuplicateId { id: id.to_owned() }
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

fn is_about_the_file(error: &Cause) -> bool {
    let error = error.downcast_ref::<textsearch_core::Error>();
    error.is_none_or(|error| matches!(error.kind(), ErrorKind::InvalidRecord { .. }))
}

#[cfg(test)]
mod tests;
