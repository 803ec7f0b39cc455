//! Invalid records in batches, and concurrent callers.

use std::{collections::BTreeSet, sync::Arc, task::Poll, time::Duration};

use serde_json::json;
use textsearch_core::{
    Result,
    vector::{
        GetOptions, RecordKey, ScanOptions, SearchInput, StoredRecord, VectorCollection,
        VectorSearchOptions,
    },
};

use crate::{
    report::skipped,
    vector::{
        VectorSubject,
        fixture::{
            TestCollection, all, definition, direction, keys, point, record, refused_record,
        },
    },
};

type Collection = Arc<dyn VectorCollection>;

/// The store keeps nothing of the batch, unless it declares otherwise.
pub async fn a_batch_with_a_bad_record_names_it(subject: &VectorSubject) {
    let docs = subject.collection(definition(subject)).await;
    docs.upsert(vec![record("old", json!({ "year": 1 }))]).await;
    let batch = vec![
        point("good", &direction(0)),
        record("old", json!({ "year": 2 })),
        point("bad", &[f32::NAN, 1.0]),
        point("after", &direction(0)),
    ];
    assert_eq!(refused_record(docs.collection.upsert(batch).await, "a bad record"), "bad");
    assert!(docs.get("bad").await.is_none(), "the bad record is stored");
    if !subject.capabilities.atomic_batches {
        return skipped("atomic_batches");
    }
    assert_eq!(docs.keys().await, ["old"]);
    let old = docs.get("old").await.expect("the old record is there");
    assert_eq!(old.data.get("year"), Some(&json!(1)));
}

const WRITERS: u16 = 4;
const ROUNDS: u16 = 12;
const BATCH: u16 = 10;

/// A writer always uses the same keys; a record's data and vector agree.
fn batch(writer: u16, round: u16) -> Vec<StoredRecord> {
    let one = |number| {
        let data = json!({ "title": format!("writer {writer}"), "year": round });
        record(&format!("{writer}-{number}"), data).with_vector("embedding", direction(round))
    };
    (0..BATCH).map(one).collect()
}

/// No other writer changes its records.
async fn write(collection: Collection, writer: u16) -> Result<()> {
    for round in 0..ROUNDS {
        let batch = batch(writer, round);
        let keys: Vec<RecordKey> = batch.iter().map(|record| record.key.clone()).collect();
        collection.upsert(batch).await?;
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
        let found = collection.search(&query, &all().with_vectors(true)).await?;
        let found = found.into_vec().await?.into_iter().map(|scored| scored.record);
        let scanned = collection.scan(&ScanOptions::default().with_vectors(true)).await?;
        let scanned = scanned.into_vec().await?;
        let keys = scanned.iter().map(|record| record.key.clone()).collect::<Vec<RecordKey>>();
        let asked = collection.get(&keys, &GetOptions::default().with_vectors(true)).await?;
        for record in found.chain(scanned).chain(asked) {
            let year = record.data.get("year").and_then(|year| year.as_u64());
            let vector = record.vectors.get("embedding").expect("the vector is there");
            let expected = direction(year.expect("the year is there") as u16);
            let distance: f32 =
                vector.iter().zip(expected).map(|(one, other)| (one - other).abs()).sum();
            assert!(distance < 1e-4, "data of one write with a vector of another: {record:?}");
        }
        tokio::task::yield_now().await;
    }
    Ok(())
}

/// No call fails, and no record is lost or mixed.
pub async fn many_write_and_read_at_once(subject: &VectorSubject) {
    let docs = subject.collection(definition(subject)).await;
    let mut tasks = Vec::new();
    for writer in 0..WRITERS {
        tasks.push(tokio::spawn(write(Arc::clone(&docs.collection), writer)));
        tasks.push(tokio::spawn(read(Arc::clone(&docs.collection))));
    }
    for task in tasks {
        task.await.expect("no task panics").expect("nobody fails");
    }
    let found = docs.try_scan(&ScanOptions::default()).await.expect("the scan succeeds");
    assert_eq!(found.len(), usize::from(WRITERS * BATCH));
    let last = json!(ROUNDS - 1);
    assert!(found.iter().all(|record| record.data.get("year") == Some(&last)), "a write is lost");
}

/// The store still works.
pub async fn calls_that_are_given_up_do_no_harm(subject: &VectorSubject) {
    let docs = subject.collection(definition(subject)).await;
    docs.upsert(batch(0, 0)).await;
    let scan = ScanOptions::default();
    for round in 1..5 {
        // However far the calls got.
        let mut upsert = Box::pin(docs.collection.upsert(batch(0, round)));
        let mut search = Box::pin(docs.collection.scan(&scan));
        futures_util::future::poll_fn(|context| {
            let _ = upsert.as_mut().poll(context);
            let _ = search.as_mut().poll(context);
            std::task::Poll::Ready(())
        })
        .await;
    }
    docs.upsert(batch(0, 9)).await;
    let query = VectorSearchOptions::top(100);
    let mut found = keys(&docs.nearest(&direction(9), &query).await);
    // An abandoned upsert may still have changed the order.
    found.sort();
    assert_eq!(found, docs.keys().await);
    assert_eq!(found.len(), usize::from(BATCH));
}

/// Its records are all stored, now or soon, or none is.
pub async fn a_dropped_upsert_is_not_half_written(subject: &VectorSubject) {
    if !subject.capabilities.atomic_batches {
        return skipped("atomic_batches");
    }
    let docs = subject.collection(definition(subject)).await;
    docs.upsert(batch(0, 0)).await;
    for round in 1..5 {
        let mut upsert = Box::pin(docs.collection.upsert(batch(0, round)));
        for _ in 0..round {
            let once = std::future::poll_fn(|context| {
                Poll::Ready(upsert.as_mut().poll(context).is_ready())
            });
            if once.await {
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
}

async fn years(docs: &TestCollection) -> BTreeSet<u64> {
    let found = docs.try_scan(&ScanOptions::default()).await.expect("the scan succeeds");
    found.iter().filter_map(|record| record.data.get("year")?.as_u64()).collect()
}
