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

#[path = "../../../xtask/benchmarks/support/overhead.rs"]
mod overhead;

use std::{collections::HashMap, sync::Arc};

use overhead::{
    DIMENSIONS, TOP, definition, in_turns, query, records, recreate, report, seconds, upsert,
    vector,
};
use qdrant_client::{
    Payload, Qdrant,
    qdrant::{
        PointId, PointStruct, QueryPointsBuilder, ScrollPointsBuilder, SearchParamsBuilder,
        UpsertPointsBuilder, vector_output,
    },
};
use textsearch_qdrant::{
    QdrantConfig, QdrantStore, point_id,
    vector::{
        DataField, KeyKind, RecordDefinition, StoredRecord, VectorCollection, VectorField,
        VectorStore,
    },
};

const RECORDS: u64 = 10_000;
const BATCH: usize = 1_000;
const QUERIES: u64 = 200;
const TURNS: usize = 7;

fn ordered() -> RecordDefinition {
    definition(VectorField::new("embedding", DIMENSIONS))
}

fn unordered() -> RecordDefinition {
    let mut definition = ordered().without_key_order();
    for field in &mut definition.data {
        if field.name == "lang" {
            *field = DataField::string("lang").without_text_order().filterable();
        }
    }
    definition
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
    upsert(collection, records(RECORDS)).await;
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
    let keys = records(RECORDS)
        .into_iter()
        .map(|record| PointId::from(point_id(KeyKind::String, &record.key).to_string()));
    let points: Vec<_> =
        keys.map(|id| points.remove(&id).expect("each record is stored")).collect();
    points.chunks(BATCH).map(<[_]>::to_vec).collect()
}

async fn query_bare(client: &Qdrant) {
    for number in 0..QUERIES {
        let query = QueryPointsBuilder::new("bare")
            .query(vector(number))
            .using("embedding")
            .params(SearchParamsBuilder::default().exact(true))
            .limit(TOP as u64)
            .with_payload(true);
        let ranked = client.query(query).await.expect("the query is answered").result;
        // Read the payload as JSON, like the connector.
        let records: Vec<serde_json::Value> =
            ranked.into_iter().map(|point| Payload::from(point.payload).into()).collect();
        assert_eq!(records.len(), TOP);
    }
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
        made("ours", ordered()),
        made("bare", ordered()),
        made("same", ordered()),
        made("unordered", unordered()),
        made("unordered-same", unordered()),
    ];
    let [ours, _, same, unordered, unordered_same] = collections.each_ref().map(AsRef::as_ref);
    let points = points_of(&client, ours).await;
    let unordered_points = points_of(&client, unordered).await;
    let mut upserts: [Vec<f64>; 5] = Default::default();
    let mut queries = Vec::new();
    for turn in 0..TURNS {
        for collection in &collections {
            recreate(collection.as_ref()).await;
        }
        for side in rotated(upserts.len(), turn) {
            let records = records(RECORDS);
            let points = points.clone();
            let unordered_points = unordered_points.clone();
            let work = async {
                match side {
                    0 => upsert(ours, records).await,
                    1 => upsert_bare(&client, records).await,
                    2 => upsert_points(&client, same.name(), points).await,
                    3 => upsert(unordered, records).await,
                    _ => upsert_points(&client, unordered_same.name(), unordered_points).await,
                }
            };
            upserts[side].push(seconds(work).await);
        }
        queries.push(in_turns(turn, query(ours, 0..QUERIES), query_bare(&client)).await);
    }
    let upsert = format!("upsert of {RECORDS} records");
    for (what, ours, bare) in [
        ("", 0, 1),
        (", the same points", 0, 2),
        (", without order", 3, 1),
        (", without order, the same points", 3, 4),
    ] {
        let turns = upserts[ours].iter().zip(&upserts[bare]).map(|(ours, bare)| [*ours, *bare]);
        report(&format!("{upsert}{what}"), &turns.collect::<Vec<_>>());
    }
    report(&format!("{QUERIES} queries"), &queries);
    for collection in &collections {
        collection.delete_collection().await.expect("the collection is deleted");
    }
}
