//! Bulk upserts.

use std::{
    error::Error as _,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::{Stream, StreamExt as _, stream};
use serde_json::json;
use textsearch_core::{
    Error, ErrorKind, Result, async_trait,
    vector::{
        BulkSettings, Collection, Distance, EmbeddingCollection, EmbeddingGenerator,
        EmbeddingSettings, Embeddings, InterruptedBulkUpsert, RecordKey, ScanOptions, StoredRecord,
    },
};

use crate::shelf::Shelf;

/// Takes a second for each batch, refuses the text `bad`, and counts batches.
#[derive(Default)]
struct Slow {
    running: AtomicUsize,
    peak: AtomicUsize,
    batches: AtomicUsize,
}

#[async_trait]
impl EmbeddingGenerator for Slow {
    fn model_id(&self) -> &str {
        "slow"
    }

    fn dimensions(&self) -> Option<usize> {
        Some(2)
    }

    async fn generate(&self, texts: &[String], _: &EmbeddingSettings) -> Result<Embeddings> {
        self.batches.fetch_add(1, Ordering::SeqCst);
        let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.peak.fetch_max(running, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_secs(1)).await;
        self.running.fetch_sub(1, Ordering::SeqCst);
        if texts.iter().any(|text| text == "bad") {
            return Err(Error::new(ErrorKind::Embedding, "slow", "bad text"));
        }
        Ok(Embeddings::new(texts.iter().map(|_| [1.0, 0.5].into()).collect()))
    }
}

struct Load {
    model: Arc<Slow>,
    collection: Collection,
}

impl Load {
    fn new() -> Self {
        let model = Arc::new(Slow::default());
        let shelf = Shelf::new(Distance::CosineSimilarity, &[]);
        let collection = Collection::new(EmbeddingCollection::new(shelf, Arc::clone(&model)));
        Self { model, collection }
    }

    fn record(&self, key: usize, text: &str) -> StoredRecord {
        let data = json!({ "id": format!("{key:03}"), "text": text });
        let data = data.as_object().cloned().unwrap();
        StoredRecord::new(data, self.collection.definition()).unwrap()
    }

    /// Returns this many records; that at `bad` can't be embedded.
    fn records(&self, count: usize, bad: Option<usize>) -> Vec<Result<StoredRecord>> {
        let text = |key| if Some(key) == bad { "bad" } else { "good" };
        (0..count).map(|key| Ok(self.record(key, text(key)))).collect()
    }

    async fn run(&self, records: impl Stream<Item = Result<StoredRecord>> + Send) -> Result<usize> {
        self.collection.bulk_upsert(records, &settings()).await
    }

    async fn keys(&self) -> Vec<RecordKey> {
        let records = self.collection.scan(&ScanOptions::default()).await.unwrap();
        records.into_vec().await.unwrap().into_iter().map(|record| record.key).collect()
    }
}

fn settings() -> BulkSettings {
    let mut settings = BulkSettings::default();
    settings.max_batch_records = 10;
    settings.concurrent_batches = 3;
    settings
}

fn interrupted(error: &Error) -> &InterruptedBulkUpsert {
    error.source().unwrap().downcast_ref().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_bulk_upsert_stores_all_records_of_a_stream() {
    let load = Load::new();
    let stored = load.run(stream::iter(load.records(95, None))).await.unwrap();
    assert_eq!(stored, 95);
    assert_eq!(load.keys().await.len(), 95);
    assert_eq!(load.model.batches.load(Ordering::SeqCst), 10);
}

#[tokio::test(start_paused = true)]
async fn as_many_batches_run_at_once_as_the_settings_allow() {
    let load = Load::new();
    load.run(stream::iter(load.records(95, None))).await.unwrap();
    assert_eq!(load.model.peak.load(Ordering::SeqCst), 3);
}

#[tokio::test(start_paused = true)]
async fn the_stream_is_read_no_further_than_the_running_batches() {
    let load = Load::new();
    let read = AtomicUsize::new(0);
    let records = stream::iter(load.records(95, None)).inspect(|_| {
        read.fetch_add(1, Ordering::SeqCst);
    });
    let half_a_second = Duration::from_millis(500);
    tokio::time::timeout(half_a_second, load.run(records)).await.unwrap_err();
    assert_eq!(read.load(Ordering::SeqCst), 30);
}

#[tokio::test(start_paused = true)]
async fn the_first_failed_batch_stops_a_bulk_upsert() {
    let load = Load::new();
    let error = load.run(stream::iter(load.records(95, Some(12)))).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Embedding);
    let interrupted = interrupted(&error);
    assert_eq!(interrupted.stored, 10);
    assert_eq!(interrupted.cause.message(), "bad text");
    assert!(load.keys().await.len() <= interrupted.stored + interrupted.unsure);
    assert!(load.model.batches.load(Ordering::SeqCst) <= 4);
}

#[tokio::test(start_paused = true)]
async fn whole_batches_before_an_error_of_the_stream_are_stored() {
    let load = Load::new();
    let mut records = load.records(25, None);
    let gone = Error::new(ErrorKind::Backend, "file", "gone");
    records.push(Err(gone));
    records.extend(load.records(60, None).into_iter().skip(25));
    let error = load.run(stream::iter(records)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "file: the bulk upsert was interrupted: the first 20 records are stored, the next 0 may be; \
         go on after the stored ones: gone"
    );
    assert_eq!(load.keys().await.len(), 20);
}

#[tokio::test(start_paused = true)]
async fn a_bulk_upsert_goes_on_after_the_stored_records() {
    let load = Load::new();
    let error = load.run(stream::iter(load.records(95, Some(42)))).await.unwrap_err();
    let stored = interrupted(&error).stored;
    let rest = stream::iter(load.records(95, None)).skip(stored);
    load.run(rest).await.unwrap();
    let keys: Vec<RecordKey> = (0..95).map(|key| format!("{key:03}").into()).collect();
    assert_eq!(load.keys().await, keys);
}

#[tokio::test(start_paused = true)]
async fn a_bulk_upsert_can_run_in_another_task() {
    let load = Load::new();
    let records = stream::iter(load.records(5, None));
    let collection = load.collection.clone();
    let task = tokio::spawn(async move { collection.bulk_upsert(records, &settings()).await });
    assert_eq!(task.await.unwrap().unwrap(), 5);
}

#[tokio::test]
async fn settings_of_zero_are_refused() {
    let load = Load::new();
    let mut settings = settings();
    settings.concurrent_batches = 0;
    let error = load.collection.bulk_upsert(stream::iter([]), &settings).await.unwrap_err();
    assert!(error.message().contains("`concurrent_batches` is 0; expected at least 1"), "{error}");
}
