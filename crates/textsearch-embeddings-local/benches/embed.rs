//! all-MiniLM-L6-v2 with documents of 200 tokens and a short query.
//!
//! - Lines `embed-documents`, `embed-int8` and `embed-query`: embeds 32 documents, in 32-bit floats and
//!   with 8-bit weights, and one query.
//! - Line `rerank-pairs`: the model with a head of a classifier scores the documents against the query.
//!   Line `rerank-tokens`: the same by late interaction.
//!
//! `cargo xtask model minilm` obtains the model; `xtask/benchmarks/peers/embeddings.py` gives the
//! same texts to others.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a benchmark that cannot run must stop"
)]

use std::{fs, hint::black_box, num::NonZero, path::Path};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use tempfile::TempDir;
use textsearch_embeddings_local::{
    EmbeddingGenerator, EmbeddingSettings, LocalEmbeddings, LocalEmbeddingsConfig, LocalReranker,
    LocalRerankerConfig, Precision, Reranker,
};
use tokio::runtime::Builder;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/models/minilm");

const QUERY: &str = "how are filters applied to results";

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

fn check_folder() {
    assert!(
        Path::new(FOLDER).exists(),
        "this benchmark needs the model in target/models/minilm: cargo xtask model minilm"
    );
}

fn model(threads: usize, precision: Precision) -> LocalEmbeddings {
    check_folder();
    let threads = NonZero::new(threads).expect("there is a thread");
    let mut config = LocalEmbeddingsConfig::new(FOLDER).with_precision(precision);
    config.threads = Some(threads);
    LocalEmbeddings::new(config).expect("the model loads")
}

fn embed(model: &LocalEmbeddings, texts: &[String]) -> usize {
    let runtime = Builder::new_current_thread().build().expect("a runtime starts");
    let settings = EmbeddingSettings::default();
    let embeddings =
        runtime.block_on(model.generate(texts, &settings)).expect("texts are embedded");
    embeddings.vectors.len()
}

/// The head's values don't matter for the time.
fn cross_encoder() -> TempDir {
    check_folder();
    let bytes = fs::read(Path::new(FOLDER).join("model.safetensors")).expect("there are weights");
    let weights = SafeTensors::deserialize(&bytes).expect("the weights are readable");
    let values = [0; 384 * 4];
    let tensor = |shape: &[usize], length: usize| {
        TensorView::new(Dtype::F32, shape.to_vec(), &values[..length * 4]).expect("the shape fits")
    };
    let head = [
        ("classifier.weight".to_owned(), tensor(&[1, 384], 384)),
        ("classifier.bias".to_owned(), tensor(&[1], 1)),
    ];
    let all = weights.tensors().into_iter().chain(head);
    let folder = TempDir::new().expect("there is room for a model");
    let file = folder.path().join("model.safetensors");
    fs::write(file, safetensors::serialize(all, None).expect("tensors are writable"))
        .expect("there is room for weights");
    copy_files(folder.path(), &["config.json", "tokenizer.json", "sentence_bert_config.json"]);
    folder
}

/// The same encoder, without the small matrix that such models have after it.
fn late_interaction() -> TempDir {
    check_folder();
    let folder = TempDir::new().expect("there is room for a model");
    let files = ["model.safetensors", "config.json", "tokenizer.json", "sentence_bert_config.json"];
    copy_files(folder.path(), &files);
    let modules = ["Transformer", "MultiVectorMask", "Normalize"];
    let modules = modules.map(|kind| format!(r#"{{"type": "{kind}"}}"#)).join(",");
    fs::write(folder.path().join("modules.json"), format!("[{modules}]"))
        .expect("there is room for a list");
    folder
}

fn copy_files(to: &Path, names: &[&str]) {
    for name in names {
        fs::copy(Path::new(FOLDER).join(name), to.join(name)).expect("files are copied");
    }
}

fn rerankers(criterion: &mut Criterion) {
    rerank(criterion, "rerank-pairs", &cross_encoder());
    rerank(criterion, "rerank-tokens", &late_interaction());
}

fn rerank(criterion: &mut Criterion, line: &str, folder: &TempDir) {
    let documents = (0..32).map(document).collect::<Vec<_>>();
    let runtime = Builder::new_current_thread().build().expect("a runtime starts");
    let mut group = criterion.benchmark_group(line);
    group.sample_size(10).throughput(Throughput::Elements(32));
    for (name, threads) in [("one thread", 1), ("two threads", 2)] {
        let threads = NonZero::new(threads).expect("there is a thread");
        let mut config = LocalRerankerConfig::new(folder.path());
        config.threads = Some(threads);
        let model = LocalReranker::new(config).expect("the model loads");
        let score = || {
            let scores = runtime.block_on(model.rerank(QUERY, &documents));
            scores.expect("texts are scored").len()
        };
        group.bench_function(name, |bencher| bencher.iter(|| black_box(score())));
    }
}

fn documents(criterion: &mut Criterion) {
    let documents: Vec<String> = (0..32).map(document).collect();
    for (line, precision) in [("embed-documents", Precision::F32), ("embed-int8", Precision::Int8)]
    {
        let mut group = criterion.benchmark_group(line);
        group.sample_size(10).throughput(Throughput::Elements(32));
        for (name, threads) in [("one thread", 1), ("two threads", 2)] {
            let model = model(threads, precision);
            group.bench_function(name, |bencher| {
                bencher.iter(|| black_box(embed(&model, &documents)));
            });
        }
    }
}

fn query(criterion: &mut Criterion) {
    let model = model(1, Precision::F32);
    let query = [QUERY.to_owned()];
    criterion.bench_function("embed-query/one short query", |bencher| {
        bencher.iter(|| black_box(embed(&model, &query)));
    });
}

fn load(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("load");
    group.sample_size(10);
    group.bench_function("all-MiniLM-L6-v2", |bencher| {
        bencher.iter(|| black_box(model(2, Precision::F32)));
    });
}

criterion_group!(benches, documents, query, rerankers, load);
criterion_main!(benches);
