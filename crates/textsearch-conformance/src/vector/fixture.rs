//! Shorthands for making records and reading results.

use std::sync::Arc;

use serde_json::{Map, Value};
use textsearch_core::{
    Error, ErrorKind, Filter, Result, SearchResults,
    vector::{
        DataField, DataKind, GetOptions, KeyKind, RecordDefinition, RecordKey, ScanOptions, Scored,
        SearchInput, StoredRecord, VectorCollection, VectorField, VectorSearchOptions, VectorStore,
    },
};

use super::VectorSubject;

/// More records than any case stores.
pub(crate) const ALL: usize = 100_000;

/// A collection with its store.
pub(crate) struct TestCollection {
    pub(crate) store: Arc<dyn VectorStore>,
    pub(crate) collection: Arc<dyn VectorCollection>,
}

impl TestCollection {
    pub(crate) async fn upsert(&self, records: Vec<StoredRecord>) {
        self.collection.upsert(records).await.expect("the records are stored");
    }

    /// Returns the record of a key, with its vectors.
    pub(crate) async fn get(&self, key: impl Into<RecordKey>) -> Option<StoredRecord> {
        let found =
            self.collection.get(&[key.into()], &GetOptions::default().with_vectors(true)).await;
        found.expect("records are read").into_iter().next()
    }

    /// Returns the keys that a scan finds, in its order.
    pub(crate) async fn scanned(&self, options: &ScanOptions) -> Vec<String> {
        let found = self.try_scan(options).await.expect("the scan succeeds");
        found.iter().map(|record| record.key.to_string()).collect()
    }

    pub(crate) async fn try_scan(&self, options: &ScanOptions) -> Result<Vec<StoredRecord>> {
        self.collection.scan(options).await?.into_vec().await
    }

    /// Returns the keys of all records, in order.
    pub(crate) async fn keys(&self) -> Vec<String> {
        self.scanned(&ScanOptions::default()).await
    }

    /// Returns the keys that match `filter`, in order.
    pub(crate) async fn filtered(&self, filter: Filter) -> Vec<String> {
        self.scanned(&ScanOptions::default().with_filter(filter)).await
    }

    /// Returns the records nearest to `vector`.
    pub(crate) async fn nearest(
        &self,
        vector: &[f32],
        options: &VectorSearchOptions,
    ) -> Vec<Scored<StoredRecord>> {
        found(self.collection.search(&SearchInput::from(vector), options).await).await
    }

    /// Returns the records whose words match.
    pub(crate) async fn worded(
        &self,
        text: &str,
        options: &VectorSearchOptions,
    ) -> Vec<Scored<StoredRecord>> {
        found(self.collection.full_text_search(text, options).await).await
    }

    pub(crate) async fn hybrid(
        &self,
        text: &str,
        vector: &[f32],
        options: &VectorSearchOptions,
    ) -> Vec<Scored<StoredRecord>> {
        found(self.collection.hybrid_search(text, Some(vector.into()), options).await).await
    }
}

/// Returns all results of a search.
pub(crate) async fn found(
    results: Result<SearchResults<Scored<StoredRecord>>>,
) -> Vec<Scored<StoredRecord>> {
    let results = results.expect("the search succeeds");
    results.into_vec().await.expect("the results can be read")
}

pub(crate) fn keys(found: &[Scored<StoredRecord>]) -> Vec<String> {
    found.iter().map(|scored| scored.record.key.to_string()).collect()
}

/// Returns options for a search that returns all records.
pub(crate) fn all() -> VectorSearchOptions {
    VectorSearchOptions::top(ALL)
}

/// Returns a definition with a field of each sort: `title`, `body`, `year`, `tags` and a vector of
/// two elements.
pub(crate) fn definition(subject: &VectorSubject) -> RecordDefinition {
    RecordDefinition::new("id")
        .with_data(words(subject, "title").filterable())
        .with_data(words(subject, "body"))
        .with_data(DataField::integer("year").filterable())
        .with_data(DataField::new("tags", DataKind::Strings).filterable())
        .with_vector(VectorField::new("embedding", 2).with_distance(subject.distance()))
}

/// Returns a field for full-text search, if the store has it.
pub(crate) fn words(subject: &VectorSubject, name: &str) -> DataField {
    let field = DataField::string(name);
    if subject.capabilities.full_text { field.full_text() } else { field }
}

/// Returns a record of `data` under the text `key`.
pub(crate) fn record(key: &str, data: Value) -> StoredRecord {
    keyed(KeyKind::String, Value::from(key), data).expect("the record has a key")
}

/// Returns a record of `data` under a key of that kind.
pub(crate) fn keyed(kind: KeyKind, key: Value, data: Value) -> Result<StoredRecord> {
    let mut data = object(data);
    data.insert("id".to_owned(), key);
    StoredRecord::new(data, &RecordDefinition::new("id").with_key_kind(kind))
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        other => panic!("{other} is no object"),
    }
}

/// Returns a record of a key and a vector.
pub(crate) fn point(key: &str, vector: &[f32]) -> StoredRecord {
    record(key, Value::Object(Map::new())).with_vector("embedding", vector)
}

/// Returns the vector of length 1 at this angle in degrees.
pub(crate) fn direction(degrees: u16) -> [f32; 2] {
    let angle = f32::from(degrees).to_radians();
    [angle.cos(), angle.sin()]
}

/// Asserts that an option was rejected, and returns the error.
pub(crate) fn refused_option<T>(result: Result<T>, what: &str) -> Error {
    match result {
        Ok(_) => panic!("{what} is not refused"),
        Err(error) => {
            let is_option = matches!(error.kind(), ErrorKind::InvalidOptions { .. });
            assert!(is_option, "{what} is refused as another error: {error:?}");
            error
        }
    }
}

/// Asserts that the filter was rejected, and returns the field that the error names.
pub(crate) fn refused_filter<T>(result: Result<T>, filter: &Filter) -> String {
    match result {
        Ok(_) => panic!("`{filter}` is not refused"),
        Err(error) => match error.kind() {
            ErrorKind::UnsupportedFilter { field, .. } => field.clone(),
            _ => panic!("`{filter}` is refused as another error: {error:?}"),
        },
    }
}

/// Asserts that a record was rejected, and returns the key that the error names.
pub(crate) fn refused_record<T>(result: Result<T>, what: &str) -> String {
    match result {
        Ok(_) => panic!("{what} is not refused"),
        Err(error) => match error.kind() {
            ErrorKind::InvalidRecord { key, .. } => key.clone(),
            _ => panic!("{what} is refused as another error: {error:?}"),
        },
    }
}
