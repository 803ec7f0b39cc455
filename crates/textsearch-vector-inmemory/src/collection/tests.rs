//! Writes whose records cannot be linked.

use std::{
    io,
    num::NonZero,
    sync::{LazyLock, Mutex},
};

use serde_json::{Map, json};
use textsearch_core::vector::{HnswParameters, IndexKind, VectorField};
use tracing::Dispatch;
use tracing_subscriber::fmt::MakeWriter;

use super::*;
use crate::hnsw::catch_up_by;

const RECORDS: usize = 1100;

const TWO: NonZero<usize> = NonZero::new(2).unwrap();

fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn refused(collections: &Collections, index: IndexKind) -> InMemoryCollection {
    let definition =
        RecordDefinition::new("id").with_vector(VectorField::new("embedding", 2).with_index(index));
    let threads = Arc::new(Threads::refused(TWO));
    InMemoryCollection::new(collections.clone(), threads, "docs", definition)
}

fn hnsw() -> IndexKind {
    let parameters =
        HnswParameters { connections: 4, ef_construction: 8, ..HnswParameters::default() };
    IndexKind::Hnsw(parameters)
}

fn records(definition: &RecordDefinition) -> Vec<StoredRecord> {
    let record = |number: usize| {
        let data = Map::from_iter([("id".to_owned(), json!(number.to_string()))]);
        let record = StoredRecord::new(data, definition).unwrap();
        record.with_vector("embedding", vec![number as f32, 1.0])
    };
    (0..RECORDS).map(record).collect()
}

fn linked(collections: &Collections) -> usize {
    let state = collections.get("docs").unwrap().unwrap().snapshot();
    state.indexes().get(0).unwrap().len()
}

#[test]
fn writes_survive_failed_linking_and_the_next_one_links() {
    let collections = Collections::default();
    let refused = refused(&collections, hnsw());
    wait(refused.ensure_exists()).unwrap();
    wait(refused.upsert(records(&refused.definition))).unwrap();
    wait(refused.delete(&[RecordKey::from("7")])).unwrap();
    let query = SearchInput::from(vec![9.0, 1.0]);
    let results = wait(refused.search(&query, &VectorSearchOptions::top(1))).unwrap();
    let results = wait(results.into_vec()).unwrap();
    assert_eq!((results[0].record.key.to_string(), linked(&collections)), ("9".to_owned(), 0));
    refused.threads.grant();
    wait(refused.delete(&[RecordKey::from("8")])).unwrap();
    assert_eq!(linked(&collections), RECORDS - 2);
}

#[test]
fn failed_linking_logs_its_cause() {
    let collections = Collections::default();
    let refused = refused(&collections, hnsw());
    wait(refused.ensure_exists()).unwrap();
    // With a single dispatcher, `tracing` caches the interest of whichever thread logs first, which
    // may be another test's.
    static OTHER: LazyLock<Dispatch> =
        LazyLock::new(|| Dispatch::new(tracing_subscriber::registry()));
    LazyLock::force(&OTHER);
    let written = Written::default();
    let subscriber = tracing_subscriber::fmt().with_writer(written.clone()).finish();
    tracing::subscriber::with_default(subscriber, || {
        wait(refused.upsert(records(&refused.definition))).unwrap();
    });
    let written = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
    assert!(written.contains("WARN") && written.contains("refused the 2 threads"), "{written}");
}

#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl<'a> MakeWriter<'a> for Written {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

impl io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn index_is_added_even_if_linking_fails() {
    let collections = Collections::default();
    let exact = refused(&collections, IndexKind::Exact);
    wait(exact.ensure_exists()).unwrap();
    wait(exact.upsert(records(&exact.definition))).unwrap();
    let indexed = refused(&collections, hnsw());
    wait(indexed.ensure_exists()).unwrap();
    assert_eq!(linked(&collections), 0);
    indexed.threads.grant();
    wait(indexed.ensure_exists()).unwrap();
    assert_eq!(linked(&collections), RECORDS);
}

#[test]
fn panicking_linker_returns_an_error_and_frees_its_lock() {
    let collections = Collections::default();
    let refused = refused(&collections, hnsw());
    wait(refused.ensure_exists()).unwrap();
    wait(refused.upsert(records(&refused.definition))).unwrap();
    let cell = collections.get("docs").unwrap().unwrap();
    let threads = Threads::new(TWO);
    let panics = |_: &SharedState, _: &_| -> Result<()> { panic!("for the test") };
    assert!(wait(catch_up_by(&cell, &threads, panics)).is_err());
    assert_eq!(linked(&collections), 0);
    wait(crate::hnsw::catch_up(&cell, &threads)).unwrap();
    assert_eq!(linked(&collections), RECORDS);
}
