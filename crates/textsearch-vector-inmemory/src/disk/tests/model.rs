//! Compares the store on disk with the one in memory, on random changes.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use textsearch_core::{
    Filter, Result,
    vector::{
        DataField, Distance, GetOptions, RecordDefinition, RecordKey, ScanOptions, SearchInput,
        StoredRecord, VectorCollection, VectorField, VectorSearchOptions, VectorStore,
    },
};

use super::support::{block_on, store as open};
use crate::{DiskVectorStore, InMemoryVectorStore};

const DIMENSIONS: usize = 24;

const WORDS: [&str; 7] = ["ant", "bee", "cat", "dog", "the", "snake", "running"];

pub(super) fn definition(distance: Distance) -> RecordDefinition {
    RecordDefinition::new("id")
        .with_data(DataField::string("title").full_text_in("en"))
        .with_data(DataField::string("body").full_text_in("en"))
        .with_data(DataField::integer("year").filterable())
        .with_vector(VectorField::new("embedding", DIMENSIONS).with_distance(distance))
}

fn text(random: &mut fastrand::Rng) -> String {
    let words = 0..random.usize(0..9);
    words.map(|_| WORDS[random.usize(0..WORDS.len())]).collect::<Vec<_>>().join(" ")
}

pub(super) fn record(random: &mut fastrand::Rng, key: usize) -> StoredRecord {
    let data = json!({
        "id": format!("{key:04}"), "title": text(random), "body": text(random),
        "year": if random.u8(0..5) == 0 { Value::Null } else { json!(random.u8(0..9)) },
    });
    let data: Map<String, Value> = data.as_object().cloned().unwrap();
    let record = StoredRecord::new(data, &RecordDefinition::new("id")).unwrap();
    if random.u8(0..8) == 0 {
        return record;
    }
    // Few values, so that scores tie.
    let element = |_| f32::from(random.u8(0..4)) - 1.25;
    record.with_vector("embedding", (0..DIMENSIONS).map(element).collect::<Vec<_>>())
}

pub(super) type Collection = Arc<dyn VectorCollection>;

pub(super) async fn collection(store: &impl VectorStore, distance: Distance) -> Collection {
    let collection = store.stored_collection("docs", definition(distance)).unwrap();
    collection.ensure_exists().await.unwrap();
    collection
}

pub(super) type Answer = Vec<(RecordKey, u64)>;

/// Everything that can be asked, with the bits of scores.
pub(super) async fn answers(collection: &Collection, seed: u64) -> Vec<Answer> {
    try_answers(collection, seed).await.unwrap()
}

pub(super) async fn try_answers(collection: &Collection, seed: u64) -> Result<Vec<Answer>> {
    let mut random = fastrand::Rng::with_seed(seed);
    let query: Vec<f32> = (0..DIMENSIONS).map(|_| random.f32() - 0.5).collect();
    let query: Arc<[f32]> = query.into();
    let words = text(&mut random) + " cat running";
    let filters = [
        None,
        Some(Filter::lt("year", 4)),
        Some(Filter::gt("id", "0040")),
        Some(!Filter::exists("year")),
    ];
    let mut answers = Vec::new();
    for filter in filters {
        for top in [3, 1000] {
            let mut options = VectorSearchOptions::top(top).with_vectors(true);
            options.filter = filter.clone();
            options.include_explanation = top == 3;
            let input = SearchInput::Vector(Arc::clone(&query));
            let searches = [
                collection.search(&input, &options).await,
                collection.full_text_search(&words, &options).await,
                collection.hybrid_search(&words, Some(Arc::clone(&query)), &options).await,
            ];
            for results in searches {
                let results = results?.into_vec().await?;
                let scored = results.iter().map(|scored| {
                    let bits = scored.score.to_bits();
                    (scored.record.key.clone(), bits ^ vector_bits(&scored.record))
                });
                answers.push(scored.collect());
            }
        }
        let mut options = ScanOptions::default();
        options.filter = filter;
        let scanned = collection.scan(&options).await?.into_vec().await?;
        answers.push(scanned.iter().map(|record| (record.key.clone(), 0)).collect());
        let years = collection.distinct_values("year", None, 100).await?;
        answers
            .push(years.iter().map(|year| (year.value.to_string().into(), year.records)).collect());
    }
    Ok(answers)
}

fn vector_bits(record: &StoredRecord) -> u64 {
    let elements = record.vectors.get("embedding").into_iter().flat_map(|vector| vector.iter());
    elements.fold(0, |bits, element| bits.rotate_left(5) ^ u64::from(element.to_bits()))
}

async fn check(seed: u64, distance: Distance, segment: usize) {
    let mut random = fastrand::Rng::with_seed(seed);
    let folder = tempfile::tempdir().unwrap();
    let memory = collection(&InMemoryVectorStore::new(), distance).await;
    let mut store = open(folder.path(), segment);
    let mut disk = collection(&store, distance).await;
    let reader = DiskVectorStore::open_read_only(folder.path()).unwrap();
    let reader = reader.stored_collection("docs", definition(distance)).unwrap();
    for round in 0..30 {
        match random.u8(0..10) {
            0..6 => {
                let count = random.usize(0..40);
                let records: Vec<_> = (0..count)
                    .map(|_| {
                        let key = random.usize(0..90);
                        record(&mut random, key)
                    })
                    .collect();
                memory.upsert(records.clone()).await.unwrap();
                disk.upsert(records).await.unwrap();
            }
            6..8 => {
                let keys = (0..random.usize(0..20)).map(|_| format!("{:04}", random.usize(0..90)));
                let keys: Vec<RecordKey> = keys.map(RecordKey::from).collect();
                memory.delete(&keys).await.unwrap();
                disk.delete(&keys).await.unwrap();
            }
            8 => {
                let filter = Filter::eq("year", i64::from(random.u8(0..9)));
                memory.delete_matching(&filter).await.unwrap();
                disk.delete_matching(&filter).await.unwrap();
            }
            _ => {
                drop((disk, store));
                store = open(folder.path(), segment);
                disk = collection(&store, distance).await;
            }
        }
        let expected = answers(&memory, seed + round).await;
        assert_eq!(answers(&disk, seed + round).await, expected, "seed {seed}, round {round}");
        if round % 5 == 0 {
            assert_eq!(answers(&reader, seed + round).await, expected, "seed {seed}, read {round}");
        }
    }
    let keys: Vec<RecordKey> = (0..90).map(|key| format!("{key:04}").into()).collect();
    let options = GetOptions::default().with_vectors(true);
    assert_eq!(
        disk.get(&keys, &options).await.unwrap(),
        memory.get(&keys, &options).await.unwrap()
    );
}

#[test]
fn disk_and_memory_agree_after_random_changes() {
    for (seed, distance) in (0..).zip(Distance::ALL) {
        block_on(check(seed * 1000, distance, 1 + seed as usize * 20));
    }
}
