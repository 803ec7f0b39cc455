//! Lines `embed-documents` and `embed-query`: all-MiniLM-L6-v2 embeds 32 documents of 200 tokens,
//! and one short query.
//!
//! `cargo xtask model minilm` obtains the model; `xtask/benchmarks/peers/embeddings.py` gives the
//! same texts to others.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a benchmark that cannot run must stop"
)]

use std::{hint::black_box, num::NonZero, path::Path};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use textsearch_embeddings_local::{
    EmbeddingGenerator, EmbeddingSettings, LocalEmbeddings, LocalEmbeddingsConfig,
};
use tokio::runtime::Builder;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/models/minilm");

/// Each is one token.
const WORDS: &[&str] = &[
    "time",
    "year",
    "people",
    "way",
    "day",
    "man",
    "thing",
    "woman",
    "life",
    "child",
    "world",
    "school",
    "state",
    "family",
    "student",
    "group",
    "country",
    "problem",
    "hand",
    "part",
    "place",
    "case",
    "week",
    "company",
    "system",
    "program",
    "question",
    "work",
    "government",
    "number",
    "night",
];

/// 198 words, and a token at each end.
fn document(number: usize) -> String {
    let word = |place: usize| WORDS[(number * 7 + place * (number % 5 + 1)) % WORDS.len()];
    (0..198).map(word).collect::<Vec<_>>().join(" ")
}

fn model(threads: usize) -> LocalEmbeddings {
    assert!(
        Path::new(FOLDER).exists(),
        "this benchmark needs the model in target/models/minilm: cargo xtask model minilm"
    );
    let threads = NonZero::new(threads).expect("there is a thread");
    let config = LocalEmbeddingsConfig::new(FOLDER).with_threads(threads);
    LocalEmbeddings::new(config).expect("the model loads")
}

fn embed(model: &LocalEmbeddings, texts: &[String]) -> usize {
    let runtime = Builder::new_current_thread().build().expect("a runtime starts");
    let settings = EmbeddingSettings::default();
    let embeddings =
        runtime.block_on(model.generate(texts, &settings)).expect("texts are embedded");
    embeddings.vectors.len()
}

fn documents(criterion: &mut Criterion) {
    let documents: Vec<String> = (0..32).map(document).collect();
    let mut group = criterion.benchmark_group("embed-documents");
    group.sample_size(10).throughput(Throughput::Elements(32));
    for (name, threads) in [("one thread", 1), ("two threads", 2)] {
        let model = model(threads);
        group.bench_function(name, |bencher| {
            bencher.iter(|| black_box(embed(&model, &documents)));
        });
    }
}

fn query(criterion: &mut Criterion) {
    let model = model(1);
    let query = ["how are filters applied to results".to_owned()];
    criterion.bench_function("embed-query/one short query", |bencher| {
        bencher.iter(|| black_box(embed(&model, &query)));
    });
}

fn load(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("load");
    group.sample_size(10);
    group.bench_function("all-MiniLM-L6-v2", |bencher| bencher.iter(|| black_box(model(2))));
}

criterion_group!(benches, documents, query, load);
criterion_main!(benches);
