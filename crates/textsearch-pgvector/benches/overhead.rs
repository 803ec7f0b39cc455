//! Overhead of the connector over the bare client, on the same database, in alternating runs.
//!
//! Both store the same columns. The bare client writes a batch with one prepared statement, and
//! searches with another one.
//!
//! `POSTGRES_URL=postgres://localhost/app cargo bench -p textsearch-pgvector`

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a program for the terminal, which ends where something fails"
)]

use std::{sync::Arc, time::Instant};

use pgvector::Vector;
use serde_json::json;
use textsearch_pgvector::{
    PgVectorConfig, PgVectorStore,
    vector::{
        DataField, IndexKind, RecordDefinition, StoredRecord, VectorCollection, VectorField,
        VectorSearchOptions, VectorStore,
    },
};
use tokio_postgres::{Client, NoTls, Statement};

const DIMENSIONS: usize = 384;
const RECORDS: u64 = 10_000;
const BATCH: usize = 1_000;
const QUERIES: usize = 200;
const TURNS: usize = 7;

const CREATE: &str = r#"
DROP TABLE IF EXISTS "overhead-bare";
CREATE TABLE "overhead-bare" (
    id text COLLATE "C" PRIMARY KEY, data json NOT NULL, lang text COLLATE "C", year bigint,
    embedding vector(384)
)"#;

const UPSERT: &str = r#"
INSERT INTO "overhead-bare" (id, data, lang, year, embedding)
SELECT c1, c2::json, c3, c4, c5
FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::vector[]) AS given (c1, c2, c3, c4, c5)
ON CONFLICT (id) DO UPDATE SET
    data = EXCLUDED.data, lang = EXCLUDED.lang, year = EXCLUDED.year, embedding = EXCLUDED.embedding"#;

const SEARCH: &str = r#"
SELECT data::text, 1 - (embedding <=> $1) FROM "overhead-bare" ORDER BY embedding <=> $1 LIMIT 10"#;

/// In the connector's own table: two HNSW indexes of the same vectors differ, and so do their times.
const SEARCH_OURS: &str = r#"
SELECT textsearch_data::text, 1 - (embedding <=> $1) FROM "overhead-ours" ORDER BY embedding <=> $1 LIMIT 10"#;

/// As by default in the connector.
const CANDIDATES: &str = "SET hnsw.ef_search = 128";

type Stored = Arc<dyn VectorCollection>;

fn definition(text: DataField, vector: VectorField) -> RecordDefinition {
    RecordDefinition::new("id")
        .with_data(DataField::string("title"))
        .with_data(text)
        .with_data(DataField::string("lang").filterable())
        .with_data(DataField::integer("year").filterable())
        .with_vector(vector)
}

fn vector(random: &mut fastrand::Rng) -> Vec<f32> {
    (0..DIMENSIONS).map(|_| random.f32() - 0.5).collect()
}

fn batches() -> Vec<Vec<StoredRecord>> {
    let mut random = fastrand::Rng::with_seed(3);
    let record = |number: u64| {
        let data = json!({
            "id": format!("doc-{number}"),
            "title": format!("Record {number}"),
            "text": "A passage of some length, as chunks of documents are. ".repeat(12),
            "lang": "en",
            "year": 2000 + number % 25,
        });
        let data = data.as_object().cloned().unwrap_or_default();
        let record = StoredRecord::new(data, &RecordDefinition::new("id"));
        record.expect("it has a key").with_vector("embedding", vector(&mut random))
    };
    let records: Vec<StoredRecord> = (0..RECORDS).map(record).collect();
    records.chunks(BATCH).map(<[_]>::to_vec).collect()
}

async fn upsert_bare(client: &Client, statement: &Statement, batches: Vec<Vec<StoredRecord>>) {
    for batch in batches {
        let ids: Vec<String> = batch.iter().map(|record| record.key.to_string()).collect();
        let data = batch.iter().map(|record| serde_json::to_string(&record.data).expect("JSON"));
        let data: Vec<String> = data.collect();
        let lang: Vec<_> = batch.iter().map(|record| record.data["lang"].as_str()).collect();
        let year: Vec<_> = batch.iter().map(|record| record.data["year"].as_i64()).collect();
        let vector = |record: &StoredRecord| Vector::from(record.vectors["embedding"].to_vec());
        let vectors: Vec<Vector> = batch.iter().map(vector).collect();
        let stored = client.execute(statement, &[&ids, &data, &lang, &year, &vectors]).await;
        assert_eq!(stored.expect("the rows are stored"), batch.len() as u64);
    }
}

async fn upsert_ours(collection: &Stored, batches: Vec<Vec<StoredRecord>>) {
    for batch in batches {
        collection.upsert(batch).await.expect("the records are stored");
    }
}

async fn query_bare(client: &Client, statement: &Statement) {
    let mut random = fastrand::Rng::with_seed(5);
    for _ in 0..QUERIES {
        let vector = Vector::from(vector(&mut random));
        let rows = client.query(statement, &[&vector]).await.expect("the query is answered");
        // Read the data as JSON, like the connector.
        let records = rows.iter().map(|row| {
            let data: serde_json::Value = serde_json::from_str(row.get(0)).expect("JSON");
            (data, row.get::<_, f64>(1))
        });
        assert_eq!(records.collect::<Vec<_>>().len(), 10);
    }
}

async fn query_ours(collection: &Stored) {
    let mut random = fastrand::Rng::with_seed(5);
    for _ in 0..QUERIES {
        let input = vector(&mut random).into();
        let results = collection.search(&input, &VectorSearchOptions::top(10)).await;
        let results = results.expect("the search is answered").into_vec().await;
        assert_eq!(results.expect("the records are read").len(), 10);
    }
}

/// Seconds, by turn.
#[derive(Default)]
struct Times {
    ours: Vec<f64>,
    bare: Vec<f64>,
}

impl Times {
    /// Measures both, and takes turns in who begins.
    async fn measure(&mut self, turn: usize, ours: impl AsyncFnOnce(), bare: impl AsyncFnOnce()) {
        if turn.is_multiple_of(2) {
            self.ours.push(seconds(ours).await);
            self.bare.push(seconds(bare).await);
        } else {
            self.bare.push(seconds(bare).await);
            self.ours.push(seconds(ours).await);
        }
    }

    fn report(&self, what: &str) {
        let ratios = self.ours.iter().zip(&self.bare).map(|(ours, bare)| ours / bare);
        let ratio = median(ratios.collect());
        let ours = median(self.ours.clone()) * 1e3;
        let bare = median(self.bare.clone()) * 1e3;
        println!("{what}: ours {ours:.1} ms, bare {bare:.1} ms, {ratio:.2} x");
    }
}

async fn seconds(work: impl AsyncFnOnce()) -> f64 {
    let start = Instant::now();
    work().await;
    start.elapsed().as_secs_f64()
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

async fn recreate(collection: &Stored) {
    collection.delete_collection().await.expect("the collection is deleted");
    collection.ensure_exists().await.expect("the collection is made");
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let config = PgVectorConfig::from_env().expect("POSTGRES_URL names a database");
    let (client, connection) =
        tokio_postgres::connect(config.url.expose(), NoTls).await.expect("the database answers");
    tokio::spawn(connection);
    let store = PgVectorStore::connect(config).await.expect("the database answers");
    let collection = |name: &str, text: DataField, index: IndexKind| {
        let vector = VectorField::new("embedding", DIMENSIONS).with_index(index);
        store.stored_collection(name, definition(text, vector)).expect("the definition is right")
    };
    let text = || DataField::string("text");
    let ours = collection("overhead-ours", text(), IndexKind::Exact);
    let words = collection("overhead-words", text().full_text_in("en"), IndexKind::Exact);
    let batches = batches();
    let [mut upserts, mut texts, mut queries, mut near] = <[Times; 4]>::default();
    for turn in 0..TURNS {
        for (times, collection) in [(&mut upserts, &ours), (&mut texts, &words)] {
            recreate(collection).await;
            client.batch_execute(CREATE).await.expect("the table is made");
            let upsert = client.prepare(UPSERT).await.expect("the statement is right");
            let to_ours = batches.clone();
            let to_bare = batches.clone();
            let upsert_ours = async || upsert_ours(collection, to_ours).await;
            let upsert_bare = async || upsert_bare(&client, &upsert, to_bare).await;
            times.measure(turn, upsert_ours, upsert_bare).await;
        }
        let search = client.prepare(SEARCH).await.expect("the statement is right");
        let query_ours = async || query_ours(&ours).await;
        let query_bare = async || query_bare(&client, &search).await;
        queries.measure(turn, query_ours, query_bare).await;
    }
    let indexed = collection("overhead-ours", text(), IndexKind::hnsw());
    indexed.ensure_exists().await.expect("the index is built");
    client.batch_execute(CANDIDATES).await.expect("the setting is right");
    let search = client.prepare(SEARCH_OURS).await.expect("the statement is right");
    for turn in 0..TURNS {
        let query_ours = async || query_ours(&indexed).await;
        let query_bare = async || query_bare(&client, &search).await;
        near.measure(turn, query_ours, query_bare).await;
    }
    upserts.report(&format!("upsert of {RECORDS} records"));
    texts.report(&format!("upsert of {RECORDS} records, ours with full text"));
    queries.report(&format!("{QUERIES} exact queries"));
    near.report(&format!("{QUERIES} queries of an HNSW index"));
    for collection in [ours, words] {
        collection.delete_collection().await.expect("the collection is deleted");
    }
    client.batch_execute(r#"DROP TABLE "overhead-bare""#).await.expect("the table is dropped");
}
