//! Speed of chunking, indexing and reading. The targets are 15 MB of Markdown per second, and 1 ms for the
//! surroundings of ten results.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a benchmark that cannot run must stop"
)]

mod support;

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use support::{markdown, open};
use textsearch_core::{SearchOptions, TextSearch};
use textsearch_documents::{Around, Chunker, Document, DocumentStore, Surroundings};

fn bytes(documents: &[Document]) -> Throughput {
    Throughput::Bytes(documents.iter().map(|document| document.text.len() as u64).sum())
}

fn chunk(criterion: &mut Criterion) {
    let chunker = Chunker::default();
    let documents: Vec<Document> = markdown(200).collect();
    let pages: Vec<Document> = documents
        .iter()
        .map(|document| {
            Document::html(
                &document.id,
                document.text.replace("\n\n", "<p>").replace("## ", "<h2>"),
            )
        })
        .collect();
    let prose = [Document::plain_text("prose", "A sentence of a few words. ".repeat(40_000))];
    let line = [Document::plain_text("line", "x".repeat(1_000_000))];
    let mut group = criterion.benchmark_group("chunk");
    for (name, documents) in
        [("markdown", &documents[..]), ("html", &pages), ("prose", &prose), ("one word", &line)]
    {
        group.throughput(bytes(documents)).bench_function(name, |bencher| {
            bencher.iter(|| {
                for document in documents {
                    let chunked = chunker.chunk(black_box(document));
                    black_box(chunked.map(|chunked| chunked.chunks.len()).unwrap_or_default());
                }
            });
        });
    }
}

fn index(criterion: &mut Criterion) {
    let documents: Vec<Document> = markdown(200).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let upsert = |store: DocumentStore, documents: Vec<Document>| {
        runtime.block_on(store.upsert(documents)).unwrap();
        // Return the store to drop it outside the measurement.
        store
    };
    let mut group = criterion.benchmark_group("index");
    group.throughput(bytes(&documents)).sample_size(10);
    group.bench_function("chunk, full text, store", |bencher| {
        let setup = || (open(), documents.clone());
        let run = |(store, documents)| upsert(store, documents);
        bencher.iter_batched(setup, run, BatchSize::PerIteration);
    });
    group.bench_function("document by document", |bencher| {
        let run = |(store, documents): (DocumentStore, Vec<Document>)| {
            documents.into_iter().fold(store, |store, document| upsert(store, vec![document]))
        };
        bencher.iter_batched(|| (open(), documents.clone()), run, BatchSize::PerIteration);
    });
    let store = upsert(open(), documents.clone());
    group.bench_function("again, unchanged", |bencher| {
        let run = |documents| upsert(store.clone(), documents);
        bencher.iter_batched(|| documents.clone(), run, BatchSize::PerIteration);
    });
}

fn read(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let store = open();
    runtime.block_on(store.upsert(markdown(200))).unwrap();
    let mut group = criterion.benchmark_group("read");
    for around in [Around::None, Around::Neighbours(1), Around::Section] {
        let search = Surroundings::new(store.text_search(), store.clone(), around);
        let options = SearchOptions::top(10);
        let search = || async {
            let results = search.text_search_results(black_box("guide"), &options).await;
            results.unwrap().into_vec().await.unwrap().len()
        };
        group.bench_function(format!("ten results, around: {around}"), |bencher| {
            bencher.iter(|| runtime.block_on(search()));
        });
    }
}

criterion_group!(benches, chunk, index, read);
criterion_main!(benches);
