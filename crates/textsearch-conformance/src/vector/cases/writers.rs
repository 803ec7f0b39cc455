//! Several writers of the same records.

use std::sync::Arc;

use serde_json::json;
use textsearch_core::{
    Filter,
    vector::{ScanOptions, StoredRecord},
};

use crate::vector::{
    VectorSubject,
    fixture::{all, direction, is_near, record, sorted_keys},
};

const WRITERS: u16 = 6;
const ROUNDS: usize = 8;
const RECORDS: u16 = 5;

/// All writers use these keys.
fn batch(writer: u16) -> Vec<StoredRecord> {
    let one = |number| {
        let data = json!({ "title": format!("writer{writer}"), "year": writer });
        record(&format!("record {number}"), data).with_vector("embedding", direction(writer * 15))
    };
    (0..RECORDS).map(one).collect()
}

/// One writer wrote all of a record: data, vector, filterable values and words.
pub(crate) async fn writers_of_one_record_do_not_mix(subject: &VectorSubject) {
    let docs = subject.collection(subject.definition()).await;
    let mut writers = Vec::new();
    for writer in 0..WRITERS {
        let collection = Arc::clone(&docs.collection);
        writers.push(tokio::spawn(async move {
            for _ in 0..ROUNDS {
                collection.upsert(batch(writer)).await.expect("the records are stored");
                tokio::task::yield_now().await;
            }
        }));
    }
    for writer in writers {
        writer.await.expect("no task panics");
    }
    let found = docs.try_scan(&ScanOptions::default().with_vectors(true)).await;
    let found = found.expect("the scan succeeds");
    assert_eq!(found.len(), usize::from(RECORDS), "a record is lost or doubled");
    for writer in 0..WRITERS {
        let title = format!("writer{writer}");
        let mut own = Vec::new();
        for record in found.iter().filter(|it| it.data.get("year") == Some(&json!(writer))) {
            assert_eq!(record.data.get("title"), Some(&json!(title)), "two writers are mixed");
            let vector = record.vectors.get("embedding").expect("the vector is there");
            let is_same = is_near(vector, &direction(writer * 15), 1e-4);
            assert!(is_same, "the vector is of another writer: {record:?}");
            own.push(record.key.to_string());
        }
        let filtered = docs.filtered(Filter::eq("year", i32::from(writer))).await;
        assert_eq!(filtered, own, "a filter finds other records");
        if subject.capabilities.full_text {
            let worded = sorted_keys(&docs.worded(&title, &all()).await);
            assert_eq!(worded, own, "words find other records");
        }
    }
}
