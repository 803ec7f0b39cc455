//! Unreadable files, and stores that reject documents.

use std::{fs, sync::Arc};

use textsearch_core::{
    Error, async_trait,
    vector::{RecordDefinition, ScanOptions, VectorCollection, VectorStore},
};
use textsearch_vector_inmemory::InMemoryVectorStore;

use super::*;
use crate::ingest::{
    DocumentIndex, IngestError,
    files::{FileKind, SourceFiles, Stamp},
    ingestion::Reading,
    read::read_documents,
    readable::skip,
    skipped::Skipped,
};

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
    ) -> textsearch_core::Result<Arc<dyn VectorCollection>> {
        match name {
            "docs" if !definition.data.is_empty() => {
                Err(Error::invalid_options("a", "definition", name, "another"))
            }
            _ => self.0.stored_collection(name, definition),
        }
    }
}

fn index_in(store: &InMemoryVectorStore) -> DocumentIndex {
    DocumentIndex::new(store.clone(), "docs")
}

fn refusing(store: &InMemoryVectorStore) -> DocumentIndex {
    DocumentIndex::new(Refusing(store.clone()), "docs")
}

async fn stored(index: &DocumentIndex) -> usize {
    let documents = index.open(None).await.unwrap();
    let stored = documents.list(&ScanOptions::default()).await.unwrap();
    stored.into_vec().await.unwrap().len()
}

#[tokio::test]
async fn refused_documents_leave_no_catalog() {
    let index = refusing(&InMemoryVectorStore::new());
    index.update(one_file("a.md").1).await.unwrap_err();
    assert_eq!(index.catalog().await.unwrap(), None);
}

#[tokio::test]
async fn a_store_that_refuses_more_documents_keeps_its_catalog() {
    let store = InMemoryVectorStore::new();
    let index = index_in(&store);
    let (_folder, ingestion) = one_file("a.md");
    index.update(ingestion).await.unwrap();
    let before = index.catalog().await.unwrap();
    let german = Ingestion::new(SourceFiles::default()).with_language("de");
    refusing(&store).update(german).await.unwrap_err();
    assert_eq!(index.catalog().await.unwrap(), before);
}

#[tokio::test]
async fn rebuild_can_be_repeated_after_a_failure() {
    let store = InMemoryVectorStore::new();
    let index = index_in(&store);
    let (_folder, ingestion) = one_file("a.md");
    index.update(ingestion.clone()).await.unwrap();
    refusing(&store).rebuild(ingestion.clone()).await.unwrap_err();
    assert!(index.exists().await.unwrap(), "it is known whose it is");
    assert_eq!(index.rebuild(ingestion).await.unwrap().added, 1);
}

#[tokio::test]
async fn rebuild_without_text_deletes_nothing() {
    let index = index_in(&InMemoryVectorStore::new());
    let (_folder, ingestion) = one_file("a.md");
    index.update(ingestion).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("r.jsonl");
    fs::write(&broken, "oops").unwrap();
    let files = vec![markdown(folder.path()), records(&broken)];
    let walked = SourceFiles { files, ..SourceFiles::default() };
    let error = index.rebuild(Ingestion::new(walked)).await.unwrap_err();
    let IngestError::NoText { skipped } = error else { panic!("{error}") };
    let names: Vec<&str> = skipped.iter().map(|skipped| skipped.path.as_str()).collect();
    assert_eq!(names, ["docs/r.jsonl", "docs/a.md"]);
    assert_eq!(stored(&index).await, 1);
}

fn markdown(location: &std::path::Path) -> SourceFile {
    SourceFile {
        location: location.to_owned(),
        path: "docs/a.md".to_owned(),
        kind: FileKind::Document,
        stamp: Stamp::default(),
    }
}

async fn skipped(file: &SourceFile) -> Vec<Skipped> {
    let mut skipped = Vec::new();
    let error = read_documents(file, &Reading::default()).await.err().unwrap();
    skip(&file.path, error, &mut skipped);
    skipped
}

#[tokio::test]
async fn file_deleted_after_the_walk_is_not_skipped() {
    assert_eq!(skipped(&markdown("no/such/file.md".as_ref())).await, []);
}

#[tokio::test]
async fn unreadable_file_is_skipped_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let skipped_files = skipped(&markdown(folder.path())).await;
    assert_eq!(skipped_files[0].path, "docs/a.md");
    let reason = skipped_files[0].reason.to_string();
    assert!(reason.starts_with("it cannot be read: "), "{reason}");
}

fn records(location: &std::path::Path) -> SourceFile {
    let path = "docs/r.jsonl".to_owned();
    SourceFile { path, kind: FileKind::JsonLines, ..markdown(location) }
}

async fn updated(file: SourceFile) -> Result<IngestReport> {
    let walked = SourceFiles { files: vec![file], ..SourceFiles::default() };
    index_in(&InMemoryVectorStore::new()).update(Ingestion::new(walked)).await
}

#[tokio::test]
async fn unreadable_record_file_of_a_folder_is_skipped_with_reason() {
    let folder = tempfile::tempdir().unwrap();
    let report = updated(records(folder.path())).await.unwrap();
    assert_eq!(report.skipped[0].path, "docs/r.jsonl");
    let reason = report.skipped[0].reason.to_string();
    assert!(reason.starts_with("it cannot be read: "), "{reason}");
}

#[tokio::test]
async fn reason_to_skip_a_file_omits_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let location = folder.path().join("a.html");
    fs::write(&location, "<div>".repeat(1000)).unwrap();
    let report = updated(markdown(&location)).await.unwrap();
    let reason = report.skipped[0].reason.to_string();
    assert!(reason.starts_with("it is HTML with elements nested too deeply"), "{reason}");
}

#[tokio::test]
async fn record_file_deleted_after_the_walk_is_not_skipped() {
    let report = updated(records("no/such/file.jsonl".as_ref())).await.unwrap();
    assert_eq!((report.without_text(), report.skipped), (0, vec![]));
}

#[tokio::test]
async fn record_file_that_breaks_midway_has_changed() {
    let folder = tempfile::tempdir().unwrap();
    let file = records(&folder.path().join("r.jsonl"));
    fs::write(&file.location, "{\"text\": \"a\"}\n{oops").unwrap();
    let ingestion = Ingestion::new(SourceFiles::default());
    let store = InMemoryVectorStore::new();
    let documents = index_in(&store).open_for_writing([], None).await.unwrap();
    let report = IngestReport::default();
    let error = run(&ingestion, &documents, report, &[file]).await.unwrap_err();
    assert_eq!(error.to_string(), "`docs/r.jsonl` changed while it was read: try again");
}

fn one_file(path: &str) -> (tempfile::TempDir, Ingestion) {
    let folder = tempfile::tempdir().unwrap();
    let location = folder.path().join("a.md");
    fs::write(&location, "words").unwrap();
    let file = SourceFile { path: path.to_owned(), ..markdown(&location) };
    (folder, Ingestion::new(SourceFiles { files: vec![file], ..SourceFiles::default() }))
}

#[tokio::test]
async fn rebuild_deletes_the_contents_of_the_store() {
    let index = index_in(&InMemoryVectorStore::new());
    for (path, is_rebuild, expected) in [("1.md", false, 1), ("2.md", false, 2), ("3.md", true, 1)]
    {
        let (_folder, ingestion) = one_file(path);
        let done =
            if is_rebuild { index.rebuild(ingestion).await } else { index.update(ingestion).await };
        done.unwrap();
        assert_eq!(stored(&index).await, expected);
    }
}

#[tokio::test]
async fn progress_callback_sees_files_and_records_and_cancels() {
    use std::ops::ControlFlow;

    let folder = tempfile::tempdir().unwrap();
    let file = records(&folder.path().join("r.jsonl"));
    fs::write(&file.location, "{\"text\": \"a\"}\n{\"text\": \"b\"}\n").unwrap();
    let walked = SourceFiles { files: vec![file], ..SourceFiles::default() };
    let events = Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = Arc::clone(&events);
    let ingestion = Ingestion::new(walked).with_progress(move |event| {
        seen.lock().unwrap().push(format!("{event:?}"));
        match event {
            IngestEvent::RecordRead { records: 2, .. } => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    });
    let error = index_in(&InMemoryVectorStore::new()).update(ingestion).await.unwrap_err();
    assert!(matches!(error, IngestError::Cancelled), "{error}");
    let events = events.lock().unwrap();
    assert_eq!(events.len(), 3, "{events:?}");
    assert!(events[0].starts_with("FileStarted") && events[2].contains("records: 2"), "{events:?}");
}

#[tokio::test]
async fn an_update_can_run_on_another_thread() {
    let index = index_in(&InMemoryVectorStore::new());
    let (_folder, ingestion) = one_file("a.md");
    let update = tokio::spawn(async move { index.update(ingestion).await });
    assert_eq!(update.await.unwrap().unwrap().added, 1);
}
