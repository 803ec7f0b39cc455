use std::{
    fs,
    ops::ControlFlow,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use tempfile::TempDir;
use textsearch_core::{
    SearchOptions, TextSearch as _, async_trait,
    vector::{DataField, EmbeddingGenerator, EmbeddingSettings, Embeddings},
    yield_now,
};
use textsearch_documents::{
    Chunker, Document,
    ingest::{DocumentIndex, Embedder, FileWalker, IngestError, IngestEvent, Ingestion},
};
use textsearch_vector_inmemory::InMemoryVectorStore;

/// An empty index, and a folder with a guide to apples and a note about pears.
fn orchard() -> (DocumentIndex, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("guide.md"), "# Apples\n\nApples are red.\n").unwrap();
    fs::write(folder.path().join("note.txt"), "Pears are green.\n").unwrap();
    (DocumentIndex::new(InMemoryVectorStore::new(), "docs"), folder)
}

fn ingestion(folder: &Path) -> Ingestion {
    Ingestion::new(FileWalker::new().walk(&[folder]).unwrap())
}

async fn values(index: &DocumentIndex, query: &str) -> Vec<String> {
    let search = index.open(None).await.unwrap().text_search();
    search.search(query, &SearchOptions::top(5)).await.unwrap().into_vec().await.unwrap()
}

/// Records the events, and cancels at the event that starts with `last`.
fn observed(folder: &Path, last: &'static str) -> (Ingestion, Arc<Mutex<Vec<String>>>) {
    let events = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&events);
    let observer = move |event: IngestEvent<'_>| {
        let event = format!("{event:?}");
        let is_last = event.starts_with(last);
        noted.lock().unwrap().push(event);
        if is_last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    (ingestion(folder).with_progress(observer), events)
}

#[tokio::test]
async fn folder_is_indexed_and_searched() {
    let (index, folder) = orchard();
    let report = index.update(ingestion(folder.path())).await.unwrap();
    assert_eq!((report.added, report.skipped.len()), (2, 0));
    assert_eq!(values(&index, "green pears").await, ["Pears are green."]);
}

#[tokio::test]
async fn update_stores_changes_and_removes_deleted_files() {
    let (index, folder) = orchard();
    index.update(ingestion(folder.path())).await.unwrap();
    fs::remove_file(folder.path().join("note.txt")).unwrap();
    fs::write(folder.path().join("guide.md"), "# Apples\n\nApples are yellow.\n").unwrap();
    fs::write(folder.path().join("plum.md"), "Plums are blue.\n").unwrap();
    let report = index.update(ingestion(folder.path())).await.unwrap();
    assert_eq!((report.added, report.changed, report.unchanged, report.removed), (1, 1, 0, 1));
    assert_eq!(values(&index, "pears green red").await, Vec::<String>::new());
    assert_eq!(values(&index, "yellow").await, ["# Apples\n\nApples are yellow."]);
}

#[tokio::test]
async fn next_update_continues_after_cancellation() {
    for (last, stored) in [("FileStarted", 0), ("FileFinished", 1), ("BatchStarted", 2)] {
        let (index, folder) = orchard();
        let (cancelled, events) = observed(folder.path(), last);
        let error = index.update(cancelled).await.unwrap_err();
        assert!(matches!(error, IngestError::Cancelled), "{error}");
        assert!(events.lock().unwrap().last().unwrap().starts_with(last), "no event after it");
        assert_eq!(index.chunk_count().await.unwrap(), stored, "{last}");
        assert_eq!(
            index.update(ingestion(folder.path())).await.unwrap().added,
            2 - stored as usize
        );
    }
}

#[tokio::test]
async fn events_report_reading_storing_and_removing() {
    let (index, folder) = orchard();
    index.update(ingestion(folder.path())).await.unwrap();
    fs::remove_file(folder.path().join("note.txt")).unwrap();
    let (observed, events) = observed(folder.path(), "never");
    index.update(observed).await.unwrap();
    let events = events.lock().unwrap();
    let names: Vec<&str> = events.iter().filter_map(|event| event.split(' ').next()).collect();
    let expected =
        ["FileStarted", "FileFinished", "BatchStarted", "BatchFinished", "RemovalStarted"];
    assert_eq!(names, expected);
    assert_eq!(events.last().map(String::as_str), Some("RemovalStarted { documents: 1 }"));
}

/// Embeds nothing before three files were read, and one call at a time.
#[derive(Clone, Default)]
struct Patient {
    files_read: Arc<AtomicUsize>,
    calls: Arc<AtomicUsize>,
}

#[async_trait]
impl EmbeddingGenerator for Patient {
    fn model_id(&self) -> &str {
        "patient"
    }

    fn dimensions(&self) -> Option<usize> {
        Some(2)
    }

    async fn generate(
        &self,
        texts: &[String],
        _: &EmbeddingSettings,
    ) -> textsearch_core::Result<Embeddings> {
        assert_eq!(self.calls.fetch_add(1, Ordering::SeqCst), 0);
        for _ in 0..1000 {
            yield_now().await;
        }
        assert!(self.files_read.load(Ordering::SeqCst) >= 3);
        self.calls.fetch_sub(1, Ordering::SeqCst);
        Ok(Embeddings::new(texts.iter().map(|_| [1.0, 0.0].into()).collect()))
    }
}

#[tokio::test]
async fn files_are_read_while_others_are_embedded() {
    let (index, folder) = orchard();
    for number in 0..10 {
        let text = "Apples are red and round. ".repeat(7000);
        fs::write(folder.path().join(format!("{number}.md")), text).unwrap();
    }
    let model = Patient::default();
    let files_read = Arc::clone(&model.files_read);
    let events = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&events);
    let ingestion = ingestion(folder.path()).with_embedder(Embedder::new(model));
    let ingestion = ingestion.with_progress(move |event| {
        if matches!(event, IngestEvent::FileFinished { .. }) {
            files_read.fetch_add(1, Ordering::SeqCst);
        }
        noted.lock().unwrap().push(format!("{event:?}"));
        ControlFlow::Continue(())
    });
    assert_eq!(index.update(ingestion).await.unwrap().added, 12);
    let events = events.lock().unwrap();
    let place = |event: &str| events.iter().position(|other| other.starts_with(event)).unwrap();
    let read_first = events[..place("BatchFinished")].iter();
    let read_first = read_first.filter(|event| event.starts_with("FileFinished")).count();
    assert!((3..=6).contains(&read_first), "memory is bounded: {read_first} files");
    assert!(place("WaitingForModel") < place("ChunksEmbedded"), "{events:?}");
}

#[tokio::test]
async fn other_chunk_sizes_cut_unchanged_files_again() {
    let (index, folder) = orchard();
    let text = "Apples are red and round. ".repeat(8);
    fs::write(folder.path().join("guide.md"), text).unwrap();
    index.update(ingestion(folder.path())).await.unwrap();
    assert_eq!(index.chunk_count().await.unwrap(), 2);
    let config = crate::chunks::sizes(60, 0);
    let chunker = Chunker::new(config.clone()).unwrap();
    let smaller = ingestion(folder.path()).with_chunker(chunker);
    assert_eq!(index.update(smaller).await.unwrap().changed, 2);
    assert_eq!(index.chunk_count().await.unwrap(), 5);
    assert_eq!(index.catalog().await.unwrap().unwrap().chunker, config);
    let again = index.update(ingestion(folder.path())).await.unwrap();
    assert_eq!((again.changed, again.unchanged), (0, 2));
}

#[tokio::test]
async fn model_limits_the_chunks_of_files_too() {
    let (index, folder) = orchard();
    fs::write(folder.path().join("guide.md"), "Some words. ".repeat(90)).unwrap();
    for (tokens, chunks) in [(400, 2), (100, 5)] {
        let embedder = Embedder::new(crate::chunks::Counting(tokens));
        let ingestion = ingestion(folder.path()).with_embedder(embedder);
        index.update(ingestion).await.unwrap();
        assert_eq!(index.chunk_count().await.unwrap(), chunks, "{tokens}");
    }
}

#[tokio::test]
async fn documents_written_one_by_one_outlive_updates() {
    let (index, folder) = orchard();
    let fields = || [DataField::string("team"), DataField::string("path")];
    let documents = index.open_for_writing(fields(), None).await.unwrap();
    let written = Document::plain_text("note", "Plums are blue.").with_metadata("team", "search");
    documents.upsert([written]).await.unwrap();
    index.update(ingestion(folder.path())).await.unwrap();
    assert_eq!(values(&index, "blue plums").await, ["Plums are blue."]);
    assert_eq!(values(&index, "green pears").await, ["Pears are green."]);

    let documents = index.open_for_writing(fields(), None).await.unwrap();
    assert_eq!(documents.remove(["note"]).await.unwrap(), 1);
    let names = index.catalog().await.unwrap().unwrap().fields;
    assert_eq!(names.iter().map(|field| field.name.as_str()).collect::<Vec<_>>(), ["team"]);
}

#[tokio::test]
async fn record_file_with_a_bad_line_costs_only_itself() {
    let (index, folder) = orchard();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("a.jsonl", "{\"text\": \"Plums are blue.\", \"year\": 1}\n");
    index.update(ingestion(folder.path())).await.unwrap();

    write("a.jsonl", "{\"text\": \"Plums.\", \"colour\": 1}\n{oops}\n");
    write("b.jsonl", "{\"id\": 1, \"text\": \"x\"}\n{\"id\": 1, \"text\": \"y\"}\n");
    write("c.jsonl", "{\"text\": \"Cherries are black.\"}\n");
    let report = index.update(ingestion(folder.path())).await.unwrap();
    assert_eq!((report.added, report.removed, report.failed().count()), (1, 0, 2));
    let reasons: Vec<String> = report.failed().map(|failed| failed.reason.to_string()).collect();
    assert_eq!(reasons[0], "line 2: this isn't JSON: key must be a string at column 2");
    assert_eq!(reasons[1], "line 2: the id `1` is that of another line");
    assert_eq!(values(&index, "black cherries").await, ["Cherries are black."]);
    assert_eq!(values(&index, "blue plums").await, ["Plums are blue."], "the old version stays");
    let fields = index.catalog().await.unwrap().unwrap().fields;
    assert_eq!(fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>(), ["year"]);
}

#[tokio::test]
async fn files_stored_before_a_failing_one_count_as_added() {
    let (index, folder) = orchard();
    // So large that the files before it are stored first.
    fs::write(folder.path().join("z.html"), "<div>".repeat(300_000)).unwrap();
    let report = index.update(ingestion(folder.path())).await.unwrap();
    assert_eq!((report.added, report.unchanged, report.failed().count()), (2, 0, 1));
}

#[cfg(feature = "csv")]
#[tokio::test]
async fn rows_of_csv_are_records_with_typed_fields() {
    use textsearch_core::{Filter, vector::DataKind};

    let (index, folder) = orchard();
    let path = folder.path().join("fruit.csv");
    fs::write(&path, "id,text,price,picked\n7,Plums are blue.,3,2024-08-14\n8,Figs.,,\n").unwrap();
    let files = FileWalker::new().with_records(true).walk(&[&path]).unwrap();
    assert_eq!(index.update(Ingestion::new(files)).await.unwrap().added, 2);
    let fields = index.catalog().await.unwrap().unwrap().fields;
    let kinds: Vec<_> = fields.iter().map(|field| (field.name.as_str(), field.kind)).collect();
    let expected = [
        ("picked", DataKind::DateTime),
        ("price", DataKind::Integer),
        ("record_id", DataKind::Integer),
    ];
    assert_eq!(kinds, expected);
    let filter = Filter::gt("price", 2).and(Filter::exists("picked"));
    let search = index.open(None).await.unwrap().text_search();
    let options = SearchOptions::top(5).with_filter(filter);
    let results = search.text_search_results("plums figs", &options).await.unwrap();
    let links = results.into_vec().await.unwrap();
    assert_eq!(links.len(), 1);
    assert!(links[0].link.as_deref().unwrap().ends_with("fruit.csv#7"), "{links:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn link_as_path_has_the_format_of_its_name() {
    let (index, folder) = orchard();
    let target = folder.path().join("ab12");
    let link = folder.path().join("data.jsonl");
    fs::write(&target, "{\"id\": 7, \"text\": \"Plums are blue.\"}\n").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    index.update(ingestion(&link)).await.unwrap();
    let search = index.open(None).await.unwrap().text_search();
    let results = search.text_search_results("plums", &SearchOptions::top(5)).await.unwrap();
    let results = results.into_vec().await.unwrap();
    let links: Vec<_> = results.iter().filter_map(|result| result.link.as_deref()).collect();
    assert_eq!(links, [format!("{}#7", fs::canonicalize(&target).unwrap().display())]);
}

#[cfg(unix)]
#[tokio::test]
async fn documents_stored_under_a_link_are_replaced() {
    let (index, folder) = orchard();
    let link = folder.path().join("link");
    let fields = [DataField::string("path")];
    let documents = index.open_for_writing(fields, None).await.unwrap();
    let name = link.join("a.md").display().to_string();
    let earlier = Document::plain_text(&name, "Plums are blue.").with_metadata("path", name);
    documents.upsert([earlier]).await.unwrap();
    let target = folder.path().join("target");
    fs::create_dir(&target).unwrap();
    fs::write(target.join("a.md"), "Plums are blue.").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let report = index.update(ingestion(&link)).await.unwrap();
    assert_eq!((report.added, report.removed), (1, 1));
}

/// Makes a vector of zeros, which no store takes, for texts with the word `blank`.
struct Blank;

#[async_trait]
impl EmbeddingGenerator for Blank {
    fn model_id(&self) -> &str {
        "blank"
    }

    fn dimensions(&self) -> Option<usize> {
        Some(2)
    }

    async fn generate(
        &self,
        texts: &[String],
        _: &EmbeddingSettings,
    ) -> textsearch_core::Result<Embeddings> {
        let length = |text: &String| if text.contains("blank") { 0.0 } else { 1.0 };
        Ok(Embeddings::new(texts.iter().map(|text| [length(text), 0.0].into()).collect()))
    }
}

#[tokio::test]
async fn rejected_record_costs_itself() {
    let (index, folder) = orchard();
    let lines = (0..8).map(|id| {
        let text = if id == 3 { "blank" } else { "Plums are blue." };
        format!("{{\"id\":{id},\"text\":\"{text}\"}}\n")
    });
    fs::write(folder.path().join("plums.jsonl"), lines.collect::<String>()).unwrap();
    let ingestion = ingestion(folder.path()).with_embedder(Embedder::new(Blank));
    let report = index.update(ingestion).await.unwrap();
    assert_eq!((report.added, report.skipped.len()), (9, 1));
    assert!(report.skipped[0].path.ends_with("plums.jsonl"));
}
