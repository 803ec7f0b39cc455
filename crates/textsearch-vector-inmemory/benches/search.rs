//! Times full-text searches and the indexing of texts.

#![allow(clippy::expect_used, reason = "a benchmark that cannot run must stop")]

use std::{hint::black_box, sync::Arc};

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use futures_util::FutureExt as _;
use serde_json::{Map, Value, json};
use textsearch_core::vector::{
    DataField, RecordDefinition, SearchInput, StoredRecord, VectorCollection, VectorSearchOptions,
    VectorStore,
};
use textsearch_vector_inmemory::InMemoryVectorStore;

type Stored = Arc<dyn VectorCollection>;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Some words are far more common than others.
    fn word(&mut self) -> String {
        let uniform = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        format!("word{}", (20_000_f64.powf(uniform)) as u32)
    }
}

/// No call on this store waits, so every future is ready at once.
fn ready<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("the store never waits")
}

fn record(number: usize, mut data: Map<String, Value>) -> StoredRecord {
    data.insert("id".to_owned(), json!(format!("{number:08}")));
    StoredRecord::new(data, &RecordDefinition::new("id")).expect("the key is a text")
}

fn documents(random: &mut Random, numbers: std::ops::Range<usize>) -> Vec<StoredRecord> {
    let mut text = || (0..100).map(|_| random.word()).collect::<Vec<_>>().join(" ");
    numbers
        .map(|number| record(number, Map::from_iter([("text".to_owned(), json!(text()))])))
        .collect()
}

fn create(definition: RecordDefinition) -> Stored {
    let collection =
        InMemoryVectorStore::new().stored_collection("bench", definition).expect("it makes sense");
    ready(collection.ensure_exists()).expect("it is new");
    collection
}

fn search(collection: &Stored, query: &SearchInput, options: &VectorSearchOptions) -> usize {
    let results = ready(collection.search(query, options)).expect("the query fits");
    ready(results.into_vec()).expect("records are read").len()
}

fn full_text(criterion: &mut Criterion) {
    let mut random = Random(11);
    let definition =
        RecordDefinition::new("id").with_data(DataField::string("text").full_text_in("en"));
    let collection = create(definition);
    for start in (0..50_000).step_by(5_000) {
        ready(collection.upsert(documents(&mut random, start..start + 5_000))).expect("they fit");
    }
    let plain = VectorSearchOptions::top(10);
    let explained = plain.clone().with_explanation(true);
    let mut group = criterion.benchmark_group("full text");
    for query in ["word9000 word12345", "word1 word2 word3 word4"] {
        let input = SearchInput::from(query);
        for (name, options) in [("", &plain), (", explained", &explained)] {
            group.bench_function(format!("50000 x 100 words, {query}{name}"), |bencher| {
                bencher.iter(|| search(&collection, black_box(&input), options));
            });
        }
    }
}

fn upsert(criterion: &mut Criterion) {
    let mut random = Random(13);
    let mut group = criterion.benchmark_group("upsert");
    group.sample_size(10);
    let records = documents(&mut random, 0..2_000);
    let definition =
        RecordDefinition::new("id").with_data(DataField::string("text").full_text_in("en"));
    group.throughput(Throughput::Elements(records.len() as u64));
    group.bench_function(format!("{} texts in one batch", records.len()), |bencher| {
        let setup = || (create(definition.clone()), records.clone());
        let run = |(collection, records): (Stored, Vec<StoredRecord>)| {
            ready(collection.upsert(records)).expect("they fit");
            collection
        };
        bencher.iter_batched(setup, run, BatchSize::PerIteration);
    });
}

criterion_group!(benches, full_text, upsert);
criterion_main!(benches);
