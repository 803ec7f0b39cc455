//! Writing what changed in files to a store.

use std::{collections::HashSet, fs, io, time::SystemTime};

use textsearch_core::ErrorKind;

use super::{
    error::{Cause, IngestError, ReadError, Result, one_line},
    files::{FileKind, FoundFiles, Scope, SkipReason, Skipped, SourceFile},
    index::Catalog,
    ingestion::{IngestEvent, Ingestion, Observer},
    json_lines::{JsonLinesConfig, SchemaInference},
    missing::remove_missing,
    read::{check_records, read_document, read_records},
    report::IngestReport,
};
use crate::{Document, DocumentFormat, DocumentStore};

/// How many documents are stored in one call.
const MAX_BATCH_DOCUMENTS: usize = 64;

/// How many bytes of text are stored in one call, about.
const MAX_BATCH_BYTES: usize = 256 << 10;

/// A file, and what its metadata were before it was read.
pub(super) struct Surveyed {
    pub(super) file: SourceFile,
    stamp: Option<Stamp>,
}

/// The size of a file, and when it was changed.
type Stamp = (u64, SystemTime);

/// The files that can be read, after all records were checked.
pub(super) struct Survey {
    pub(super) files: Vec<Surveyed>,
    pub(super) report: IngestReport,
}

impl Survey {
    /// Reads all files of records once, and adds their fields to `catalog`. Skips files of folders that can't be read.
    ///
    /// # Errors
    ///
    /// [`Record`](IngestError::Record) for a bad line: half of a file of records is worse than none. And
    /// [`Unreadable`](IngestError::Unreadable) for a file that was given by its own path.
    pub(super) fn of(
        found: FoundFiles,
        json: &JsonLinesConfig,
        catalog: &mut Catalog,
    ) -> Result<Self> {
        let mut schema = SchemaInference::default();
        catalog.fields.iter().for_each(|field| schema.observe_known(field));
        let mut report = IngestReport { skipped: found.skipped, ..IngestReport::default() };
        let mut files = Vec::new();
        for file in found.files {
            let stamp = stamp(&file);
            let checked = match file.kind {
                FileKind::JsonLines => {
                    check_records(&file, json, &mut schema, &mut report.records_without_text)
                }
                _ => Ok(()),
            };
            match checked {
                Err(IngestError::Unreadable { source, .. }) if !file.is_named => {
                    skip(&file, &ReadError::Io(source).into(), &mut report.skipped);
                }
                checked => {
                    checked?;
                    files.push(Surveyed { file, stamp });
                }
            }
        }
        report.has_dropped_fields = schema.is_full();
        catalog.fields = schema.into_fields();
        Ok(Self { files, report })
    }
}

/// An ingestion that is writing to a store.
pub(super) struct Update<'a> {
    json: &'a JsonLinesConfig,
    observer: &'a Observer,
    documents: DocumentStore,
    report: IngestReport,
    /// The ids of the documents that are there, changed or not.
    seen: HashSet<String>,
    batch: Batch,
}

/// Documents to be stored in one call: each call of a store or a model has an overhead.
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

    /// Stores the files, then removes other documents of `scopes`.
    pub(super) async fn run(
        mut self,
        files: &[Surveyed],
        scopes: &[Scope],
    ) -> Result<IngestReport> {
        for Surveyed { file, stamp } in files {
            self.observer.report(IngestEvent::FileStarted { path: &file.path })?;
            match file.kind.format() {
                Some(format) => self.add_text(file, format).await?,
                None => self.add_records(file, *stamp).await?,
            }
            self.observer.report(IngestEvent::FileFinished { path: &file.path })?;
        }
        self.store_batch().await?;
        let Self { documents, mut report, seen, .. } = self;
        if !scopes.is_empty() {
            report.removed += remove_missing(&documents, &seen, scopes, &report.skipped).await?;
        }
        Ok(report)
    }

    /// Adds a file that is one document to the batch, and stores the batch if it is full.
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

    /// Stores the batch in one call, or its documents one by one if the store refuses one of them.
    async fn store_batch(&mut self) -> Result<()> {
        let files = std::mem::take(&mut self.batch).files;
        let documents: Vec<Document> = files.iter().map(|(_, document)| document.clone()).collect();
        match self.documents.upsert(documents).await {
            Ok(report) => {
                self.report.add_files(report);
                return Ok(());
            }
            Err(error) if !is_about_one_document(&error) => return Err(error.into()),
            // Storing them one by one tells which document it is about.
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

    /// Skips a file of a folder if the error is about the file.
    fn refuse(&mut self, file: &SourceFile, source: Cause) -> Result<()> {
        if file.is_named || !is_about_the_file(&source) {
            return Err(IngestError::File { path: file.path.clone(), source });
        }
        skip(file, &source, &mut self.report.skipped);
        Ok(())
    }

    /// Stores the records of a file, a few at a time. [`Survey::of`] read all lines before.
    async fn add_records(&mut self, file: &SourceFile, before: Option<Stamp>) -> Result<()> {
        let mut count = 0;
        match self.try_add_records(file, &mut count).await {
            Err(IngestError::Unreadable { source, .. }) if !file.is_named && count == 0 => {
                skip(file, &ReadError::Io(source).into(), &mut self.report.skipped);
                Ok(())
            }
            Err(error @ IngestError::Cancelled) => Err(error),
            Err(error) if stamp(file) != before => {
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
        // The store may refuse a record that the survey could read.
        let named = |error: textsearch_core::Error| IngestError::File {
            path: file.path.clone(),
            source: error.into(),
        };
        self.report.add(&report.map_err(named)?);
        Ok(())
    }
}

/// Notes that a file of a folder was skipped, unless it is gone since the folder was read: then its document is removed.
fn skip(file: &SourceFile, error: &Cause, skipped: &mut Vec<Skipped>) {
    let reason = match error.downcast_ref::<ReadError>() {
        Some(ReadError::Io(error)) if error.kind() == io::ErrorKind::NotFound => return,
        Some(ReadError::NotText(reason)) => SkipReason::NotText(*reason),
        _ => SkipReason::Failed(one_line(&**error)),
    };
    skipped.push(Skipped { path: file.path.clone(), reason });
}

fn stamp(file: &SourceFile) -> Option<Stamp> {
    let metadata = fs::metadata(&file.location).ok()?;
    Some((metadata.len(), metadata.modified().ok()?))
}

fn duplicate(id: &str) -> IngestError {
    IngestError::DuplicateId { id: id.to_owned() }
}

/// Returns whether `error` may be about one document of several: the others may then be stored by themselves. Errors of
/// the model or the store as a whole, such as a wrong key, would only repeat.
fn is_about_one_document(error: &textsearch_core::Error) -> bool {
    match error.kind() {
        ErrorKind::InvalidRecord { .. } | ErrorKind::Embedding => true,
        ErrorKind::UnexpectedStatus { status, .. } => matches!(status, 400 | 413 | 422),
        _ => false,
    }
}

/// Returns whether one file is to blame, not the store: it can't be read or understood.
fn is_about_the_file(error: &Cause) -> bool {
    let error = error.downcast_ref::<textsearch_core::Error>();
    error.is_none_or(|error| matches!(error.kind(), ErrorKind::InvalidRecord { .. }))
}

#[cfg(test)]
mod tests;
