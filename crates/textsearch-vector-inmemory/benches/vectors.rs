//! Times vector operations: single searches, batches, filters, threads and upserts.
//!
//! A million rows take gigabytes, so they need an argument: `cargo bench -p
//! textsearch-vector-inmemory --bench vectors 1000000`.

#![allow(
    clippy::expect_used,
    missing_docs,
    reason = "a benchmark that cannot run has nothing to say"
)]

use std::{cell::OnceCell, env, hint::black_box, num::NonZero, sync::Arc};

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use serde_json::{Map, json};
use textsearch_core::{
    Filter,
    vector::{
        DataField, RecordDefinition, SearchInput, StoredRecord, VectorCollection, VectorField,
        VectorSearchOptions, VectorStore as _,
    },
};
use textsearch_vector_inmemory::InMemoryVectorStore;
use tokio::runtime::{Builder, Runtime};

type Stored = Arc<dyn VectorCollection>;

const DIMENSIONS: usize = 384;
const QUERIES: usize = 64;
const BATCH: usize = 1000;
const LARGE: usize = 1_000_000;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn vector(&mut self) -> Arc<[f32]> {
        (0..DIMENSIONS).map(|_| (self.next() >> 40) as f32 / (1 << 23) as f32 - 1.0).collect()
    }

    /// Some words are far more common than others.
    fn word(&mut self) -> String {
        let uniform = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        format!("word{}", (20_000_f64.powf(uniform)) as u32)
    }

    fn records(&mut self, count: usize) -> Vec<StoredRecord> {
        let key = RecordDefinition::new("id");
        let record = |number: usize| {
            let mut data = Map::from_iter([("id".to_owned(), json!(format!("{number:08}")))]);
            data.insert("bucket".to_owned(), json!(self.next() % 1000));
            let record = StoredRecord::new(data, &key).expect("the key is a text");
            record.with_vector("embedding", self.vector())
        };
        (0..count).map(record).collect()
    }
}

struct Rows {
    collection: Stored,
    queries: Vec<SearchInput>,
}

impl Rows {
    fn new(count: usize, threads: usize) -> Self {
        let threads = NonZero::new(threads).expect("there is one at least");
        let store = InMemoryVectorStore::new().with_threads(threads);
        let definition = bare().with_data(DataField::integer("bucket").filterable());
        let collection = store.stored_collection("bench", definition).expect("it makes sense");
        wait(collection.ensure_exists()).expect("it is new");
        let mut random = Random(7);
        let mut records = random.records(count).into_iter();
        while records.len() > 0 {
            let batch = records.by_ref().take(10 * BATCH).collect();
            wait(collection.upsert(batch)).expect("they fit");
        }
        let queries = (0..QUERIES).map(|_| SearchInput::Vector(random.vector())).collect();
        Self { collection, queries }
    }

    fn search(&self, number: usize, options: &VectorSearchOptions) -> usize {
        let query = self.queries.get(number % QUERIES).expect("there are as many");
        let results = wait(self.collection.search(black_box(query), options));
        wait(results.expect("the query fits").into_vec()).expect("records are read").len()
    }

    fn search_all(&self, options: &VectorSearchOptions) -> usize {
        let batch = wait(self.collection.search_batch(black_box(&self.queries), options));
        batch.expect("the queries fit").len()
    }
}

fn bare() -> RecordDefinition {
    RecordDefinition::new("id").with_vector(VectorField::new("embedding", DIMENSIONS))
}

thread_local! {
    /// One runtime for all benchmarks, as in a program.
    static RUNTIME: Runtime =
        Builder::new_current_thread().build().expect("it can be built");
}

fn wait<T>(future: impl Future<Output = T>) -> T {
    RUNTIME.with(|runtime| runtime.block_on(future))
}

fn sizes() -> Vec<usize> {
    let is_large = env::args().any(|argument| argument.contains(&LARGE.to_string()));
    if is_large { vec![LARGE] } else { vec![10_000, 100_000] }
}

fn exact(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("exact");
    group.sample_size(10);
    for count in sizes() {
        let rows = OnceCell::new();
        let all = || VectorSearchOptions::top(10);
        let below = |bound| all().with_filter(Filter::lt("bucket", bound));
        for (name, options) in
            [("all", all()), ("10 %", below(100)), ("1 %", below(10)), ("0.1 %", below(1))]
        {
            let name = format!("{name} {count} x {DIMENSIONS} top 10");
            group.bench_function(name, |bencher| {
                let rows = rows.get_or_init(|| Rows::new(count, 1));
                let mut number = 0;
                bencher.iter(|| {
                    number += 1;
                    rows.search(number, &options)
                });
            });
        }
        group.bench_function(
            format!("{QUERIES} queries {count} x {DIMENSIONS} top 10"),
            |bencher| {
                let rows = rows.get_or_init(|| Rows::new(count, 1));
                bencher.iter(|| rows.search_all(&all()));
            },
        );
        drop(rows);
        group.bench_function(format!("two threads {count} x {DIMENSIONS} top 10"), |bencher| {
            let rows = Rows::new(count, 2);
            let mut number = 0;
            bencher.iter(|| {
                number += 1;
                rows.search(number, &all())
            });
        });
    }
    group.finish();
}

fn upsert(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("upsert vectors");
    group.sample_size(10);
    let count = 100_000;
    group.bench_function(format!("{count} x {DIMENSIONS} in batches of {BATCH}"), |bencher| {
        let records = Random(13).records(count);
        let setup = || {
            let store = InMemoryVectorStore::new();
            let collection = store.stored_collection("bench", bare()).expect("it makes sense");
            wait(collection.ensure_exists()).expect("it is new");
            let batches: Vec<_> = records.chunks(BATCH).map(<[_]>::to_vec).collect();
            (collection, batches)
        };
        let run = |(collection, batches): (Stored, Vec<Vec<StoredRecord>>)| {
            for batch in batches {
                wait(collection.upsert(batch)).expect("they fit");
            }
            collection
        };
        bencher.iter_batched(setup, run, BatchSize::PerIteration);
    });
}

/// Searches the same records in every mode, on two threads.
fn hybrid(criterion: &mut Criterion) {
    const COUNT: usize = 100_000;
    let mut group = criterion.benchmark_group("modes");
    let rows = OnceCell::new();
    let stored = || {
        let definition = bare().with_data(DataField::string("text").full_text_in("en"));
        let store =
            InMemoryVectorStore::new().with_threads(NonZero::<usize>::MIN.saturating_add(1));
        let collection = store.stored_collection("bench", definition).expect("it makes sense");
        wait(collection.ensure_exists()).expect("it is new");
        let mut random = Random(7);
        let mut records = random.records(COUNT);
        for record in &mut records {
            let text = (0..30).map(|_| random.word()).collect::<Vec<_>>().join(" ");
            record.data.insert("text".to_owned(), json!(text));
        }
        let mut records = records.into_iter();
        while records.len() > 0 {
            wait(collection.upsert(records.by_ref().take(10 * BATCH).collect())).expect("they fit");
        }
        let vectors: Vec<_> = (0..QUERIES).map(|_| random.vector()).collect();
        let texts: Vec<_> =
            (0..QUERIES).map(|_| format!("{} {}", random.word(), random.word())).collect();
        (collection, texts.into_iter().zip(vectors).collect::<Vec<_>>())
    };
    for mode in ["vector", "vector top 1000", "text", "hybrid"] {
        group.bench_function(format!("{mode} {COUNT} x {DIMENSIONS}"), |bencher| {
            let (collection, queries) = rows.get_or_init(stored);
            let mut number = 0;
            bencher.iter(|| {
                number += 1;
                let (text, vector) = queries.get(number % QUERIES).expect("there are as many");
                let top = if mode == "vector top 1000" { BATCH } else { 10 };
                let options = VectorSearchOptions::top(top);
                let vector = Arc::clone(vector);
                let results = match mode {
                    "text" => wait(collection.full_text_search(text, &options)),
                    "hybrid" => wait(collection.hybrid_search(text, Some(vector), &options)),
                    _ => wait(collection.search(&SearchInput::Vector(vector), &options)),
                };
                black_box(results.expect("the query fits"))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, exact, hybrid, upsert);
criterion_main!(benches);
