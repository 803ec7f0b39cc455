//! Reads files in batches of documents.

use std::{collections::HashSet, future::poll_fn};

use futures_channel::mpsc::Sender;
use textsearch_core::yield_now;

use super::batch::Batch;
use crate::{
    Document,
    ingest::{
        error::{Cause, IngestError, Result},
        files::SourceFile,
        ingestion::Reading,
        progress::{IngestEvent, Observer},
        read::{read_documents, read_records},
        readable::skip,
        skipped::Skipped,
    },
    store::Group,
};

pub(super) struct Reader<'a> {
    reading: &'a Reading,
    observer: &'a Observer,
    /// The documents to send next.
    group: Group,
    sender: Sender<Batch>,
    outcome: ReadOutcome,
}

/// What was read.
pub(super) struct ReadOutcome {
    /// Ids of all documents found, changed or not.
    pub(super) seen: HashSet<String>,
    pub(super) skipped: Vec<Skipped>,
    /// Why reading ended early.
    pub(super) result: Result<()>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        reading: &'a Reading,
        observer: &'a Observer,
        group: Group,
        sender: Sender<Batch>,
    ) -> Self {
        let outcome = ReadOutcome { seen: HashSet::new(), skipped: Vec::new(), result: Ok(()) };
        Self { reading, observer, group, sender, outcome }
    }

    pub(super) async fn read(mut self, files: &[SourceFile]) -> ReadOutcome {
        self.outcome.result = self.add_files(files).await;
        // Reading the documents may have taken long, even if it was cancelled.
        let sent = self.send(None).await;
        self.outcome.result = self.outcome.result.and(sent);
        yield_now().await;
        self.observer.report_waiting();
        self.outcome
    }

    async fn add_files(&mut self, files: &[SourceFile]) -> Result<()> {
        for file in files {
            // Lets the caller drop the future, however long the files are read without a pause.
            yield_now().await;
            self.add_file(file).await?;
        }
        Ok(())
    }

    async fn add_file(&mut self, file: &SourceFile) -> Result<()> {
        self.observer.report(IngestEvent::FileStarted { path: &file.path })?;
        if file.kind.is_records() {
            self.send(None).await?;
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
                Ok(document) if !self.outcome.seen.insert(document.id.clone()) => {
                    self.skip(&document.id, duplicate(&document.id));
                }
                Ok(document) => self.add(document, None).await?,
                Err((id, error)) => self.skip(&id, error),
            }
            yield_now().await;
        }
        Ok(())
    }

    async fn add(&mut self, document: Document, records_of: Option<&str>) -> Result<()> {
        if !self.group.has_room_for(&document) {
            self.send(records_of).await?;
        }
        self.group.push(document);
        Ok(())
    }

    /// [`ReadableFiles::check`](crate::ingest::readable::ReadableFiles::check) read all lines
    /// before, so an error now means that the file changed.
    async fn add_records(&mut self, file: &SourceFile) -> Result<()> {
        let mut count = 0;
        let added = self.try_add_records(file, &mut count).await;
        let sent = self.send(Some(&file.path)).await;
        match added {
            Ok(()) => {}
            Err(error @ IngestError::Cancelled) => return Err(error),
            Err(error @ IngestError::DuplicateId { .. }) => self.skip(&file.path, error),
            Err(error) if count == 0 => self.skip(&file.path, error),
            Err(error) => {
                let path = file.path.clone();
                let source = Box::new(error);
                return Err(IngestError::Changed { path, source });
            }
        }
        sent
    }

    async fn try_add_records(&mut self, file: &SourceFile, count: &mut usize) -> Result<()> {
        for record in read_records(file, self.reading)? {
            let (document, bytes) = record?;
            if !self.outcome.seen.insert(document.id.clone()) {
                return Err(duplicate(&document.id));
            }
            *count += 1;
            let path = &file.path;
            self.observer.report(IngestEvent::RecordRead { path, records: *count, bytes })?;
            self.add(document, Some(path)).await?;
        }
        Ok(())
    }

    /// Waits until the writer has room.
    async fn send(&mut self, records_of: Option<&str>) -> Result<()> {
        if self.group.documents.is_empty() {
            return Ok(());
        }
        // The writer takes what it has room for.
        yield_now().await;
        let mut has_waited = false;
        let ready = poll_fn(|context| {
            let ready = self.sender.poll_ready(context);
            if ready.is_pending() && !has_waited {
                has_waited = true;
                self.observer.report_waiting();
            }
            ready
        });
        let group = self.group.take();
        let batch = Batch { group, records_of: records_of.map(str::to_owned) };
        let sent = ready.await.and_then(|()| self.sender.start_send(batch));
        // The writer takes all batches.
        sent.map_err(|_| IngestError::Cancelled)
    }

    fn skip(&mut self, path: &str, error: impl Into<Cause>) {
        skip(path, error, &mut self.outcome.skipped);
    }
}

fn duplicate(id: &str) -> IngestError {
    IngestError::DuplicateId { id: id.to_owned() }
}
