//! Writes changed files to a store.

use std::collections::HashSet;

use textsearch_core::{ErrorKind, yield_now};

use super::{
    error::{Cause, IngestError, Result},
    files::{Scope, SourceFile},
    ingestion::{Ingestion, Reading},
    missing::missing_documents,
    progress::{IngestEvent, Observer},
    read::{read_documents, read_records},
    readable::skip,
    report::IngestReport,
};
use crate::{Document, DocumentStore, UpsertReport, store::Group};

pub(super) struct Update<'a> {
    reading: &'a Reading,
    observer: &'a Observer,
    documents: DocumentStore,
    report: IngestReport,
    /// Ids of all documents found, changed or not.
    seen: HashSet<String>,
    /// The documents to store next.
    group: Group,
}

impl<'a> Update<'a> {
    pub(super) fn new(
        ingestion: &'a Ingestion,
        documents: DocumentStore,
        report: IngestReport,
    ) -> Self {
        let Ingestion { reading, observer, .. } = ingestion;
        let group = documents.group();
        Self { reading, observer, documents, report, seen: HashSet::new(), group }
    }

    pub(super) async fn run(
        mut self,
        files: &[SourceFile],
        scopes: &[Scope],
    ) -> Result<IngestReport> {
        for file in files {
            // Lets the caller drop the future, however long the files are read without a pause.
            yield_now().await;
            let added = self.add_file(file).await;
            if matches!(added, Err(IngestError::Cancelled)) {
                // Reading the documents may have taken long.
                let documents = std::mem::take(&mut self.group.documents);
                self.store_documents(documents).await?;
            }
            added?;
        }
        self.store_group().await?;
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

    async fn add_file(&mut self, file: &SourceFile) -> Result<()> {
        self.observer.report(IngestEvent::FileStarted { path: &file.path })?;
        if file.kind.is_records() {
            self.add_records(file).await?;
        } else {
            self.add_documents(file).await?;
        }
        let bytes = file.stamp.bytes;
        self.observer.report(IngestEvent::FileFinished { path: &file.path, bytes })
    }

    async fn add_documents(&mut self, file: &SourceFile) -> Result<()> {
        let documents = match read_documents(file, self.reading).await {
            Ok(documents) => documents,
            Err(error) => {
                self.skip(&file.path, error);
                return Ok(());
            }
        };
        for document in documents {
            match document {
                Ok(document) if self.seen.contains(&document.id) => {
                    self.skip(&document.id, duplicate(&document.id));
                }
                Ok(document) => self.add(document).await?,
                Err((id, error)) => self.skip(&id, error),
            }
            yield_now().await;
        }
        Ok(())
    }

    async fn add(&mut self, document: Document) -> Result<()> {
        self.seen.insert(document.id.clone());
        if !self.group.has_room_for(&document) {
            self.store_group().await?;
        }
        self.group.push(document);
        Ok(())
    }

    async fn store_group(&mut self) -> Result<()> {
        let documents = std::mem::replace(&mut self.group, self.documents.group()).documents;
        let count = documents.len();
        if count == 0 {
            return Ok(());
        }
        self.observer.report(IngestEvent::BatchStarted { documents: count })?;
        self.store_documents(documents).await?;
        self.observer.report(IngestEvent::BatchFinished { documents: count })
    }

    async fn store_documents(&mut self, documents: Vec<Document>) -> Result<()> {
        let mut stored = UpsertReport::default();
        match self.documents.upsert_into(&mut stored, documents.clone()).await {
            Ok(()) => {
                self.report.add_files(stored);
                return Ok(());
            }
            Err(error) if !is_about_one_document(&error) => return Err(error.into()),
            // Store each document alone to find the failing one.
            Err(error) => tracing::debug!(%error, "one of several documents cannot be stored"),
        }
        // Those that the batch stored are unchanged now.
        self.report.added += stored.added;
        self.report.changed += stored.changed;
        self.report.removed += stored.removed;
        let mut already_stored = stored.added + stored.changed;
        for document in documents {
            let id = document.id.clone();
            match self.documents.upsert([document]).await {
                Ok(mut report) => {
                    let counted = report.unchanged.min(already_stored);
                    already_stored -= counted;
                    report.unchanged -= counted;
                    self.report.add_files(report);
                }
                Err(error) => {
                    self.seen.remove(&id);
                    self.refuse(&id, error)?;
                }
            }
        }
        Ok(())
    }

    /// Skips the file if it is to blame.
    fn refuse(&mut self, path: &str, source: textsearch_core::Error) -> Result<()> {
        if !matches!(source.kind(), ErrorKind::InvalidRecord { .. }) {
            return Err(IngestError::File { path: path.to_owned(), source });
        }
        self.skip(path, source);
        Ok(())
    }

    fn skip(&mut self, path: &str, error: impl Into<Cause>) {
        skip(path, error, &mut self.report.skipped);
    }

    /// [`ReadableFiles::check`](super::readable::ReadableFiles::check) read all lines before, so an
    /// error now means that the file changed. If the store rejects a record, those before it may be
    /// stored.
    async fn add_records(&mut self, file: &SourceFile) -> Result<()> {
        let mut count = 0;
        match self.try_add_records(file, &mut count).await {
            Ok(()) => {}
            Err(error @ IngestError::Cancelled) => return Err(error),
            Err(IngestError::Backend(error)) => self.refuse(&file.path, error)?,
            Err(error @ IngestError::DuplicateId { .. }) => self.skip(&file.path, error),
            Err(error) if count == 0 => self.skip(&file.path, error),
            Err(error) => {
                let path = file.path.clone();
                let source = Box::new(error);
                return Err(IngestError::Changed { path, source });
            }
        }
        Ok(())
    }

    async fn try_add_records(&mut self, file: &SourceFile, count: &mut usize) -> Result<()> {
        let mut failure = None;
        let records = read_records(file, self.reading)?;
        let seen = &mut self.seen;
        let observer = self.observer;
        let records = records.map_while(|record| {
            let read = record.and_then(|(document, bytes)| {
                if !seen.insert(document.id.clone()) {
                    return Err(duplicate(&document.id));
                }
                *count += 1;
                let path = &file.path;
                observer.report(IngestEvent::RecordRead { path, records: *count, bytes })?;
                Ok(document)
            });
            read.map_err(|error| failure = Some(error)).ok()
        });
        let mut report = UpsertReport::default();
        let stored = self.documents.upsert_into(&mut report, records).await;
        self.report.add(&report);
        match failure {
            Some(failure) => Err(failure),
            None => Ok(stored?),
        }
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

#[cfg(test)]
mod tests;
