//! Writes whose records cannot be linked.

use std::num::NonZero;

use serde_json::{Map, json};
use textsearch_core::vector::{HnswParameters, IndexKind, VectorField};

use super::*;

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
