//! Invalid records in batches, concurrent, dropped and blocking calls.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use futures_util::FutureExt as _;
use serde_json::{Value, json};
use textsearch_core::{
    Filter, Result,
    vector::{
        GetOptions, RecordKey, ScanOptions, SearchInput, StoredRecord, VectorCollection,
        VectorSearchOptions,
    },
};

use crate::{
    case::skipped,
    stalls::assert_free,
    vector::{
        VectorFeature, VectorSubject,
        fixture::{
            TestCollection, all, direction, is_near, point, record, refused_record, sorted_keys,
        },
    },
};

type Collection = Arc<dyn VectorCollection>;

/// The store keeps nothing of the batch, unless it declares otherwise.
pub(crate) async fn a_batch_with_a_bad_record_names_it(subject: &VectorSubject) {
    let docs = subject.collection(subject.definition()).await;
    docs.upsert(vec![record("old", json!({ "year": 1 }))]).await;
    let batch = vec![
        point("good", &direction(0)),
        record("old", json!({ "year": 2 })),
        point("bad", &[f32::NAN, 1.0]),
        point("after", &direction(0)),
    ];
    assert_eq!(refused_record(docs.collection.upsert(batch).await, "a bad record"), "bad");
    assert!(docs.get("bad").await.is_none(), "the bad record is stored");
    assert_eq!(docs.keys().await, ["old"]);
    let old = docs.get("old").await.expect("the old record is there");
    assert_eq!(old.data.get("year"), Some(&json!(1)));
}

const WRITERS: u16 = 4;
const ROUNDS: u16 = 12;
const BATCH: u16 = 10;

/// A record's data and vector agree.
fn written(key: &str, title: String, year: u16) -> StoredRecord {
    record(key, json!({ "title": title, "year": year })).with_vector("embedding", direction(year))
}

/// A writer always uses the same keys.
fn batch(writer: u16, round: u16) -> Vec<StoredRecord> {
    let numbered =
        |number| written(&format!("{writer}-{number}"), format!("writer{writer}"), round);
    (0..BATCH).map(numbered).collect()
}

/// All writers use these keys. The year tells the writer: no round has it. No record is written
/// twice: a store may overlook that a record changed and changed back while it was read.
fn shared_batch(writer: u16, round: u16) -> Vec<StoredRecord> {
    let title = format!("shared{writer} in round {round}");
    (0..5).map(|number| written(&format!("shared {number}"), title.clone(), 50 + writer)).collect()
}

/// No other writer changes its own records.
async fn write(collection: Collection, writer: u16) -> Result<()> {
    for round in 0..ROUNDS {
        let batch = batch(writer, round);
        let keys: Vec<RecordKey> = batch.iter().map(|record| record.key.clone()).collect();
        collection.upsert(batch).await?;
        collection.upsert(shared_batch(writer, round)).await?;
        tokio::task::yield_now().await;
        let stored = collection.get(&keys, &GetOptions::default()).await?;
        let is_stored = |record: &StoredRecord| record.data.get("year") == Some(&json!(round));
        assert!(stored.len() == keys.len() && stored.iter().all(is_stored), "a write is lost");
    }
    Ok(())
}

/// Each record must be as it was written.
async fn read(collection: Collection) -> Result<()> {
    for round in 0..ROUNDS {
        let query = SearchInput::from(&direction(round)[..]);
        let results = collection.search(&query, &all().with_vectors(true)).await?;
        let records = results.into_vec().await?.into_iter().map(|scored| scored.record);
        let scanned = collection.scan(&ScanOptions::default().with_vectors(true)).await?;
        let scanned = scanned.into_vec().await?;
        let keys = scanned.iter().map(|record| record.key.clone()).collect::<Vec<RecordKey>>();
        let asked = collection.get(&keys, &GetOptions::default().with_vectors(true)).await?;
        for record in records.chain(scanned).chain(asked) {
            let year = record.data.get("year").and_then(|year| year.as_u64());
            let vector = record.vectors.get("embedding").expect("the vector is there");
            let expected = direction(year.expect("the year is there") as u16);
            let is_same = is_near(vector, &expected, 1e-4);
            assert!(is_same, "data of one write with a vector of another: {record:?}");
        }
        tokio::task::yield_now().await;
    }
    Ok(())
}

/// No call fails, and no record is lost or mixed.
pub(crate) async fn many_write_and_read_at_once(subject: &VectorSubject) {
    let docs = subject.collection(subject.definition()).await;
    let mut tasks = Vec::new();
    for writer in 0..WRITERS {
        tasks.push(tokio::spawn(write(Arc::clone(&docs.collection), writer)));
        tasks.push(tokio::spawn(read(Arc::clone(&docs.collection))));
    }
    for task in tasks {
        task.await.expect("no task panics").expect("nobody fails");
    }
    let records = docs.try_scan(&ScanOptions::default()).await.expect("the scan succeeds");
    assert_eq!(records.len(), usize::from(WRITERS * BATCH) + 5, "a record is lost or doubled");
    let last = docs.filtered(Filter::eq("year", i32::from(ROUNDS - 1))).await;
    assert_eq!(last.len(), usize::from(WRITERS * BATCH), "a write is lost");
    // One writer wrote all of a shared record: data, filterable values and words.
    for writer in 0..WRITERS {
        let word = format!("shared{writer}");
        let own = records.iter().filter(|record| {
            let title = record.data.get("title").and_then(Value::as_str);
            title.is_some_and(|title| title.starts_with(&word))
        });
        let own: Vec<String> = own.map(|record| record.key.to_string()).collect();
        let filtered = docs.filtered(Filter::eq("year", i32::from(50 + writer))).await;
        assert_eq!(filtered, own, "a filter finds other records");
        if subject.capabilities.has(VectorFeature::FullText) {
            let worded = sorted_keys(&docs.worded(&word, &all()).await);
            assert_eq!(worded, own, "words find other records");
        }
    }
}

/// Its records are all stored, now or soon, or none is. Dropped searches and upserts leave a store
/// that works.
pub(crate) async fn a_dropped_upsert_is_whole_or_not_there(subject: &VectorSubject) {
    let docs = subject.collection(subject.definition()).await;
    docs.upsert(batch(0, 0)).await;
    let scan = ScanOptions::default();
    for round in 1..5 {
        let mut upsert = Box::pin(docs.collection.upsert(batch(0, round)));
        let _ = docs.collection.scan(&scan).now_or_never();
        for _ in 0..round {
            if upsert.as_mut().now_or_never().is_some() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        drop(upsert);
        let mut years = years(&docs).await;
        // A database may finish the write after the caller has left.
        for _ in 0..40 {
            if years.len() > 1 {
                tokio::time::sleep(Duration::from_millis(50)).await;
                years = self::years(&docs).await;
            }
        }
        assert_eq!(years.len(), 1, "batches that the records of one batch come from: {years:?}");
    }
    docs.upsert(batch(0, 9)).await;
    // An abandoned upsert may still have changed the order.
    let keys = sorted_keys(&docs.nearest(&direction(9), &all()).await);
    assert_eq!(keys, docs.keys().await);
    assert_eq!(keys.len(), usize::from(BATCH));
}

async fn years(docs: &TestCollection) -> BTreeSet<u64> {
    let records = docs.try_scan(&ScanOptions::default()).await.expect("the scan succeeds");
    records.iter().filter_map(|record| record.data.get("year")?.as_u64()).collect()
}

/// The calls wait for I/O, locks and other threads asynchronously.
pub(crate) async fn no_call_blocks_its_thread(subject: &VectorSubject) {
    let docs = subject.collection(subject.definition()).await;
    let records = || {
        let numbered = |number: u16| {
            let data = json!({ "title": "apple", "year": number });
            record(&number.to_string(), data).with_vector("embedding", direction(number))
        };
        (0..3).map(numbered).collect::<Vec<_>>()
    };
    let collection = &docs.collection;
    let year = Filter::eq("year", 1);
    let scan = ScanOptions::default();
    let query = SearchInput::from(&direction(1)[..]);
    assert_free("exists", async || drop(collection.exists().await)).await;
    assert_free("ensure_exists", async || drop(collection.ensure_exists().await)).await;
    assert_free("collection_names", async || drop(docs.store.collection_names().await)).await;
    assert_free("upsert", async || docs.upsert(records()).await).await;
    assert_free("get", async || {
        drop(collection.get(&["1".into()], &GetOptions::default()).await);
    })
    .await;
    assert_free("scan", async || drop(docs.try_scan(&scan).await)).await;
    assert_free("search", async || drop(docs.nearest(&direction(1), &all()).await)).await;
    assert_free("search_batch", async || {
        let inputs = [query.clone(), query.clone()];
        drop(collection.search_batch(&inputs, &VectorSearchOptions::top(2)).await);
    })
    .await;
    if subject.capabilities.has(VectorFeature::FullText) {
        assert_free("full_text_search", async || drop(docs.worded("apple", &all()).await)).await;
    } else {
        skipped("full_text");
    }
    if subject.capabilities.has_hybrid() {
        assert_free("hybrid_search", async || {
            drop(docs.hybrid("apple", &direction(1), &all()).await);
        })
        .await;
    } else {
        skipped("hybrid");
    }
    assert_free("delete", async || drop(collection.delete(&["2".into()]).await)).await;
    assert_free("delete_matching", async || drop(collection.delete_matching(&year).await)).await;
    assert_free("delete_collection", async || drop(collection.delete_collection().await)).await;
}
