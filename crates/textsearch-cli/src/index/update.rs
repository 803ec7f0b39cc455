//! Bringing a store up to date with files.

use std::{collections::HashSet, fs::File, io};

use anyhow::{Context as _, Result};
use textsearch_core::{ErrorKind, Filter};
use textsearch_documents::{Document, DocumentFormat, DocumentStore, UpsertReport};
use textsearch_vector_inmemory::InMemoryVectorStore;

use super::{
    PATH,
    catalog::Catalog,
    load::{check_records, read_document, read_records},
    progress::Progress,
    summary::Changes,
};
use crate::{
    arguments::ReadingArguments,
    errors::one_line,
    files::{FileKind, Found, Scope, Skipped, SourceFile},
    json_lines::{FieldKinds, FieldNames},
    messages,
};

/// A store that is being brought up to date, in memory: nothing is written before all went well.
struct Update<'a> {
    names: FieldNames,
    documents: DocumentStore,
    progress: &'a Progress,
    changes: Changes,
    /// The documents that are there, changed or not.
    seen: HashSet<String>,
}

/// Makes the part of `store` that was named hold what was `found`, and nothing else of it.
///
/// # Errors
///
/// For a line of JSON that cannot be read, and for a file that was named and cannot be.
pub(super) async fn update(
    store: &InMemoryVectorStore,
    found: Found,
    reading: &ReadingArguments,
    progress: &Progress,
) -> Result<Changes> {
    let names = FieldNames::new(reading.clone());
    let mut changes = Changes { skipped: found.skipped, ..Changes::default() };
    let files = readable(found.files, &mut changes.skipped);
    let catalog = catalog(store, &files, reading, &names).await?;
    let documents = catalog.documents(store).await?;
    let mut update = Update { names, documents, progress, changes, seen: HashSet::new() };
    for file in &files {
        progress.begin(&file.path);
        update.add_file(file).await?;
        progress.finish_file();
    }
    update.remove_missing(&found.scopes).await?;
    Ok(update.changes)
}

/// Leaves out the files of records that were found in a folder and cannot be opened. A line that cannot be read is
/// another matter: half of a file of records is worse than none.
fn readable(files: Vec<SourceFile>, skipped: &mut Vec<Skipped>) -> Vec<SourceFile> {
    let mut is_readable = |file: &SourceFile| {
        if file.is_named || file.kind != FileKind::JsonLines {
            return true;
        }
        let opened = File::open(&file.location).context("it cannot be read");
        opened.map_err(|error| skip(file, error, skipped)).is_ok()
    };
    files.into_iter().filter(|file| is_readable(file)).collect()
}

/// Notes that a file of a folder was left out, unless it is gone since the folder was read: then it is removed as if it
/// had never been found.
fn skip(file: &SourceFile, error: anyhow::Error, skipped: &mut Vec<Skipped>) {
    let is_gone = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    if !error.downcast_ref().is_some_and(is_gone) {
        skipped.push(Skipped { path: file.path.clone(), reason: one_line(&error) });
    }
}

/// Writes and returns what the store is to say of itself, with the fields of all records that will be read.
async fn catalog(
    store: &InMemoryVectorStore,
    files: &[SourceFile],
    reading: &ReadingArguments,
    names: &FieldNames,
) -> Result<Catalog> {
    let known = Catalog::read(store).await?.unwrap_or_else(Catalog::new);
    let mut catalog = known.with_language(reading.language.as_deref());
    let mut kinds = FieldKinds::default();
    catalog.fields.iter().for_each(|field| kinds.observe_known(field));
    for file in files.iter().filter(|file| file.kind == FileKind::JsonLines) {
        check_records(file, names, &mut kinds)?;
    }
    if kinds.is_full() {
        messages::warn(
            "the records hold objects with many different fields: filters can name only some of them",
        );
    }
    catalog.fields = kinds.into_fields();
    catalog.write(store).await?;
    Ok(catalog)
}

impl Update<'_> {
    async fn add_file(&mut self, file: &SourceFile) -> Result<()> {
        match file.kind {
            FileKind::Markdown => self.add_text(file, DocumentFormat::Markdown).await,
            FileKind::PlainText => self.add_text(file, DocumentFormat::PlainText).await,
            FileKind::Html => self.add_text(file, DocumentFormat::Html).await,
            FileKind::JsonLines => self.add_records(file).await,
        }
    }

    /// Adds a file that is one document. One that was found in a folder may be unreadable; one that was named may not.
    async fn add_text(&mut self, file: &SourceFile, format: DocumentFormat) -> Result<()> {
        let added = match read_document(file, format) {
            Ok(document) if self.seen.contains(&document.id) => Err(already_there(&document.id)),
            Ok(document) => self.add_document(document).await,
            Err(error) => Err(error),
        };
        match added {
            Err(error) if !file.is_named && is_about_the_file(&error) => {
                skip(file, error, &mut self.changes.skipped);
                Ok(())
            }
            added => added.with_context(|| format!("`{}` cannot be indexed", file.path)),
        }
    }

    async fn add_document(&mut self, document: Document) -> Result<()> {
        let id = document.id.clone();
        let report = self.documents.upsert([document]).await?;
        self.note(report);
        self.seen.insert(id);
        Ok(())
    }

    /// Adds the records of a file, a few at a time.
    async fn add_records(&mut self, file: &SourceFile) -> Result<()> {
        let mut failure = None;
        let records = read_records(file, &self.names)?;
        let (seen, progress) = (&mut self.seen, self.progress);
        let mut count = 0;
        let records = records.map_while(|record| match record {
            Ok(document) if seen.insert(document.id.clone()) => {
                count += 1;
                progress.count_records(&file.path, count);
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
        let report = report.with_context(|| format!("`{}` cannot be indexed", file.path))?;
        self.note(report);
        Ok(())
    }

    fn note(&mut self, report: UpsertReport) {
        self.changes.added += report.added;
        self.changes.changed += report.changed;
        self.changes.unchanged += report.unchanged;
        self.changes.removed += report.removed;
    }

    /// Removes what is no longer there, but keeps what is known of files that could not be read.
    async fn remove_missing(&mut self, scopes: &[Scope]) -> Result<()> {
        let scope = Filter::any(scopes.iter().map(|scope| scope.filter(PATH)));
        let unread = self.changes.skipped.iter().flat_map(|skipped| {
            [Scope::File(skipped.path.clone()), Scope::Folder(skipped.path.clone())]
        });
        let unread = Filter::any(unread.map(|scope| scope.filter(PATH)));
        let scope = scope.and(Filter::Not(Box::new(unread)));
        let seen = std::mem::take(&mut self.seen);
        self.changes.removed += self.documents.remove_missing(&scope, seen).await?;
        Ok(())
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
mod tests {
    use super::*;

    fn markdown(location: &std::path::Path) -> SourceFile {
        SourceFile {
            location: location.to_owned(),
            path: "docs/a.md".to_owned(),
            kind: FileKind::Markdown,
            is_named: false,
        }
    }

    fn skipped(file: &SourceFile) -> Vec<Skipped> {
        let mut skipped = Vec::new();
        let error = read_document(file, DocumentFormat::Markdown).unwrap_err();
        skip(file, error, &mut skipped);
        skipped
    }

    #[test]
    fn a_file_that_is_gone_since_the_folder_was_read_is_not_kept_as_unreadable() {
        assert_eq!(skipped(&markdown("no/such/file.md".as_ref())), []);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_skipped_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let found = skipped(&markdown(folder.path()));
        assert_eq!(found[0].path, "docs/a.md");
        assert!(found[0].reason.starts_with("it cannot be read: "), "{}", found[0].reason);
    }
}
