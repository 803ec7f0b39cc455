//! Bringing a store up to date with files.

use std::{collections::HashSet, fs, io, sync::Arc, time::SystemTime};

use anyhow::{Context as _, Result};
use futures_util::TryStreamExt as _;
use serde_json::Value;
use textsearch_core::{
    ErrorKind, Filter,
    vector::{EmbeddingGenerator, ScanOptions},
};
use textsearch_documents::{Document, DocumentFormat, DocumentStore, StoredDocument, UpsertReport};

use super::{
    PATH,
    catalog::Catalog,
    load::{check_records, read_document, read_records},
    summary::Changes,
};
use crate::{
    arguments::ReadingArguments,
    errors::one_line,
    files::{FileKind, Found, Scope, Skipped, SourceFile},
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
/// `generator` where there is one.
///
/// # Errors
///
/// For a line of JSON that cannot be read, for a file that was named and cannot be, and for a generator that is not the
/// store's.
pub(super) async fn update(
    store: &OpenStore,
    generator: Option<Arc<dyn EmbeddingGenerator>>,
    found: Found,
    reading: &ReadingArguments,
    progress: &Progress,
) -> Result<Changes> {
    let names = FieldNames::new(reading.clone());
    let mut changes = Changes { skipped: found.skipped, ..Changes::default() };
    let catalog = catalog_for(store, generator.as_deref()).await?;
    let catalog = catalog.with_language(reading.language.as_deref());
    let (catalog, files) = look_through(catalog, found.files, &names, &mut changes)?;
    // A store that refuses the documents must not be left with a catalog that promises them.
    let documents = catalog.documents(store, generator).await?;
    catalog.write(store).await?;
    let waiting = Waiting::default();
    let mut update = Update { names, documents, progress, changes, seen: HashSet::new(), waiting };
    for LookedAt { file, stamp } in &files {
        progress.begin(&file.path);
        update.add_file(file, *stamp).await?;
        progress.finish_one();
    }
    update.add_waiting().await?;
    update.remove_missing(&found.scopes).await?;
    Ok(update.changes)
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
    skipped.push(Skipped { path: file.path.clone(), reason });
}

/// What `store` says of itself, or is to say where it is new.
async fn catalog_for(
    store: &OpenStore,
    generator: Option<&dyn EmbeddingGenerator>,
) -> Result<Catalog> {
    match (Catalog::read(store).await?, generator) {
        (None, None) => Ok(Catalog::new()),
        (None, Some(generator)) => Catalog::new().with_embeddings_by(generator).await,
        (Some(known), None) => known.check_no_embeddings().map(|()| known),
        (Some(known), Some(generator)) => known.check_embeddings(generator).map(|()| known),
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
        match file.kind {
            FileKind::Markdown => self.add_text(file, DocumentFormat::Markdown).await,
            FileKind::PlainText => self.add_text(file, DocumentFormat::PlainText).await,
            FileKind::Html => self.add_text(file, DocumentFormat::Html).await,
            FileKind::JsonLines => self.add_records(file, stamp_before).await,
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

    /// Removes what is no longer there, but keeps what is known of files that could not be read.
    async fn remove_missing(&mut self, scopes: &[Scope]) -> Result<()> {
        let unread = self.changes.skipped.iter().flat_map(|skipped| {
            [Scope::File(skipped.path.clone()), Scope::Folder(skipped.path.clone())]
        });
        let unread: Vec<Scope> = unread.collect();
        // A filter lets through more than its scope, so each document is looked at.
        let is_missing = |document: &StoredDocument| {
            let path = document.metadata.get(PATH).and_then(Value::as_str).unwrap_or_default();
            let holds_it = |scope: &Scope| scope.contains(path);
            scopes.iter().any(holds_it)
                && !unread.iter().any(holds_it)
                && !self.seen.contains(&document.id)
        };
        let filter = Filter::any(scopes.iter().map(|scope| scope.filter(PATH)));
        let mut stored = self.documents.list(&ScanOptions::default().with_filter(filter)).await?;
        let mut missing = Vec::new();
        while let Some(document) = stored.try_next().await? {
            missing.extend(Some(document).filter(is_missing).map(|document| document.id));
        }
        self.changes.removed += self.documents.remove(missing).await?;
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
    use textsearch_core::{
        Error, async_trait,
        vector::{RecordDefinition, StoredRecord, VectorCollection, VectorStore},
    };
    use textsearch_vector_inmemory::InMemoryVectorStore;

    use super::*;

    /// A store that takes no documents.
    struct Refusing(InMemoryVectorStore);

    #[async_trait]
    impl VectorStore for Refusing {
        fn name(&self) -> &str {
            self.0.name()
        }

        async fn collection_names(&self) -> textsearch_core::Result<Vec<String>> {
            self.0.collection_names().await
        }

        fn stored_collection(
            &self,
            name: &str,
            definition: RecordDefinition,
        ) -> textsearch_core::Result<Arc<dyn VectorCollection<StoredRecord>>> {
            match name {
                "documents" => Err(Error::invalid_options("a", "definition", name, "another")),
                _ => self.0.stored_collection(name, definition),
            }
        }
    }

    #[tokio::test]
    async fn a_store_that_refuses_the_documents_has_no_catalog_of_them() {
        let mut store = OpenStore::in_memory(InMemoryVectorStore::new());
        store.store = Arc::new(Refusing(InMemoryVectorStore::new()));
        let (reading, progress) = (ReadingArguments::default(), Progress::over_files(0));
        update(&store, None, Found::default(), &reading, &progress).await.unwrap_err();
        assert_eq!(Catalog::read(&store).await.unwrap(), None);
    }

    #[tokio::test]
    async fn only_what_is_in_the_folder_is_removed_where_the_names_of_folders_begin_alike() {
        let folder = tempfile::tempdir().unwrap();
        let location = folder.path().join("a.md");
        fs::write(&location, "words").unwrap();
        let long = "a/folder/whose/name/is/longer/than/a/filter/takes";
        let file = |path: String| SourceFile { path, ..markdown(&location) };
        let files = ["", "-old"].map(|end| file(format!("{long}{end}/a.md"))).into();
        let store = OpenStore::in_memory(InMemoryVectorStore::new());
        let (reading, progress) = (ReadingArguments::default(), Progress::over_files(2));
        let found = Found { files, ..Found::default() };
        let changes = update(&store, None, found, &reading, &progress).await.unwrap();
        assert_eq!((changes.added, changes.removed), (2, 0));
        let found = || Found { scopes: vec![Scope::Folder(long.to_owned())], ..Found::default() };
        // What could not be read is kept, whatever else begins alike.
        let skipped = |path: String| vec![Skipped { path, reason: String::new() }];
        let unread = Found { skipped: skipped(format!("{long}/a.md")), ..found() };
        let changes = update(&store, None, unread, &reading, &progress).await.unwrap();
        assert_eq!(changes.removed, 0);
        let unread = Found { skipped: skipped(format!("{long}/a")), ..found() };
        let changes = update(&store, None, unread, &reading, &progress).await.unwrap();
        assert_eq!(changes.removed, 1);
        let unread = Found { scopes: vec![Scope::Folder(format!("{long}-old"))], ..found() };
        let changes = update(&store, None, unread, &reading, &progress).await.unwrap();
        assert_eq!(changes.removed, 1);
    }

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

    fn records(location: &std::path::Path) -> SourceFile {
        let path = "docs/r.jsonl".to_owned();
        SourceFile { path, kind: FileKind::JsonLines, ..markdown(location) }
    }

    async fn updated(file: SourceFile) -> Result<Changes> {
        let found = Found { files: vec![file], ..Found::default() };
        let store = OpenStore::in_memory(InMemoryVectorStore::new());
        update(&store, None, found, &ReadingArguments::default(), &Progress::over_files(1)).await
    }

    #[tokio::test]
    async fn records_of_a_folder_that_cannot_be_read_are_skipped_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let changes = updated(records(folder.path())).await.unwrap();
        assert_eq!(changes.skipped[0].path, "docs/r.jsonl");
        let reason = &changes.skipped[0].reason;
        assert!(reason.starts_with("it cannot be read: "), "{reason}");
    }

    #[tokio::test]
    async fn records_that_are_gone_since_the_folder_was_read_are_not_skipped() {
        let changes = updated(records("no/such/file.jsonl".as_ref())).await.unwrap();
        assert_eq!(changes, Changes::default());
    }

    #[tokio::test]
    async fn records_that_were_named_must_be_readable() {
        let named = SourceFile { is_named: true, ..records("no/such/file.jsonl".as_ref()) };
        let error = updated(named).await.unwrap_err();
        assert_eq!(error.to_string(), "`docs/r.jsonl` cannot be read");
    }

    #[tokio::test]
    async fn records_that_fail_after_they_were_looked_through_were_changed() {
        let folder = tempfile::tempdir().unwrap();
        let file = records(&folder.path().join("r.jsonl"));
        fs::write(&file.location, "{\"text\": oops}").unwrap();
        let store = OpenStore::in_memory(InMemoryVectorStore::new());
        let documents = Catalog::new().documents(&store, None).await.unwrap();
        let progress = Progress::over_files(1);
        let mut update = Update {
            names: FieldNames::default(),
            documents,
            progress: &progress,
            changes: Changes::default(),
            seen: HashSet::new(),
            waiting: Waiting::default(),
        };
        let before = Some((0, SystemTime::UNIX_EPOCH));
        let error = update.add_records(&file, before).await.unwrap_err();
        assert_eq!(error.to_string(), "`docs/r.jsonl` changed while it was read: try again");
        let error = update.add_records(&file, stamp(&file)).await.unwrap_err();
        assert_eq!(error.to_string(), "`docs/r.jsonl` line 1");
    }
}
