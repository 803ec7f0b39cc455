//! Overhead of the connector over the bare official client, on the same server, in alternating
//! runs.
//!
//! Upserts are compared with two clients. One stores only the records: the difference is the total
//! overhead. The other stores the connector's points, with its data for filters: the difference is
//! the connector's own time. Both run with and without the stored order of texts and keys.
//!
//! `QDRANT_URL=http://localhost:6334 cargo bench -p textsearch-qdrant`

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a program for the terminal, which ends where something fails"
)]

use std::{collections::HashMap, sync::Arc, time::Instant};

use qdrant_client::{
    Payload, Qdrant,
    qdrant::{
        PointId, PointStruct, QueryPointsBuilder, ScrollPointsBuilder, SearchParamsBuilder,
        UpsertPointsBuilder, vector_output,
    },
};
use serde_json::json;
use textsearch_qdrant::{
    QdrantConfig, QdrantStore, point_id,
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
    defined(RecordDefinition::new("id"), DataField::string("lang"))
}

fn unordered_definition() -> RecordDefinition {
    let lang = DataField::string("lang").without_text_order();
    defined(RecordDefinition::new("id").without_key_order(), lang)
}

fn defined(definition: RecordDefinition, lang: DataField) -> RecordDefinition {
    definition
        .with_data(DataField::string("title"))
        .with_data(DataField::string("text"))
        .with_data(lang.filterable())
        .with_data(DataField::integer("year").filterable())
        .with_vector(VectorField::new("embedding", DIMENSIONS))
}

/// Vectors must differ: the connector requests more records if several are equally near.
fn vector(number: u64) -> Vec<f32> {
    let mut state = number;
    let mut element = |_| {
        // SplitMix64: https://doi.org/10.1145/2714064.2660195
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    let elements: Vec<f32> = (0..DIMENSIONS).map(&mut element).collect();
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

fn points(records: &[StoredRecord]) -> Vec<PointStruct> {
    let point = |record: &StoredRecord| {
        let payload = Payload::try_from(serde_json::Value::from(record.data.clone()));
        let vectors = record.vectors.iter().map(|(name, vector)| (name.clone(), vector.to_vec()));
        let vectors: HashMap<String, Vec<f32>> = vectors.collect();
        let id = point_id(KeyKind::String, &record.key).to_string();
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

async fn upsert_points(client: &Qdrant, into: &str, batches: Vec<Vec<PointStruct>>) {
    for batch in batches {
        let upsert = UpsertPointsBuilder::new(into, batch).wait(true);
        client.upsert_points(upsert).await.expect("the points are stored");
    }
}

async fn points_of(client: &Qdrant, collection: &dyn VectorCollection) -> Vec<Vec<PointStruct>> {
    recreate(collection).await;
    collection.upsert(records()).await.expect("the records are stored");
    let all = ScrollPointsBuilder::new(collection.name()).limit(RECORDS as u32);
    let response = client.scroll(all.with_payload(true).with_vectors(true)).await;
    let points = response.expect("the points are read").result.into_iter().map(|point| {
        let vectors = point.vectors.expect("each has a vector");
        let vector = vectors.get_vector_by_name("embedding").expect("it has that name");
        let vector_output::Vector::Dense(vector) = vector else { panic!("it is dense") };
        let vectors = HashMap::from([("embedding".to_owned(), vector.data)]);
        let id = point.id.expect("each has one");
        (id.clone(), PointStruct::new(id, vectors, point.payload))
    });
    let mut points: HashMap<PointId, PointStruct> = points.collect();
    let keys = records()
        .into_iter()
        .map(|record| PointId::from(point_id(KeyKind::String, &record.key).to_string()));
    let points: Vec<_> =
        keys.map(|id| points.remove(&id).expect("each record is stored")).collect();
    points.chunks(BATCH).map(<[_]>::to_vec).collect()
}

async fn query_bare(client: &Qdrant) {
    for number in 0..QUERIES {
        let query = QueryPointsBuilder::new("bare")
            .query(vector(number as u64))
            .using("embedding")
            .params(SearchParamsBuilder::default().exact(true))
            .limit(10)
            .with_payload(true);
        let ranked = client.query(query).await.expect("the query is answered").result;
        // Read the payload as JSON, like the connector.
        let records: Vec<serde_json::Value> =
            ranked.into_iter().map(|point| Payload::from(point.payload).into()).collect();
        assert_eq!(records.len(), 10);
    }
}

async fn query_ours(collection: &dyn VectorCollection) {
    for number in 0..QUERIES {
        let input = vector(number as u64).into();
        let results = collection.search(&input, &VectorSearchOptions::top(10)).await;
        let results = results.expect("the search is answered").into_vec().await;
        assert_eq!(results.expect("the records are read").len(), 10);
    }
}

async fn recreate(collection: &dyn VectorCollection) {
    collection.delete_collection().await.expect("the collection is deleted");
    collection.ensure_exists().await.expect("the collection is made");
}

/// Seconds.
type Times = Vec<f64>;

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn report(what: &str, ours: &Times, bare: &Times) {
    let ratio = median(ours.iter().zip(bare).map(|(ours, bare)| ours / bare).collect());
    let ours = median(ours.clone()) * 1e3;
    let bare = median(bare.clone()) * 1e3;
    println!("{what}: ours {ours:.1} ms, bare {bare:.1} ms, {ratio:.2} x");
}

fn rotated(sides: usize, turn: usize) -> impl Iterator<Item = usize> {
    (0..sides).map(move |side| (side + turn) % sides)
}

#[tokio::main]
async fn main() {
    let config = QdrantConfig::from_env().expect("QDRANT_URL names a server");
    let store = QdrantStore::new(config.with_batch_limits(BATCH, 31 << 20))
        .expect("the settings are right");
    let client: Arc<Qdrant> = store.client().expect("there is a node");
    let made = |name: &str, definition: RecordDefinition| {
        store.stored_collection(name, definition).expect("a handle is made")
    };
    let collections = [
        made("ours", definition()),
        made("bare", definition()),
        made("same", definition()),
        made("unordered", unordered_definition()),
        made("unordered-same", unordered_definition()),
    ];
    let [ours, _, same, unordered, unordered_same] = collections.each_ref().map(AsRef::as_ref);
    let points = points_of(&client, ours).await;
    let unordered_points = points_of(&client, unordered).await;
    let mut upserts: [Times; 5] = Default::default();
    let mut queries: [Times; 2] = Default::default();
    for turn in 0..TURNS {
        for collection in &collections {
            recreate(collection.as_ref()).await;
        }
        for side in rotated(upserts.len(), turn) {
            let records = records();
            let points = points.clone();
            let unordered_points = unordered_points.clone();
            let start = Instant::now();
            match side {
                0 => ours.upsert(records).await.expect("the records are stored"),
                1 => upsert_bare(&client, records).await,
                2 => upsert_points(&client, same.name(), points).await,
                3 => unordered.upsert(records).await.expect("the records are stored"),
                _ => upsert_points(&client, unordered_same.name(), unordered_points).await,
            }
            upserts[side].push(start.elapsed().as_secs_f64());
        }
        for side in rotated(2, turn) {
            let start = Instant::now();
            match side {
                0 => query_ours(ours).await,
                _ => query_bare(&client).await,
            }
            queries[side].push(start.elapsed().as_secs_f64());
        }
    }
    let upsert = format!("upsert of {RECORDS} records");
    report(&upsert, &upserts[0], &upserts[1]);
    report(&format!("{upsert}, the same points"), &upserts[0], &upserts[2]);
    report(&format!("{upsert}, without order"), &upserts[3], &upserts[1]);
    report(&format!("{upsert}, without order, the same points"), &upserts[3], &upserts[4]);
    report(&format!("{QUERIES} queries"), &queries[0], &queries[1]);
    for collection in &collections {
        collection.delete_collection().await.expect("the collection is deleted");
    }
}
