//! How fast documents are cut, and indexed as a whole: 15 MB of Markdown a second is the target for the latter.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a benchmark that cannot run must stop"
)]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use textsearch_documents::{Chunker, Document, DocumentSchema, DocumentStore};
use textsearch_vector_inmemory::InMemoryVectorStore;

const WORDS: &[&str] = &[
    "store",
    "record",
    "search",
    "vector",
    "filter",
    "query",
    "embedding",
    "chunk",
    "the",
    "a",
    "of",
    "with",
    "is",
    "returns",
    "every",
    "result",
    "document",
    "index",
    "fast",
    "memory",
    "section",
    "heading",
    "by",
    "when",
    "it",
];

/// A few megabytes of prose, lists, code and tables, the same at every run.
fn markdown(documents: usize) -> Vec<Document> {
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move |bound: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        usize::try_from(random % bound as u64).unwrap_or(0)
    };
    let mut word = move || {
        format!("{}{}", WORDS[next(WORDS.len())], ["", "", "s", "ed", "ing", "x7"][next(6)])
    };
    let mut sentence = move |length: usize| {
        let words: Vec<String> = (0..length).map(|_| word()).collect();
        format!("The {}.", words.join(" "))
    };
    let mut section = move |number: usize| {
        let paragraphs: Vec<String> = (0..1 + number % 4)
            .map(|_| (0..5).map(|length| sentence(8 + length * 3)).collect::<Vec<_>>().join(" "))
            .collect();
        let list = format!("- {}\n- {}", sentence(6), sentence(9));
        let code = "```rust\nlet store = InMemoryVectorStore::new();\n# not a heading\n```";
        format!("## Part {number}\n\n{}\n\n{list}\n\n{code}\n\n", paragraphs.join("\n\n"))
    };
    let mut text = move |number: usize| {
        let sections: String = (0..10).map(|part| section(number + part)).collect();
        format!("---\ntitle: Guide {number}\n---\n\n# Guide {number}\n\n{sections}")
    };
    (0..documents)
        .map(|number| Document::markdown(format!("docs/{number}.md"), text(number)))
        .collect()
}

fn bytes(documents: &[Document]) -> Throughput {
    Throughput::Bytes(documents.iter().map(|document| document.text.len() as u64).sum())
}

fn chunk(criterion: &mut Criterion) {
    let chunker = Chunker::default();
    let documents = markdown(200);
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
    let documents = markdown(500);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let schema = DocumentSchema::default().with_language("en");
    let open = || {
        let store = InMemoryVectorStore::new();
        runtime.block_on(DocumentStore::open(&store, "docs", &schema, Chunker::default())).unwrap()
    };
    let mut group = criterion.benchmark_group("index");
    group.throughput(bytes(&documents)).sample_size(10);
    group.bench_function("chunk, full text, store", |bencher| {
        let upsert = |(store, documents): (DocumentStore, Vec<Document>)| {
            let report = runtime.block_on(store.upsert(documents)).unwrap();
            // The store is dropped outside of what is measured.
            (store, report)
        };
        bencher.iter_batched(|| (open(), documents.clone()), upsert, BatchSize::PerIteration);
    });
    let store = open();
    runtime.block_on(store.upsert(documents.clone())).unwrap();
    group.bench_function("again, unchanged", |bencher| {
        let upsert = |documents: Vec<Document>| runtime.block_on(store.upsert(documents)).unwrap();
        bencher.iter_batched(|| documents.clone(), upsert, BatchSize::PerIteration);
    });
}

criterion_group!(benches, chunk, index);
criterion_main!(benches);
