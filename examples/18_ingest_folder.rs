//! Indexes and searches a folder. A second run stores only changes.
//!
//! Pass a path to index another folder: `cargo run -p examples --example 18_ingest_folder -- docs`.
//!
//! Needs: nothing; it runs offline.

use std::{env, error::Error};

use textsearch_core::{SearchOptions, TextSearch as _};
use textsearch_documents::ingest::{DocumentIndex, FileWalker, Ingestion};
use textsearch_vector_inmemory::InMemoryVectorStore;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs").to_owned();
    let folder = env::args().nth(1).unwrap_or(default);
    let index = DocumentIndex::new(InMemoryVectorStore::new(), "docs");
    for run in 1..=2 {
        let files = FileWalker::new().walk(&[&folder])?;
        let report = index.update(Ingestion::new(files)).await?;
        println!("run {run}: {} added, {} unchanged", report.added, report.unchanged);
    }
    let search = index.open(None).await?.text_search();
    let options = SearchOptions::top(3);
    let mut results = search.text_search_results("How do I write a connector?", &options).await?;
    while let Some(result) = results.next().await {
        println!("- {}", result?.name.unwrap_or_default());
    }
    Ok(())
}
