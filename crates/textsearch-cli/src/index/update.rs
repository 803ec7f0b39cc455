//! Bringing a store up to date with files.

use std::{collections::HashSet, fs, io, time::SystemTime};

use anyhow::{Context as _, Result};
use textsearch_core::ErrorKind;
use textsearch_documents::{Document, DocumentFormat, DocumentStore, UpsertReport};

use super::{
    any_text::check_any_text,
    cannot_be_used,
    catalog::Catalog,
    load::{check_records, read_document, read_records},
    missing::remove_missing,
    ownership::{check_deletable, documents},
    summary::Changes,
};
use crate::{
    arguments::ReadingArguments,
    embeddings::Embedder,
    errors::one_line,
    files::{FileKind, Found, Skipped, SourceFile},
    json_lines::{FieldKinds, FieldNames},
    messages,
    progress::Progress,
    store::OpenStore,
};

/// How many documents are added together at most.
const MOST_WAITING: usize = 64;

/// How many bytes of text are added together, about.
const MOST_WAITING_BYTES: usize = 256 << 10;

/// A file that was looked at, and by what it is known to be the same.
struct LookedAt {
    file: SourceFile,
    stamp: Option<Stamp>,
}

/// The size of a file, and when it was changed.
type Stamp = (u64, SystemTime);

/// What a run begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StartFrom {
    /// What the store holds.
    Store,
    /// Nothing: what the store holds is deleted.
    Nothing,
}

/// What a run made of a store.
#[derive(Debug)]
pub(super) struct Updated {
    /// What is another than before.
    pub(super) changes: Changes,
    /// What the store says of itself now.
    pub(super) catalog: Catalog,
}

/// A store that is being brought up to date, in memory: nothing is written before all went well.
struct Update<'a> {
    names: FieldNames,
    documents: DocumentStore,
    progress: &'a Progress,
    changes: Changes,
    /// The documents that are there, changed or not.
    seen: HashSet<String>,
    waiting: Waiting,
}

/// Documents that are added together: each call costs a server something of its own, and a model that makes embeddings.
#[derive(Default)]
struct Waiting {
    files: Vec<(SourceFile, Document)>,
    bytes: usize,
}

impl Waiting {
    fn push(&mut self, file: &SourceFile, document: Document) {
        self.bytes += document.text.len();
        self.files.push((file.clone(), document));
    }

    fn is_full(&self) -> bool {
        self.files.len() >= MOST_WAITING || self.bytes >= MOST_WAITING_BYTES
    }
}

/// Makes the part of `store` that was named hold what was `found`, and nothing else of it; with embeddings by
/// `embedder` where there is one.
///
/// # Errors
///
/// For a line of JSON that cannot be read, for a file that was named and cannot be, and for a model that is not the
/// store's.
pub(super) async fn update(
    store: &OpenStore,
    start_from: StartFrom,
    embedder: Option<Embedder>,
    found: Found,
    reading: &ReadingArguments,
    progress: &Progress,
) -> Result<Updated> {
    let names = FieldNames::new(reading.clone());
    if start_from == StartFrom::Nothing {
        let checked = check_deletable(store).await;
        checked.with_context(|| cannot_be_used(&store.location))?;
    }
    let mut changes = Changes { skipped: found.skipped, ..Changes::default() };
    let known = match start_from {
        StartFrom::Store => Catalog::read(store).await?,
        StartFrom::Nothing => None,
    };
    let is_new = known.is_none();
    let catalog = catalog_for(known, embedder.as_ref(), &store.location).await?;
    let catalog = catalog.with_language(reading.language.as_deref());
    let (catalog, files) = look_through(catalog, found.files, &names, &mut changes)?;
    if start_from == StartFrom::Nothing {
        check_any_text(files.iter().map(|LookedAt { file, .. }| file), &names)?;
        documents(store)?.delete_collection().await?;
    }
    // Documents without a catalog are nobody's: a run that ends between the two must leave what the next one knows
    // again. But a store that has documents and refuses these must keep the catalog that it had.
    if is_new {
        catalog.write(store).await?;
    }
    let documents = catalog.documents(store, embedder).await?;
    if !is_new {
        catalog.write(store).await?;
    }
    let waiting = Waiting::default();
    let mut update = Update { names, documents, progress, changes, seen: HashSet::new(), waiting };
    for LookedAt { file, stamp } in &files {
        progress.begin(&file.path);
        update.add_file(file, *stamp).await?;
        progress.finish_one();
    }
    update.add_waiting().await?;
    let Update { documents, mut changes, seen, .. } = update;
    changes.removed += remove_missing(&documents, &seen, &found.scopes, &changes.skipped).await?;
    Ok(Updated { changes, catalog })
}

/// Notes that a file of a folder was left out, unless it is gone since the folder was read: then it is removed as if it
/// had never been found.
fn skip(file: &SourceFile, error: anyhow::Error, skipped: &mut Vec<Skipped>) {
    let is_gone = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    if error.downcast_ref().is_some_and(is_gone) {
        return;
    }
    let reason = match error.downcast_ref::<io::Error>() {
        Some(error) => format!("it cannot be read: {error}"),
        None => one_line(&error),
    };
    skipped.push(Skipped { path: file.path.clone(), reason, unread_kind: None });
}

/// What a store says of itself that said what is `known`, or is to say where it is new.
async fn catalog_for(
    known: Option<Catalog>,
    embedder: Option<&Embedder>,
    location: &str,
) -> Result<Catalog> {
    match (known, embedder) {
        (None, None) => Ok(Catalog::new()),
        (None, Some(embedder)) => Catalog::new().with_embeddings_by(embedder).await,
        (Some(known), None) => known.check_no_embeddings(location).map(|()| known),
        (Some(known), Some(embedder)) => known.with_details_of(embedder, location),
    }
}

/// Reads all files of records once. Returns the files without those of a folder that cannot be read, and what the store
/// is to say of itself: it has the fields of all records.
///
/// A line that cannot be read is another matter than a file: half of a file of records is worse than none.
fn look_through(
    mut catalog: Catalog,
    files: Vec<SourceFile>,
    names: &FieldNames,
    changes: &mut Changes,
) -> Result<(Catalog, Vec<LookedAt>)> {
    let mut kinds = FieldKinds::default();
    catalog.fields.iter().for_each(|field| kinds.observe_known(field));
    let mut readable = Vec::new();
    for file in files {
        let stamp = stamp(&file);
        match check_if_records(&file, names, &mut kinds) {
            Err(error) if !file.is_named && is_unreadable(&error) => {
                skip(&file, error, &mut changes.skipped);
            }
            checked => {
                checked?;
                readable.push(LookedAt { file, stamp });
            }
        }
    }
    if kinds.is_full() {
        messages::warn(
            "the records hold objects with many different fields: filters can name only some of them",
        );
    }
    catalog.fields = kinds.into_fields();
    Ok((catalog, readable))
}

fn check_if_records(file: &SourceFile, names: &FieldNames, kinds: &mut FieldKinds) -> Result<()> {
    if file.kind == FileKind::JsonLines { check_records(file, names, kinds) } else { Ok(()) }
}

fn stamp(file: &SourceFile) -> Option<Stamp> {
    let metadata = fs::metadata(&file.location).ok()?;
    Some((metadata.len(), metadata.modified().ok()?))
}

/// Whether a file cannot be read at all, whatever is in it.
fn is_unreadable(error: &anyhow::Error) -> bool {
    error.is::<io::Error>()
}

impl Update<'_> {
    async fn add_file(&mut self, file: &SourceFile, stamp_before: Option<Stamp>) -> Result<()> {
        match file.kind.format() {
            Some(format) => self.add_text(file, format).await,
            None => self.add_records(file, stamp_before).await,
        }
    }

    /// Adds a file that is one document, now or with those after it.
    async fn add_text(&mut self, file: &SourceFile, format: DocumentFormat) -> Result<()> {
        match read_document(file, format) {
            Ok(document) if self.seen.contains(&document.id) => {
                self.refuse(file, already_there(&document.id))
            }
            Ok(document) => {
                self.seen.insert(document.id.clone());
                self.waiting.push(file, document);
                if self.waiting.is_full() { self.add_waiting().await } else { Ok(()) }
            }
            Err(error) => self.refuse(file, error),
        }
    }

    /// Adds the documents that wait, in one call.
    async fn add_waiting(&mut self) -> Result<()> {
        let waiting = std::mem::take(&mut self.waiting).files;
        let documents: Vec<Document> =
            waiting.iter().map(|(_, document)| document.clone()).collect();
        match self.documents.upsert(documents).await {
            Ok(report) => {
                self.note(report);
                return Ok(());
            }
            Err(error) if error.is_retryable() => return Err(error.into()),
            // Which of them is to blame shows when each is added by itself.
            Err(error) => tracing::debug!(%error, "one of several documents cannot be stored"),
        }
        for (file, document) in waiting {
            let id = document.id.clone();
            match self.documents.upsert([document]).await {
                Ok(report) => self.note(report),
                Err(error) => {
                    self.seen.remove(&id);
                    self.refuse(&file, error.into())?;
                }
            }
        }
        Ok(())
    }

    /// Leaves a file out that was found in a folder, if it is the file that is to blame; one that was named may not be
    /// left out.
    fn refuse(&mut self, file: &SourceFile, error: anyhow::Error) -> Result<()> {
        if file.is_named || !is_about_the_file(&error) {
            return Err(error.context(format!("`{}` cannot be indexed", file.path)));
        }
        skip(file, error, &mut self.changes.skipped);
        Ok(())
    }

    /// Adds the records of a file, a few at a time. All lines were read once before.
    async fn add_records(&mut self, file: &SourceFile, before: Option<Stamp>) -> Result<()> {
        let mut count = 0;
        match self.try_add_records(file, &mut count).await {
            Err(error) if !file.is_named && count == 0 && is_unreadable(&error) => {
                skip(file, error, &mut self.changes.skipped);
                Ok(())
            }
            Err(error) if stamp(file) != before => {
                Err(error.context(format!("`{}` changed while it was read: try again", file.path)))
            }
            added => added,
        }
    }

    async fn try_add_records(&mut self, file: &SourceFile, count: &mut usize) -> Result<()> {
        let mut failure = None;
        let records = read_records(file, &self.names)?;
        let (seen, progress) = (&mut self.seen, self.progress);
        let records = records.map_while(|record| match record {
            Ok(document) if seen.insert(document.id.clone()) => {
                *count += 1;
                progress.count_records(&file.path, *count);
                Some(document)
            }
            Ok(document) => {
                failure = Some(already_there(&document.id));
                None
            }
            Err(error) => {
                failure = Some(error);
                None
            }
        });
        let report = self.documents.upsert(records).await;
        if let Some(failure) = failure {
            return Err(failure);
        }
        // The lines were read once before, but what the store makes of them is known only now.
        self.note(report.with_context(|| format!("`{}` cannot be indexed", file.path))?);
        Ok(())
    }

    fn note(&mut self, report: UpsertReport) {
        self.changes.added += report.added;
        self.changes.changed += report.changed;
        self.changes.unchanged += report.unchanged;
        self.changes.removed += report.removed;
    }
}

/// A record is called by its file and its id, and a file may have just that name.
fn already_there(id: &str) -> anyhow::Error {
    anyhow::anyhow!(
        "a file and a record of JSON Lines are both called `{id}`: try to rename the file"
    )
}

/// Whether one file is to blame, and not the store: the file cannot be read, or not be understood.
fn is_about_the_file(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<textsearch_core::Error>();
    error.is_none_or(|error| matches!(error.kind(), ErrorKind::InvalidRecord { .. }))
}

#[cfg(test)]
mod tests;
