//! Shorthands for records and results.

use std::{fmt::Display, sync::Arc};

use serde_json::{Map, Value};
use textsearch_core::{
    Error, ErrorKind, Filter, Result, SearchResults,
    vector::{
        Fusion, GetOptions, KeyKind, RecordDefinition, RecordKey, ScanOptions, Scored, SearchInput,
        StoredRecord, VectorCollection, VectorSearchOptions, VectorStore,
    },
};

/// More than any case stores.
pub(crate) const ALL: usize = 100_000;

pub(crate) struct TestCollection {
    pub(crate) store: Arc<dyn VectorStore>,
    pub(crate) collection: Arc<dyn VectorCollection>,
    /// Replaces the default fusion, which not every store has.
    pub(crate) fusion: Fusion,
}

impl TestCollection {
    pub(crate) async fn upsert(&self, records: Vec<StoredRecord>) {
        self.collection.upsert(records).await.expect("the records are stored");
    }

    pub(crate) async fn get(&self, key: impl Into<RecordKey>) -> Option<StoredRecord> {
        let records =
            self.collection.get(&[key.into()], &GetOptions::default().with_vectors(true)).await;
        records.expect("records are read").into_iter().next()
    }

    pub(crate) async fn scanned(&self, options: &ScanOptions) -> Vec<String> {
        let records = self.try_scan(options).await.expect("the scan succeeds");
        records.iter().map(|record| record.key.to_string()).collect()
    }

    pub(crate) async fn try_scan(&self, options: &ScanOptions) -> Result<Vec<StoredRecord>> {
        self.collection.scan(options).await?.into_vec().await
    }

    pub(crate) async fn keys(&self) -> Vec<String> {
        self.scanned(&ScanOptions::default()).await
    }

    pub(crate) async fn filtered(&self, filter: Filter) -> Vec<String> {
        self.scanned(&ScanOptions::default().with_filter(filter)).await
    }

    pub(crate) async fn nearest(
        &self,
        vector: &[f32],
        options: &VectorSearchOptions,
    ) -> Vec<Scored<StoredRecord>> {
        scored_records(self.collection.search(&SearchInput::from(vector), options).await).await
    }

    pub(crate) async fn worded(
        &self,
        text: &str,
        options: &VectorSearchOptions,
    ) -> Vec<Scored<StoredRecord>> {
        scored_records(self.collection.full_text_search(text, options).await).await
    }

    /// The options, with a fusion that the store has.
    pub(crate) fn fusible(&self, options: &VectorSearchOptions) -> VectorSearchOptions {
        let is_default = options.fusion == Fusion::default();
        let fusion = if is_default { self.fusion } else { options.fusion };
        options.clone().with_fusion(fusion)
    }

    pub(crate) async fn hybrid(
        &self,
        text: &str,
        vector: &[f32],
        options: &VectorSearchOptions,
    ) -> Vec<Scored<StoredRecord>> {
        let options = self.fusible(options);
        scored_records(self.collection.hybrid_search(text, Some(vector.into()), &options).await)
            .await
    }
}

pub(crate) async fn scored_records(
    results: Result<SearchResults<Scored<StoredRecord>>>,
) -> Vec<Scored<StoredRecord>> {
    let results = results.expect("the search succeeds");
    results.into_vec().await.expect("the results can be read")
}

pub(crate) fn keys(results: &[Scored<StoredRecord>]) -> Vec<String> {
    results.iter().map(|scored| scored.record.key.to_string()).collect()
}

pub(crate) fn sorted_keys(results: &[Scored<StoredRecord>]) -> Vec<String> {
    let mut keys = keys(results);
    keys.sort();
    keys
}

/// Backends round scores.
pub(crate) fn is_same_score(score: f64, expected: f64) -> bool {
    (score - expected).abs() <= 1e-4 * (1.0 + expected.abs())
}

pub(crate) fn is_near(vector: &[f32], expected: &[f32], tolerance: f32) -> bool {
    let is_near = |(left, right): (&f32, &f32)| (left - right).abs() <= tolerance;
    vector.len() == expected.len() && vector.iter().zip(expected).all(is_near)
}

pub(crate) fn all() -> VectorSearchOptions {
    VectorSearchOptions::top(ALL)
}

pub(crate) fn record(key: &str, data: Value) -> StoredRecord {
    keyed(KeyKind::String, Value::from(key), data).expect("the record has a key")
}

pub(crate) fn keyed(kind: KeyKind, key: Value, data: Value) -> Result<StoredRecord> {
    let mut data = object(data);
    data.insert("id".to_owned(), key);
    StoredRecord::new(data, &RecordDefinition::new("id").with_key_kind(kind))
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        other => panic!("{other} isn't an object"),
    }
}

pub(crate) fn point(key: &str, vector: &[f32]) -> StoredRecord {
    record(key, Value::Object(Map::new())).with_vector("embedding", vector)
}

pub(crate) fn direction(degrees: u16) -> [f32; 2] {
    let angle = f32::from(degrees).to_radians();
    [angle.cos(), angle.sin()]
}

pub(crate) fn refused_option<T>(result: Result<T>, what: &str) -> Error {
    let error = refused(result, what);
    let is_option = matches!(error.kind(), ErrorKind::InvalidOptions { .. });
    assert!(is_option, "{what} is refused as another error: {error:?}");
    error
}

/// Returns the field that the error names.
pub(crate) fn refused_filter<T>(result: Result<T>, filter: &Filter) -> String {
    match refused(result, filter).kind() {
        ErrorKind::UnsupportedFilter { field, .. } => field.clone(),
        other => panic!("`{filter}` is refused as another error: {other:?}"),
    }
}

/// Returns the key that the error names.
pub(crate) fn refused_record<T>(result: Result<T>, what: &str) -> String {
    match refused(result, what).kind() {
        ErrorKind::InvalidRecord { key, .. } => key.clone(),
        other => panic!("{what} is refused as another error: {other:?}"),
    }
}

fn refused<T>(result: Result<T>, what: impl Display) -> Error {
    result.err().unwrap_or_else(|| panic!("{what} is not refused"))
}
