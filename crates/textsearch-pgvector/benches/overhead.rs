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

#[path = "../../../xtask/benchmarks/support/overhead.rs"]
mod overhead;

use overhead::{
    DIMENSIONS, TOP, definition, in_turns, query, records, recreate, report, upsert, vector,
};
use pgvector::Vector;
use textsearch_pgvector::{
    PgVectorConfig, PgVectorStore,
    vector::{DataField, IndexKind, StoredRecord, VectorCollection, VectorField, VectorStore},
};
use tokio_postgres::{Client, NoTls, Statement};

const RECORDS: u64 = 10_000;
const BATCH: usize = 1_000;
const QUERIES: u64 = 200;
/// None of them is a record's vector.
const NUMBERS: std::ops::Range<u64> = RECORDS..RECORDS + QUERIES;
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

async fn upsert_bare(client: &Client, statement: &Statement, records: &[StoredRecord]) {
    for batch in records.chunks(BATCH) {
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

async fn upsert_ours(collection: &dyn VectorCollection, batches: Vec<Vec<StoredRecord>>) {
    for batch in batches {
        upsert(collection, batch).await;
    }
}

async fn query_bare(client: &Client, statement: &Statement) {
    for number in NUMBERS {
        let vector = Vector::from(vector(number));
        let rows = client.query(statement, &[&vector]).await.expect("the query is answered");
        // Read the data as JSON, like the connector.
        let records = rows.iter().map(|row| {
            let data: serde_json::Value = serde_json::from_str(row.get(0)).expect("JSON");
            (data, row.get::<_, f64>(1))
        });
        assert_eq!(records.collect::<Vec<_>>().len(), TOP);
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let config = PgVectorConfig::from_env().expect("POSTGRES_URL names a database");
    let (client, connection) =
        tokio_postgres::connect(config.url.expose(), NoTls).await.expect("the database answers");
    tokio::spawn(connection);
    let store = PgVectorStore::connect(config).await.expect("the database answers");
    let collection = |name: &str, text: DataField, index: IndexKind| {
        let mut definition =
            definition(VectorField::new("embedding", DIMENSIONS).with_index(index));
        for field in &mut definition.data {
            if field.name == "text" {
                *field = text.clone();
            }
        }
        store.stored_collection(name, definition).expect("the definition is right")
    };
    let text = || DataField::string("text");
    let ours = collection("overhead-ours", text(), IndexKind::Exact);
    let words = collection("overhead-words", text().full_text_in("en"), IndexKind::Exact);
    let records = records(RECORDS);
    let batches: Vec<Vec<StoredRecord>> = records.chunks(BATCH).map(<[_]>::to_vec).collect();
    let [mut upserts, mut texts, mut queries, mut near] = <[Vec<_>; 4]>::default();
    for turn in 0..TURNS {
        for (times, collection) in [(&mut upserts, &ours), (&mut texts, &words)] {
            recreate(collection.as_ref()).await;
            client.batch_execute(CREATE).await.expect("the table is made");
            let statement = client.prepare(UPSERT).await.expect("the statement is right");
            let upsert = upsert_ours(collection.as_ref(), batches.clone());
            times.push(in_turns(turn, upsert, upsert_bare(&client, &statement, &records)).await);
        }
        let search = client.prepare(SEARCH).await.expect("the statement is right");
        let query = query(ours.as_ref(), NUMBERS);
        queries.push(in_turns(turn, query, query_bare(&client, &search)).await);
    }
    let indexed = collection("overhead-ours", text(), IndexKind::hnsw());
    indexed.ensure_exists().await.expect("the index is built");
    client.batch_execute(CANDIDATES).await.expect("the setting is right");
    let search = client.prepare(SEARCH_OURS).await.expect("the statement is right");
    for turn in 0..TURNS {
        let query = query(indexed.as_ref(), NUMBERS);
        near.push(in_turns(turn, query, query_bare(&client, &search)).await);
    }
    report(&format!("upsert of {RECORDS} records"), &upserts);
    report(&format!("upsert of {RECORDS} records, ours with full text"), &texts);
    report(&format!("{QUERIES} exact queries"), &queries);
    report(&format!("{QUERIES} queries of an HNSW index"), &near);
    for collection in [ours, words] {
        collection.delete_collection().await.expect("the collection is deleted");
    }
    client.batch_execute(r#"DROP TABLE "overhead-bare""#).await.expect("the table is dropped");
}
