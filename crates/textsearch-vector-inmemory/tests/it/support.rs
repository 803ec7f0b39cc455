//! Helpers that make records and read results.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use textsearch_core::vector::{
    DataField, DataKind, Distance, GetOptions, RecordDefinition, RecordKey, ScanOptions, Scored,
    StoredRecord, VectorCollection, VectorField, VectorSearchOptions, VectorStore,
};
use textsearch_core::{Error, ErrorKind, Result, SearchResults};
use textsearch_vector_inmemory::InMemoryVectorStore;

pub(crate) type Stored = Arc<dyn VectorCollection>;

/// Has one of each kind: `title`, `body`, `year`, `tags` and a vector of two elements.
pub(crate) fn definition() -> RecordDefinition {
    RecordDefinition::new("id")
        .with_data(DataField::string("title").full_text_in("en").filterable())
        .with_data(DataField::string("body").full_text_in("en"))
        .with_data(DataField::integer("year").filterable())
        .with_data(DataField::new("tags", DataKind::Strings).filterable())
        .with_vector(VectorField::new("embedding", 2).with_distance(Distance::DotProduct))
}

pub(crate) async fn create(
    store: &InMemoryVectorStore,
    name: &str,
    definition: RecordDefinition,
) -> Stored {
    let collection = store.stored_collection(name, definition).unwrap();
    collection.ensure_exists().await.unwrap();
    collection
}

pub(crate) async fn collection(definition: RecordDefinition) -> Stored {
    create(&InMemoryVectorStore::new(), "docs", definition).await
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

pub(crate) fn record(id: &str, data: Value) -> StoredRecord {
    let mut data = object(data);
    data.insert("id".to_owned(), json!(id));
    StoredRecord::new(data, &RecordDefinition::new("id")).unwrap()
}

pub(crate) fn point(id: &str, vector: &[f32]) -> StoredRecord {
    record(id, json!({})).with_vector("embedding", vector)
}

pub(crate) async fn points(distance: Distance, points: &[(&str, &[f32])]) -> Stored {
    let dimensions = points.first().map_or(2, |(_, vector)| vector.len());
    let field = VectorField::new("embedding", dimensions).with_distance(distance);
    let collection = collection(RecordDefinition::new("id").with_vector(field)).await;
    collection.upsert(points.iter().map(|(id, vector)| point(id, vector)).collect()).await.unwrap();
    collection
}

pub(crate) async fn keys(results: Result<SearchResults<Scored<StoredRecord>>>) -> Vec<String> {
    let records = results.unwrap().into_vec().await.unwrap();
    records.iter().map(|scored| scored.record.key.to_string()).collect()
}

pub(crate) async fn scores(
    results: Result<SearchResults<Scored<StoredRecord>>>,
) -> Vec<(String, f64)> {
    let records = results.unwrap().into_vec().await.unwrap();
    records.iter().map(|scored| (scored.record.key.to_string(), scored.score)).collect()
}

pub(crate) async fn scanned(collection: &Stored, options: &ScanOptions) -> Vec<String> {
    let records = collection.scan(options).await.unwrap().into_vec().await.unwrap();
    records.iter().map(|record| record.key.to_string()).collect()
}

pub(crate) async fn get(collection: &Stored, id: &str) -> Option<StoredRecord> {
    let records = collection
        .get(&[RecordKey::from(id)], &GetOptions::default().with_vectors(true))
        .await
        .unwrap();
    records.into_iter().next()
}

pub(crate) fn all() -> VectorSearchOptions {
    VectorSearchOptions::top(usize::MAX)
}

pub(crate) fn option_of(error: &Error) -> &str {
    match error.kind() {
        ErrorKind::InvalidOptions { option, .. } => option,
        other => panic!("{other:?}: {error}"),
    }
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}
