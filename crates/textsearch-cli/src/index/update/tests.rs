//! Files that cannot be read, and stores that refuse them.

use std::sync::Arc;

use textsearch_core::{
    Error, async_trait,
    vector::{RecordDefinition, ScanOptions, StoredRecord, VectorCollection, VectorStore},
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
            "documents" if !definition.data.is_empty() => {
                Err(Error::invalid_options("a", "definition", name, "another"))
            }
            _ => self.0.stored_collection(name, definition),
        }
    }
}

fn refusing(inner: &InMemoryVectorStore) -> OpenStore {
    let store = Arc::new(Refusing(inner.clone()));
    OpenStore { store, ..OpenStore::in_memory(inner.clone()) }
}

async fn updated_with_one_file(
    store: &OpenStore,
    start_from: StartFrom,
    path: &str,
) -> Result<Changes> {
    let (_folder, found) = one_file(path);
    let (reading, progress) = (ReadingArguments::default(), Progress::over_files(1));
    let updated = update(store, start_from, None, found, &reading, &progress).await;
    updated.map(|updated| updated.changes)
}

#[tokio::test]
async fn a_store_that_refuses_the_documents_has_no_catalog_of_them() {
    let store = refusing(&InMemoryVectorStore::new());
    updated_with_one_file(&store, StartFrom::Store, "a.md").await.unwrap_err();
    assert_eq!(Catalog::read(&store).await.unwrap(), None);
}

#[tokio::test]
async fn a_store_that_refuses_more_documents_keeps_its_catalog() {
    let inner = InMemoryVectorStore::new();
    let store = OpenStore::in_memory(inner.clone());
    updated_with_one_file(&store, StartFrom::Store, "a.md").await.unwrap();
    let before = Catalog::read(&store).await.unwrap();
    let (reading, progress) = (ReadingArguments::default(), Progress::over_files(0));
    let reading = ReadingArguments { language: Some("de".to_owned()), ..reading };
    let found = Found::default();
    let refusing = refusing(&inner);
    let refused = update(&refusing, StartFrom::Store, None, found, &reading, &progress);
    refused.await.unwrap_err();
    assert_eq!(Catalog::read(&store).await.unwrap(), before);
}

#[tokio::test]
async fn a_rebuild_that_stops_before_the_documents_are_made_can_be_run_again() {
    let inner = InMemoryVectorStore::new();
    let store = OpenStore::in_memory(inner.clone());
    updated_with_one_file(&store, StartFrom::Store, "a.md").await.unwrap();
    let refusing = refusing(&inner);
    let stopped = updated_with_one_file(&refusing, StartFrom::Nothing, "a.md");
    stopped.await.unwrap_err();
    assert!(Catalog::content(&store).await.unwrap().is_some(), "it is known whose it is");
    let changes = updated_with_one_file(&store, StartFrom::Nothing, "a.md").await.unwrap();
    assert_eq!(changes.added, 1);
}

#[tokio::test]
async fn a_rebuild_deletes_nothing_before_there_is_something_to_take_its_place() {
    let store = OpenStore::in_memory(InMemoryVectorStore::new());
    updated_with_one_file(&store, StartFrom::Store, "a.md").await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let unreadable = SourceFile { is_named: true, ..markdown(folder.path()) };
    let (reading, progress) = (ReadingArguments::default(), Progress::over_files(1));
    for (files, expected) in [
        (vec![], "there is no text in what was named"),
        (vec![unreadable], "`docs/a.md` cannot be indexed"),
    ] {
        let found = Found { files, ..Found::default() };
        let refused = update(&store, StartFrom::Nothing, None, found, &reading, &progress).await;
        let error = refused.unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
        let documents = Catalog::new().documents(&store, None).await.unwrap();
        let stored = documents.list(&ScanOptions::default()).await.unwrap();
        assert_eq!(stored.into_vec().await.unwrap().len(), 1);
    }
}

fn markdown(location: &std::path::Path) -> SourceFile {
    SourceFile {
        location: location.to_owned(),
        path: "docs/a.md".to_owned(),
        kind: FileKind::Markdown,
        loader: None,
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
    let (reading, progress) = (ReadingArguments::default(), Progress::over_files(1));
    let updated = update(&store, StartFrom::Store, None, found, &reading, &progress).await;
    updated.map(|updated| updated.changes)
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

fn one_file(path: &str) -> (tempfile::TempDir, Found) {
    let folder = tempfile::tempdir().unwrap();
    let location = folder.path().join("a.md");
    fs::write(&location, "words").unwrap();
    let file = SourceFile { path: path.to_owned(), ..markdown(&location) };
    (folder, Found { files: vec![file], ..Found::default() })
}

#[tokio::test]
async fn a_run_that_starts_from_nothing_deletes_what_the_store_holds() {
    let store = OpenStore::in_memory(InMemoryVectorStore::new());
    let (reading, progress) = (ReadingArguments::default(), Progress::over_files(1));
    for (start_from, expected) in
        [(StartFrom::Store, 1), (StartFrom::Store, 2), (StartFrom::Nothing, 1)]
    {
        let (_folder, found) = one_file(&format!("{expected}.md"));
        update(&store, start_from, None, found, &reading, &progress).await.unwrap();
        let documents = Catalog::new().documents(&store, None).await.unwrap();
        let stored = documents.list(&ScanOptions::default()).await.unwrap();
        assert_eq!(stored.into_vec().await.unwrap().len(), expected);
    }
}
