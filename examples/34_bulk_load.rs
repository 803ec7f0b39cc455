//! Stores a stream of records, one batch after the other and several at the same time, or as many as
//! the second argument says, and prints the records per second. Memory holds only the batches that are being stored.
//!
//! Needs: nothing; it runs offline, on disk. With a feature and an address in the environment, it
//! loads into that server, here a million records, four batches at the same time:
//! `QDRANT_URL=http://localhost:6334 cargo run --release -p examples --features qdrant --example 34_bulk_load 1000000 4`.
//! `milvus` needs `MILVUS_URL`.

use std::{path::Path, sync::Arc, time::Instant};

use futures_util::{Stream, StreamExt as _, stream};
use serde_json::json;
use textsearch_core::{
    Result,
    vector::{
        BulkSettings, Collection, IndexKind, RecordDefinition, ScanOptions, StoredRecord,
        VectorField, VectorStore, VectorStoreExt as _,
    },
};
use textsearch_vector_inmemory::DiskVectorStore;

const NAME: &str = "example-bulk-load";

const DIMENSIONS: usize = 384;

fn definition(index: IndexKind) -> RecordDefinition {
    RecordDefinition::new("id")
        .with_vector(VectorField::new("embedding", DIMENSIONS).with_index(index))
}

/// Makes each record when it is read. A program would read a file or embed texts here.
fn records(count: u64) -> impl Stream<Item = Result<StoredRecord>> + Send {
    let definition = definition(IndexKind::Exact);
    stream::iter(0..count).map(move |number| {
        let text = "A passage of some length, as chunks of documents are. ".repeat(6);
        let data = json!({ "id": format!("doc-{number}"), "text": text });
        let data = data.as_object().cloned().unwrap_or_default();
        let element = |place: usize| (number as f32 + place as f32 * 1.7).sin();
        let vector: Vec<f32> = (0..DIMENSIONS).map(element).collect();
        Ok(StoredRecord::new(data, &definition)?.with_vector("embedding", vector))
    })
}

/// Returns the number of stored records.
async fn load(collection: &Collection, count: u64, settings: &BulkSettings) -> Result<usize> {
    let load = collection.bulk_upsert(records(count), settings);
    #[cfg(feature = "qdrant")]
    if std::env::var_os(textsearch_qdrant::QDRANT_URL).is_some() {
        use textsearch_qdrant::{QdrantConfig, QdrantStore};
        let store = QdrantStore::new(QdrantConfig::from_env()?)?;
        // The graphs are built once, at the end.
        return store.load_without_indexing(NAME, load).await;
    }
    load.await
}

/// Opens the server that the environment names, or else a store on disk in `folder`. Servers need a
/// graph to search many records fast; the store on disk has none.
fn store(folder: &Path) -> Result<(Arc<dyn VectorStore>, IndexKind)> {
    #[cfg(feature = "qdrant")]
    if std::env::var_os(textsearch_qdrant::QDRANT_URL).is_some() {
        use textsearch_qdrant::{QdrantConfig, QdrantStore};
        let store = QdrantStore::new(QdrantConfig::from_env()?)?;
        return Ok((Arc::new(store), IndexKind::hnsw()));
    }
    #[cfg(feature = "milvus")]
    if std::env::var_os(textsearch_milvus::MILVUS_URL).is_some() {
        use textsearch_milvus::{MilvusConfig, MilvusStore};
        let store = MilvusStore::new(MilvusConfig::from_env()?)?;
        return Ok((Arc::new(store), IndexKind::hnsw()));
    }
    Ok((Arc::new(DiskVectorStore::open(folder)?), IndexKind::Exact))
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let count: u64 = arguments.next().map_or(Ok(2_000), |count| count.parse())?;
    let concurrent_batches = match arguments.next() {
        Some(number) => vec![number.parse()?],
        None => vec![1, 2, 4],
    };
    let folder = std::env::temp_dir().join(format!("textsearch-example-{}", std::process::id()));
    let (store, index) = store(&folder)?;
    for concurrent in concurrent_batches {
        let collection = store.dynamic_collection(NAME, definition(index.clone()))?;
        collection.delete_collection().await?;
        collection.ensure_exists().await?;
        let mut settings = BulkSettings::default();
        settings.concurrent_batches = concurrent;
        let start = Instant::now();
        let stored = load(&collection, count, &settings).await?;
        let rate = stored as f64 / start.elapsed().as_secs_f64();
        println!("{}, {concurrent} at the same time: {rate:.0} records/s", store.name());

        let results = collection.scan(&ScanOptions::default().with_top(1)).await?;
        let total = results.total_count().map(|total| total.value());
        anyhow::ensure!(total == Some(count), "the store has {total:?} of {count} records");
        collection.delete_collection().await?;
    }
    drop(store);
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    Ok(())
}
