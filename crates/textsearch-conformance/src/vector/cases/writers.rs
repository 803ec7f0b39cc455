//! Several writers of the same records.

use std::sync::Arc;

use serde_json::json;
use textsearch_core::{
    Filter, Result,
    vector::{ScanOptions, StoredRecord, VectorCollection},
};

use crate::vector::{
    VectorSubject,
    fixture::{TestCollection, all, definition, direction, keys, record},
};

const WRITERS: u16 = 6;
const ROUNDS: usize = 8;
const RECORDS: u16 = 5;

/// All writers use these keys.
fn batch(writer: u16) -> Vec<StoredRecord> {
    let one = |number| {
        let data = json!({ "title": format!("writer{writer}"), "year": writer });
        record(&format!("record {number}"), data).with_vector("embedding", angle(writer))
    };
    (0..RECORDS).map(one).collect()
}

fn angle(writer: u16) -> [f32; 2] {
    direction(writer * 15)
}

async fn write(collection: Arc<dyn VectorCollection>, writer: u16) -> Result<()> {
    for _ in 0..ROUNDS {
        collection.upsert(batch(writer)).await?;
        tokio::task::yield_now().await;
    }
    Ok(())
}

/// One writer wrote all of a record: data, vector, filterable values and words.
pub async fn writers_of_one_record_do_not_mix(subject: &VectorSubject) {
    let docs = subject.collection(definition(subject)).await;
    let writers = (0..WRITERS).map(|writer| {
        let collection = Arc::clone(&docs.collection);
        tokio::spawn(write(collection, writer))
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.expect("no task panics").expect("nobody fails");
    }
    let found = docs.try_scan(&ScanOptions::default().with_vectors(true)).await;
    let found = found.expect("the scan succeeds");
    assert_eq!(found.len(), usize::from(RECORDS), "a record is lost or doubled");
    for writer in 0..WRITERS {
        let own = found.iter().filter(|record| record.data.get("year") == Some(&json!(writer)));
        let own: Vec<&StoredRecord> = own.collect();
        for record in &own {
            let title = format!("writer{writer}");
            assert_eq!(record.data.get("title"), Some(&json!(title)), "two writers are mixed");
            let vector = record.vectors.get("embedding").expect("the vector is there");
            let distance = vector.iter().zip(angle(writer)).map(|(one, other)| (one - other).abs());
            assert!(distance.sum::<f32>() < 1e-4, "the vector is of another writer: {record:?}");
        }
        let own = own.iter().map(|record| record.key.to_string()).collect();
        check_found(subject, &docs, writer, own).await;
    }
}

async fn check_found(
    subject: &VectorSubject,
    docs: &TestCollection,
    writer: u16,
    own: Vec<String>,
) {
    assert_eq!(
        docs.filtered(Filter::eq("year", i32::from(writer))).await,
        own,
        "a filter finds other records"
    );
    if subject.capabilities.full_text {
        let mut worded = keys(&docs.worded(&format!("writer{writer}"), &all()).await);
        worded.sort();
        assert_eq!(worded, own, "words find other records");
    }
}
