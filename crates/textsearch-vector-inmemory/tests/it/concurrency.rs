//! Many readers and one writer.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use serde_json::json;
use textsearch_core::vector::{ScanOptions, SearchInput, StoredRecord};

use crate::support::{Stored, all, block_on, collection, definition, record};

const RECORDS: usize = 40;
const GENERATIONS: u32 = 120;

/// All records name their generation, in data, words and vector.
fn generation(number: u32) -> Vec<StoredRecord> {
    let data = json!({ "year": number, "title": format!("common generation{number}") });
    let vector = vec![number as f32, 1.0];
    (0..RECORDS)
        .map(|id| {
            record(&format!("{id:02}"), data.clone()).with_vector("embedding", vector.clone())
        })
        .collect()
}

/// Returns the number of the generation.
fn whole(records: &[(u64, f32)]) -> u64 {
    assert_eq!(records.len(), RECORDS);
    let first = records[0];
    assert!(records.iter().all(|record| *record == first), "generations are mixed: {records:?}");
    first.0
}

fn year(record: &StoredRecord) -> u64 {
    record.data["year"].as_u64().unwrap()
}

async fn look(collection: &Stored) -> Vec<u64> {
    let scanned = collection
        .scan(&ScanOptions::default().with_vectors(true))
        .await
        .unwrap()
        .into_vec()
        .await
        .unwrap();
    let scanned: Vec<_> =
        scanned.iter().map(|record| (year(record), record.vectors["embedding"][0])).collect();
    let query = SearchInput::from(vec![1.0, 0.0]);
    let nearest = collection.search(&query, &all()).await.unwrap().into_vec().await.unwrap();
    let nearest: Vec<_> =
        nearest.iter().map(|scored| (year(&scored.record), scored.score as f32)).collect();
    assert!(nearest.iter().all(|(year, score)| *year == *score as u64));
    let words =
        collection.full_text_search("common", &all()).await.unwrap().into_vec().await.unwrap();
    let words: Vec<_> = words.iter().map(|scored| (year(&scored.record), 0.0)).collect();
    vec![whole(&scanned), whole(&nearest), whole(&words)]
}

#[test]
fn readers_see_whole_batches_only() {
    let collection = block_on(collection(definition()));
    block_on(collection.upsert(generation(0))).unwrap();
    let is_done = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..3)
        .map(|_| {
            let collection = Arc::clone(&collection);
            let is_done = Arc::clone(&is_done);
            thread::spawn(move || {
                let mut last = 0;
                while !is_done.load(Ordering::Relaxed) {
                    for seen in block_on(look(&collection)) {
                        assert!(seen >= last, "time runs backwards: {seen} after {last}");
                        last = seen;
                    }
                }
            })
        })
        .collect();
    for number in 1..=GENERATIONS {
        block_on(collection.upsert(generation(number))).unwrap();
    }
    is_done.store(true, Ordering::Relaxed);
    readers.into_iter().for_each(|reader| reader.join().unwrap());
    assert_eq!(block_on(look(&collection)), [u64::from(GENERATIONS); 3]);
}

#[test]
fn concurrent_writers_lose_nothing() {
    let collection = block_on(collection(definition()));
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let collection = Arc::clone(&collection);
            thread::spawn(move || {
                for number in 0..100 {
                    let single = record(
                        &format!("{writer}-{number}"),
                        json!({ "title": format!("writer{writer}") }),
                    );
                    block_on(collection.upsert(vec![single])).unwrap();
                }
            })
        })
        .collect();
    writers.into_iter().for_each(|writer| writer.join().unwrap());
    for writer in 0..4 {
        let results =
            block_on(collection.full_text_search(&format!("writer{writer}"), &all())).unwrap();
        assert_eq!(block_on(results.into_vec()).unwrap().len(), 100);
    }
}
