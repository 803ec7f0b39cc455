//! The approximate index: search time at a recall, build time, and data that no graph helps with.
//! Line `approximate` of `docs/performance.md`; with `--many`, a million vectors, line
//! `approximate-million`.
//!
//! Vectors have length one and lie around a thousand centres, like those of
//! `xtask/benchmarks/peers/graphs.py`.
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a benchmark prints, and one that cannot run has nothing to say"
)]

#[expect(dead_code, reason = "neither memory nor medians are wanted here")]
#[path = "../../../xtask/benchmarks/support/report.rs"]
mod report;

use std::{
    collections::BTreeSet,
    num::NonZero,
    sync::Arc,
    time::{Duration, Instant},
};

use report::Report;
use serde_json::{Map, json};
use textsearch_core::vector::{
    IndexKind, RecordDefinition, RecordKey, SearchInput, StoredRecord, VectorCollection,
    VectorField, VectorSearchOptions, VectorStore as _,
};
use textsearch_vector_inmemory::InMemoryVectorStore;

type Stored = Arc<dyn VectorCollection>;

const PLACES: usize = 1000;
const TOP: usize = 10;

const RECALL: f64 = 0.995;

/// Relative to the distance between centres.
const SPREAD: f32 = 0.5;

struct Size {
    rows: usize,
    dimensions: usize,
    queries: usize,
}

const FULL: Size = Size { rows: 100_000, dimensions: 384, queries: 1000 };
const MILLION: Size = Size { rows: 1_000_000, ..FULL };
const QUICK: Size = Size { rows: 2000, dimensions: 16, queries: 100 };

fn main() {
    let report = Report::from_arguments();
    let many = std::env::args().any(|argument| argument == "--many");
    let (line, full) = if many { ("approximate-million", MILLION) } else { ("approximate", FULL) };
    let size = if report.quick { QUICK } else { full };
    let clustered = Measured::new(&size, SPREAD);
    report.print(
        &format!("{line}, build"),
        clustered.build,
        "s",
        format_args!("{:.1} s", clustered.build),
    );
    let (seconds, recall, candidates) = clustered.fastest_with(RECALL);
    report.print(
        &format!("{line}, recall"),
        recall,
        "1",
        format_args!("{recall:.4} with {candidates} candidates"),
    );
    report.seconds(&format!("{line}, search"), seconds);
    let (seconds, recall) = clustered.search(&VectorSearchOptions::top(TOP));
    report.print(&format!("{line}, default, recall"), recall, "1", format_args!("{recall:.4}"));
    report.seconds(&format!("{line}, default"), seconds);
    let (seconds, _) = clustered.search(&VectorSearchOptions::top(TOP).with_exact(true));
    report.seconds(&format!("{line}, exact"), seconds);
    drop(clustered);
    if many {
        return;
    }
    // Vectors without structure.
    let gaussian = Measured::new(&size, 1e6);
    let (seconds, recall) = gaussian.search(&VectorSearchOptions::top(TOP));
    report.print("approximate, Gaussian, recall", recall, "1", format_args!("{recall:.4}"));
    report.seconds("approximate, Gaussian", seconds);
}

struct Measured {
    collection: Stored,
    queries: Vec<(SearchInput, BTreeSet<RecordKey>)>,
    build: f64,
}

impl Measured {
    fn new(size: &Size, spread: f32) -> Self {
        let threads = NonZero::new(2).expect("two is not zero");
        let store = InMemoryVectorStore::new().with_threads(threads);
        let field = VectorField::new("embedding", size.dimensions).with_index(IndexKind::hnsw());
        let definition = RecordDefinition::new("id").with_vector(field);
        let collection = store.stored_collection("bench", definition.clone()).expect("it fits");
        wait(collection.ensure_exists()).expect("it is new");
        let mut vectors = Vectors::new(size.dimensions, spread);
        let mut records = (0..size.rows).map(|number| {
            let data = Map::from_iter([("id".to_owned(), json!(format!("{number:08}")))]);
            let record = StoredRecord::new(data, &definition).expect("the key is a text");
            record.with_vector("embedding", vectors.next())
        });
        let mut build = Duration::ZERO;
        for _ in 0..size.rows.div_ceil(10_000) {
            let batch: Vec<_> = records.by_ref().take(10_000).collect();
            let start = Instant::now();
            wait(collection.upsert(batch)).expect("they fit");
            build += start.elapsed();
        }
        drop(records);
        let exact = VectorSearchOptions::top(TOP).with_exact(true);
        let queries = (0..size.queries).map(|_| {
            let query = SearchInput::Vector(vectors.next());
            let nearest = keys(&collection, &query, &exact).into_iter().collect();
            (query, nearest)
        });
        let queries = queries.collect();
        Self { collection, queries, build: build.as_secs_f64() }
    }

    /// Returns seconds a search, recall and candidates, for the fewest candidates that reach
    /// `least`.
    fn fastest_with(&self, min: f64) -> (f64, f64, u32) {
        let mut candidates = 10;
        loop {
            let options = VectorSearchOptions::top(TOP).with_ef_search(candidates);
            let (seconds, recall) = self.search(&options);
            if recall >= min || candidates > 2000 {
                return (seconds, recall, candidates);
            }
            candidates += candidates.div_ceil(10).max(2);
        }
    }

    /// Returns seconds a search and recall. Runs on this thread, since walks are short.
    fn search(&self, options: &VectorSearchOptions) -> (f64, f64) {
        let start = Instant::now();
        let rankings: Vec<_> =
            self.queries.iter().map(|(query, _)| keys(&self.collection, query, options)).collect();
        let seconds = start.elapsed().as_secs_f64() / self.queries.len() as f64;
        let pairs = rankings.iter().zip(&self.queries);
        let right = pairs.map(|(ranking, (_, nearest))| {
            ranking.iter().filter(|key| nearest.contains(key)).count()
        });
        (seconds, right.sum::<usize>() as f64 / (self.queries.len() * TOP) as f64)
    }
}

fn keys(collection: &Stored, query: &SearchInput, options: &VectorSearchOptions) -> Vec<RecordKey> {
    let results = wait(async { collection.search(query, options).await?.into_vec().await });
    results.expect("the query fits").into_iter().map(|scored| scored.record.key).collect()
}

/// Vectors of length one around some centres.
struct Vectors {
    random: fastrand::Rng,
    places: Vec<Vec<f32>>,
    spread: f32,
}

impl Vectors {
    fn new(dimensions: usize, spread: f32) -> Self {
        let mut random = fastrand::Rng::with_seed(7);
        let places = (0..PLACES).map(|_| (0..dimensions).map(|_| gaussian(&mut random)).collect());
        Self { places: places.collect(), random, spread }
    }

    fn next(&mut self) -> Arc<[f32]> {
        let random = &mut self.random;
        let spread = self.spread;
        let place = random.usize(..self.places.len());
        let place = self.places.get(place).map(Vec::as_slice).unwrap_or_default();
        let vector: Vec<f32> =
            place.iter().map(|element| element + spread * gaussian(random)).collect();
        let length = vector.iter().map(|element| element * element).sum::<f32>().sqrt();
        vector.into_iter().map(|element| element / length).collect()
    }
}

/// The Box-Muller transform.
fn gaussian(random: &mut fastrand::Rng) -> f32 {
    let radius = (-2.0 * (1.0 - random.f32()).ln()).sqrt();
    radius * (std::f32::consts::TAU * random.f32()).cos()
}

thread_local! {
    static RUNTIME: tokio::runtime::Runtime =
        tokio::runtime::Builder::new_current_thread().build().expect("it can be built");
}

fn wait<T>(future: impl Future<Output = T>) -> T {
    RUNTIME.with(|runtime| runtime.block_on(future))
}
