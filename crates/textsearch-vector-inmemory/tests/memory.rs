//! Measures the memory of records against the formula in `docs/performance.md`. A separate program,
//! because a counting allocator covers a whole program.

#![allow(clippy::unwrap_used, reason = "a panic is a failed test with a line number")]

use std::{
    env,
    num::NonZero,
    sync::{Mutex, PoisonError},
};

use futures_util::FutureExt as _;
use peak_alloc::PeakAlloc;
use serde_json::{Map, Value, json};
use textsearch_core::vector::{
    DataField, RecordDefinition, StoredRecord, VectorField, VectorStore as _,
};
use textsearch_vector_inmemory::InMemoryVectorStore;

#[global_allocator]
static ALLOCATED: PeakAlloc = PeakAlloc;

/// Parallel tests would count each other's memory.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// How many records ordinary test runs measure. `TEXTSEARCH_STRESS_RECORDS` overrides it.
const RECORDS: usize = 4000;
const BATCH: usize = 1000;
const DIMENSIONS: usize = 384;

fn now<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().unwrap()
}

fn record(number: usize, text_bytes: usize, has_vector: bool) -> StoredRecord {
    let mut data = Map::new();
    data.insert("id".to_owned(), json!(format!("{number:08}")));
    data.insert("year".to_owned(), json!(1900 + number % 100));
    data.insert("text".to_owned(), json!("lorem ipsum ".repeat(text_bytes / 12)));
    let record = StoredRecord::new(data, &RecordDefinition::new("id")).unwrap();
    if !has_vector {
        return record;
    }
    let elements = (0..DIMENSIONS).map(|place| ((number + place) % 100) as f32 + 1.0);
    record.with_vector("embedding", elements.collect::<Vec<f32>>())
}

fn bytes_a_record(definition: &RecordDefinition, record: impl Fn(usize) -> StoredRecord) -> f64 {
    let _only = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let records = env::var("TEXTSEARCH_STRESS_RECORDS").ok();
    let records = records.map_or(RECORDS, |records| records.parse().unwrap());
    let before = ALLOCATED.current_usage();
    // Threads take a fixed amount of memory.
    let store = InMemoryVectorStore::new().with_threads(NonZero::<usize>::MIN);
    let collection = store.stored_collection("docs", definition.clone()).unwrap();
    now(collection.ensure_exists()).unwrap();
    for first in (0..records).step_by(BATCH) {
        now(collection.upsert((first..records.min(first + BATCH)).map(&record).collect())).unwrap();
    }
    (ALLOCATED.current_usage() - before) as f64 / records as f64
}

fn payload(record: &StoredRecord) -> f64 {
    Value::Object(record.data.clone()).to_string().len() as f64
}

/// The formula in `docs/performance.md`.
fn stated(definition: &RecordDefinition, record: &StoredRecord) -> f64 {
    let key = record.key.to_string().len() as f64;
    let vectors = record
        .vectors
        .values()
        .map(|vector| 4 * vector.len() + 12 + vector.len().next_multiple_of(64))
        .sum::<usize>() as f64;
    let columns = definition.data.iter().filter(|field| field.filterable).count() as f64;
    payload(record) + key + 100.0 + vectors + 32.0 * columns
}

/// Returns the measured bytes a record.
#[expect(clippy::print_stdout, reason = "`cargo xtask stress memory` shows it")]
fn check(definition: &RecordDefinition, text_bytes: usize, has_vector: bool) -> f64 {
    let measured = bytes_a_record(definition, |number| record(number, text_bytes, has_vector));
    let record = record(0, text_bytes, has_vector);
    let payload = payload(&record);
    let stated = stated(definition, &record);
    println!(
        "payload {payload:5} bytes, measured {measured:6.1} bytes a record, stated {stated:5}"
    );
    let ratio = measured / stated;
    assert!((0.9..=1.1).contains(&ratio), "measured {measured:.0}, stated {stated:.0} bytes");
    measured
}

fn plain() -> RecordDefinition {
    RecordDefinition::new("id")
        .with_data(DataField::string("text"))
        .with_data(DataField::integer("year"))
}

#[test]
fn record_with_a_vector_takes_the_stated_memory() {
    let definition = plain().with_vector(VectorField::new("embedding", DIMENSIONS));
    for text in [0, 120, 1200] {
        let measured = check(&definition, text, true);
        let max = 1.35 * (4 * DIMENSIONS) as f64 + 1.5 * payload(&record(0, text, true));
        assert!(measured <= max, "measured {measured:.0}, at most {max:.0} bytes");
    }
}

#[test]
fn record_without_a_vector_takes_the_stated_memory() {
    for text in [0, 120, 1200] {
        check(&plain(), text, false);
    }
}

#[test]
fn filterable_number_takes_the_stated_memory() {
    let definition = RecordDefinition::new("id").with_data(DataField::integer("year").filterable());
    check(&definition, 120, false);
}
