//! Line `index-embedded`: the Markdown of this repository is read, cut, embedded by
//! all-MiniLM-L6-v2 and stored, beside the bare model on the same chunks. Both take turns.
//!
//! `cargo xtask model minilm` obtains the model.

#[path = "../../xtask/benchmarks/support/report.rs"]
#[expect(dead_code, reason = "no memory is measured here")]
mod report;

use std::{path::Path, sync::Arc, time::Instant};

use report::{Report, median};
use textsearch_core::vector::{EmbeddingGenerator as _, EmbeddingSettings, ScanOptions};
use textsearch_documents::{
    DocumentStore,
    ingest::{DocumentIndex, Embedder, FileWalker, Ingestion, SourceFiles},
};
use textsearch_embeddings_local::{LocalEmbeddings, LocalEmbeddingsConfig};
use textsearch_vector_inmemory::InMemoryVectorStore;
use tokio::runtime::{Builder, Runtime};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn main() {
    let report = Report::from_arguments();
    let folder = Path::new(ROOT).join("target/models/minilm");
    assert!(folder.exists(), "this benchmark needs the model: cargo xtask model minilm");
    let model = Arc::new(LocalEmbeddings::new(LocalEmbeddingsConfig::new(folder)).unwrap());
    let runtime = Builder::new_current_thread().build().unwrap();
    let files = markdown(if report.quick { "docs/decisions" } else { "docs" });
    let index = || runtime.block_on(index(&model, &files));
    // As stored: in the order of the documents.
    let chunks = runtime.block_on(chunks(&index()));
    let turns = if report.quick { 1 } else { 3 };
    let mut indexing = Vec::new();
    let mut embedding = Vec::new();
    for _ in 0..turns {
        indexing.push(seconds(index));
        embedding.push(seconds(|| embed(&runtime, &model, &chunks)));
    }
    for (name, figures) in [("index", &mut indexing), ("bare model", &mut embedding)] {
        let seconds = median(figures);
        let rate = chunks.len() as f64 / seconds;
        let for_people =
            format_args!("{seconds:.2} s, {rate:.1} of {} chunks a second", chunks.len());
        report.print(&format!("index-embedded, {name}"), seconds, "s", for_people);
    }
}

fn seconds<T>(work: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    let kept = work();
    let seconds = start.elapsed().as_secs_f64();
    drop(kept);
    seconds
}

fn markdown(folder: &str) -> SourceFiles {
    FileWalker::new().walk(&[Path::new(ROOT).join(folder)]).unwrap()
}

async fn index(model: &Arc<LocalEmbeddings>, files: &SourceFiles) -> DocumentStore {
    let index = DocumentIndex::new(InMemoryVectorStore::new(), "docs");
    let ingestion = Ingestion::new(files.clone()).with_embedder(Embedder::new(Arc::clone(model)));
    index.update(ingestion).await.unwrap();
    index.open(None).await.unwrap()
}

/// Returns the texts that the index embedded.
async fn chunks(documents: &DocumentStore) -> Vec<String> {
    let records = documents.collection().scan(&ScanOptions::default()).await.unwrap();
    let text = |name: &str, data: &serde_json::Map<String, serde_json::Value>| {
        data.get(name).and_then(|value| value.as_str()).unwrap_or_default().to_owned()
    };
    let records = records.into_vec().await.unwrap();
    let texts = records
        .iter()
        .map(|record| format!("{}\n{}", text("name", &record.data), text("text", &record.data)));
    texts.collect()
}

fn embed(runtime: &Runtime, model: &LocalEmbeddings, chunks: &[String]) -> usize {
    let embedded = runtime.block_on(model.generate(chunks, &EmbeddingSettings::default()));
    embedded.unwrap().vectors.len()
}
