//! How fast documents are cut, and indexed as a whole, for which 15 MB of Markdown a second is the target; and what
//! memory that takes.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a benchmark prints, and one that cannot run must stop"
)]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use futures_util::FutureExt as _;
use textsearch_documents::{Chunker, Document, DocumentSchema, DocumentStore};
use textsearch_vector_inmemory::InMemoryVectorStore;

/// How many different stems the texts have.
const STEMS: usize = 30_000;

/// Numbers that look random and are the same at every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    /// The word at a place of the vocabulary is about as much rarer than the first as its place says, as in any
    /// language; the common ones are short.
    fn word(&mut self) -> String {
        let uniform = self.below(1 << 20) as f64 / f64::from(1 << 20);
        let stem = (STEMS as f64).powf(uniform) as usize;
        let syllables =
            ["ta", "ren", "si", "mo", "ver", "li", "con", "du", "pa", "est", "in", "or"];
        let mut word = String::new();
        let mut rest = stem;
        while rest > 0 {
            word.push_str(syllables[rest % syllables.len()]);
            rest /= syllables.len();
        }
        word + ["", "", "", "", "s", "ed", "ing", "ly"][self.below(8)]
    }

    fn sentence(&mut self, length: usize) -> String {
        let mut words: Vec<String> = (0..length).map(|_| self.word()).collect();
        words[0] = format!("The {}", words[0]);
        let place = self.below(length);
        let marked = &mut words[place];
        *marked = match self.below(8) {
            0 => format!("`{marked}_{marked}()`"),
            1 => format!("**{marked}**"),
            2 => format!("[{marked}](https://example.com/{marked}#{length})"),
            3 => format!("“{marked}”,"),
            4 => format!("{marked}, {}", self.below(10_000)),
            5 => format!("{marked}: {}", marked.to_uppercase()),
            _ => format!("{marked},"),
        };
        words.join(" ") + "."
    }

    fn section(&mut self, number: usize) -> String {
        let paragraphs: Vec<String> = (0..1 + number % 4)
            .map(|_| {
                let sentences = (0..5).map(|length| self.sentence(8 + length * 3));
                sentences.collect::<Vec<_>>().join(" ")
            })
            .collect();
        let list = format!("- {}\n- {}", self.sentence(6), self.sentence(9));
        let (name, call) = (self.word(), self.word());
        let code = format!("```rust\nlet {name} = store.{call}({number});\n# not a heading\n```");
        let heading = self.word();
        format!("## {heading} {number}\n\n{}\n\n{list}\n\n{code}\n\n", paragraphs.join("\n\n"))
    }
}

/// Documents of about 18 KB each: prose with a little markup, lists and code, the same at every run.
fn markdown(documents: usize) -> impl Iterator<Item = Document> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    (0..documents).map(move |number| {
        let sections: String = (0..10).map(|part| random.section(number + part)).collect();
        let text = format!("---\ntitle: Guide {number}\n---\n\n# Guide {number}\n\n{sections}");
        Document::markdown(format!("docs/{number}.md"), text)
    })
}

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
        // The store is dropped outside of what is measured.
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

fn open() -> DocumentStore {
    let schema = DocumentSchema::default().with_language("en");
    let store = InMemoryVectorStore::new();
    let opened = DocumentStore::open(&store, "docs", &schema, Chunker::default());
    opened.now_or_never().unwrap().unwrap()
}

/// How much memory a store takes, beside the text that is in it: 3 times as much is the target.
fn memory(_: &mut Criterion) {
    let Some(before) = resident() else { return };
    let store = open();
    let mut text = 0;
    let documents = markdown(1000).inspect(|document| text += document.text.len());
    store.upsert(documents).now_or_never().unwrap().unwrap();
    let taken = resident().unwrap_or_default().saturating_sub(before);
    let ratio = taken as f64 / text as f64;
    println!("memory: {text} bytes of text take {taken} bytes: {ratio:.2} times the text");
}

/// The memory that the process holds, in bytes; only Linux tells.
fn resident() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<usize>().ok()? * 1024)
}

// Memory first: what others gave back would be taken again unseen.
criterion_group!(benches, memory, chunk, index);
criterion_main!(benches);
