//! Bulk loads without indexing.

use futures_util::{StreamExt as _, stream};
use serde_json::json;
use textsearch_qdrant::{
    Error, ErrorKind, Result,
    vector::{
        BulkSettings, Collection, RecordDefinition, ScanOptions, StoredRecord, VectorField,
        VectorStoreExt as _,
    },
};

const RECORDS: u64 = 20_000;

fn record(number: u64) -> Result<StoredRecord> {
    let data = json!({ "id": format!("record {number:05}") });
    let data = data.as_object().cloned().unwrap_or_default();
    let vector: Vec<f32> = (0..8).map(|place| (number + place) as f32).collect();
    Ok(StoredRecord::new(data, &definition())?.with_vector("embedding", vector))
}

fn definition() -> RecordDefinition {
    RecordDefinition::new("id").with_vector(VectorField::new("embedding", 8))
}

async fn created(name: &str) -> Collection {
    let collection = crate::store().dynamic_collection(name, definition()).unwrap();
    collection.delete_collection().await.unwrap();
    collection.ensure_exists().await.unwrap();
    collection
}

async fn threshold(name: &str) -> Option<u64> {
    let info = crate::store().client().unwrap().collection_info(name).await.unwrap();
    info.result?.config?.optimizer_config?.indexing_threshold
}

#[tokio::test]
async fn a_load_without_indexing_stores_all_records() {
    let name = "bulk-all";
    let collection = created(name).await;
    let settings = BulkSettings::default();
    let load = async {
        assert_eq!(threshold(name).await, Some(0));
        collection.bulk_upsert(stream::iter(0..RECORDS).map(record), &settings).await
    };
    let stored = crate::store().load_without_indexing(name, load).await.unwrap();
    assert_eq!(stored as u64, RECORDS);
    let results = collection.scan(&ScanOptions::default().with_top(1)).await.unwrap();
    assert_eq!(results.total_count().map(|total| total.value()), Some(RECORDS));
    assert_ne!(threshold(name).await, Some(0));
    collection.delete_collection().await.unwrap();
}

#[tokio::test]
async fn a_failed_load_leaves_indexing_on() {
    let name = "bulk-failed";
    let collection = created(name).await;
    let gone = stream::iter([Err(Error::new(ErrorKind::Backend, "file", "gone"))]);
    let records = stream::iter(0..2_500).map(record).chain(gone);
    let settings = BulkSettings::default();
    let load = collection.bulk_upsert(records, &settings);
    let error = crate::store().load_without_indexing(name, load).await.unwrap_err();
    assert!(error.message().contains("the first 2000 records are stored"), "{error}");
    assert_ne!(threshold(name).await, Some(0));
    collection.delete_collection().await.unwrap();
}
