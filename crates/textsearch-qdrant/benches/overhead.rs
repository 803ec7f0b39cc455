//! What the connector costs beside the bare official client, on the same server, in turns: line V8 of the targets.
//!
//! `QDRANT_URL=http://localhost:6334 cargo bench -p textsearch-qdrant`

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a program for the terminal, which ends where something fails"
)]

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::json;
use textsearch_qdrant::{
    QdrantConfig, QdrantStore, point_id,
    qdrant_client::{
        Payload, Qdrant,
        qdrant::{PointStruct, QueryPointsBuilder, SearchParamsBuilder, UpsertPointsBuilder},
    },
    vector::{
        DataField, KeyKind, RecordDefinition, StoredRecord, VectorCollection, VectorField,
        VectorSearchOptions, VectorStore,
    },
};

const DIMENSIONS: usize = 384;
const RECORDS: u64 = 10_000;
const BATCH: usize = 1_000;
const QUERIES: usize = 200;
const TURNS: usize = 7;

fn definition() -> RecordDefinition {
    RecordDefinition::new("id")
        .with_data(DataField::string("title"))
        .with_data(DataField::string("text"))
        .with_data(DataField::string("lang").filterable())
        .with_data(DataField::integer("year").filterable())
        .with_vector(VectorField::new("embedding", DIMENSIONS))
}

fn vector(number: u64) -> Vec<f32> {
    let element = |place: usize| ((number as usize * 31 + place * 17) % 101) as f32 - 50.0;
    let elements: Vec<f32> = (0..DIMENSIONS).map(element).collect();
    let length = elements.iter().map(|element| element * element).sum::<f32>().sqrt();
    elements.into_iter().map(|element| element / length).collect()
}

fn records() -> Vec<StoredRecord> {
    let record = |number: u64| {
        let data = json!({
            "id": format!("doc-{number}"),
            "title": format!("Record {number}"),
            "text": "A passage of some length, as chunks of documents are. ".repeat(12),
            "lang": "en",
            "year": 2000 + number % 25,
        });
        let data = data.as_object().cloned().unwrap_or_default();
        let record = StoredRecord::new(data, &definition()).expect("the record has its key");
        record.with_vector("embedding", vector(number))
    };
    (0..RECORDS).map(record).collect()
}

/// The records as points, as someone would write it who has the client alone.
fn points(records: &[StoredRecord]) -> Vec<PointStruct> {
    let point = |record: &StoredRecord| {
        let payload = Payload::try_from(serde_json::Value::from(record.data.clone()));
        let vectors = record.vectors.iter().map(|(name, vector)| (name.clone(), vector.to_vec()));
        let vectors: HashMap<String, Vec<f32>> = vectors.collect();
        let id = point_id(KeyKind::String, &record.key);
        PointStruct::new(id, vectors, payload.expect("the data are an object"))
    };
    records.iter().map(point).collect()
}

async fn upsert_bare(client: &Qdrant, records: Vec<StoredRecord>) {
    for batch in records.chunks(BATCH) {
        let upsert = UpsertPointsBuilder::new("bare", points(batch)).wait(true);
        client.upsert_points(upsert).await.expect("the points are stored");
    }
}

async fn query_bare(client: &Qdrant) {
    for number in 0..QUERIES {
        let query = QueryPointsBuilder::new("bare")
            .query(vector(number as u64))
            .using("embedding")
            .params(SearchParamsBuilder::default().exact(true))
            .limit(10)
            .with_payload(true);
        let found = client.query(query).await.expect("the query is answered").result;
        // Read as the connector reads them: as JSON.
        let found: Vec<serde_json::Value> =
            found.into_iter().map(|point| Payload::from(point.payload).into()).collect();
        assert_eq!(found.len(), 10);
    }
}

async fn query_ours(collection: &dyn VectorCollection<StoredRecord>) {
    for number in 0..QUERIES {
        let input = vector(number as u64).into();
        let found = collection.search(&input, &VectorSearchOptions::top(10)).await;
        let found = found.expect("the search is answered").into_vec().await;
        assert_eq!(found.expect("the records are read").len(), 10);
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn report(what: &str, ours: Vec<Duration>, bare: Vec<Duration>) {
    let (ours, bare) = (median(ours).as_secs_f64(), median(bare).as_secs_f64());
    println!("{what}: ours {:.1} ms, bare {:.1} ms, {:.3} x", ours * 1e3, bare * 1e3, ours / bare);
}

#[tokio::main]
async fn main() {
    let config = QdrantConfig::from_env().expect("QDRANT_URL names a server");
    let store =
        QdrantStore::new(config.with_batches(BATCH, 31 << 20)).expect("the settings are right");
    let client: Arc<Qdrant> = store.client().expect("there is a node");
    let made = |name: &str| store.stored_collection(name, definition()).expect("a handle is made");
    let (ours, bare) = (made("ours"), made("bare"));
    let (mut upsert, mut query) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
    for _ in 0..TURNS {
        for collection in [&ours, &bare] {
            collection.delete_collection().await.expect("the collection is deleted");
            collection.ensure_exists().await.expect("the collection is made");
        }
        let (of_ours, of_bare) = (records(), records());
        let start = Instant::now();
        ours.upsert(of_ours).await.expect("the records are stored");
        upsert[0].push(start.elapsed());
        let start = Instant::now();
        upsert_bare(&client, of_bare).await;
        upsert[1].push(start.elapsed());
        let start = Instant::now();
        query_ours(ours.as_ref()).await;
        query[0].push(start.elapsed());
        let start = Instant::now();
        query_bare(&client).await;
        query[1].push(start.elapsed());
    }
    let [upsert_ours, upsert_bare] = upsert;
    let [query_ours, query_bare] = query;
    report(&format!("upsert of {RECORDS} records"), upsert_ours, upsert_bare);
    report(&format!("{QUERIES} queries"), query_ours, query_bare);
    for collection in [&ours, &bare] {
        collection.delete_collection().await.expect("the collection is deleted");
    }
}
