//! Compares the stores that run here: one program, the same documents, questions and embeddings.

use std::{path::Path, time::Instant};

use anyhow::{Result, bail};
use tempfile::TempDir;

use super::{chroma, milvus, pgvector, qdrant};
use crate::{model, retrieval};

const FEATURES: &str = "--release --features textsearch-cli/chroma,textsearch-cli/local-embeddings,\
                        textsearch-cli/milvus,textsearch-cli/pgvector,textsearch-cli/qdrant";

/// Services that can't be installed: their crates test them on stand-ins.
const SERVICES: [&str; 2] = ["Azure AI Search", "Pinecone"];

/// More would be a store that finds other records, not other ties.
const MOST_DIFFERENCE: f64 = 0.005;

struct Store {
    name: &'static str,
    address: String,
    modes: &'static [&'static str],
}

/// nDCG@10 of each mode.
struct Row {
    ndcg: Vec<(&'static str, f64)>,
    index_seconds: f64,
    question_milliseconds: f64,
}

const ALL: &[&str] = &["text", "vector", "hybrid"];

pub(super) fn run() -> Result<()> {
    let program = retrieval::build_with(FEATURES)?;
    let embeddings = format!("local:{}", model::folder("minilm")?.display());
    let scratch = TempDir::new()?;
    let file = scratch.path().join("index").display().to_string();
    let memory =
        measure(&program, &embeddings, &Store { name: "memory", address: file, modes: ALL })?;

    let mut different = Vec::new();
    let mut compare = |store: Store| -> Result<()> {
        let row = measure(&program, &embeddings, &store)?;
        let others = row.ndcg.iter().filter(|(mode, ndcg)| {
            let same = memory.ndcg.iter().find(|(other, _)| other == mode);
            same.is_some_and(|(_, expected)| (ndcg - expected).abs() > MOST_DIFFERENCE)
        });
        different.extend(others.map(|(mode, _)| format!("{} ({mode})", store.name)));
        Ok(())
    };
    let python = pgvector::install()?;
    let server = pgvector::start(&python)?;
    let address = format!("{}&collection=stores", server.url);
    compare(Store { name: "Postgres", address, modes: ALL })?;
    drop(server);
    let python = chroma::install()?;
    let server = chroma::start(&python)?;
    let address = format!("{}/stores", server.url.replacen("http", "chroma", 1));
    compare(Store { name: "Chroma", address, modes: &["vector"] })?;
    drop(server);
    let python = milvus::install()?;
    let server = milvus::start(&python)?;
    let address = format!("{}/stores", server.url.replacen("http", "milvus", 1));
    compare(Store { name: "Milvus Lite", address, modes: ALL })?;
    drop(server);
    let server = qdrant::start()?;
    let address = format!("{}/stores", server.url.replacen("http", "qdrant", 1));
    compare(Store { name: "Qdrant (debug)", address, modes: ALL })?;
    println!("     {} have no server to install", SERVICES.join(" and "));
    if !different.is_empty() {
        bail!("other results than in memory: {}", different.join(", "));
    }
    Ok(())
}

/// Prints a row of the table.
fn measure(program: &Path, embeddings: &str, store: &Store) -> Result<Row> {
    let start = Instant::now();
    retrieval::index(program, &store.address, &["--embeddings", embeddings])?;
    let index_seconds = start.elapsed().as_secs_f64();
    let mut row = Row { ndcg: Vec::new(), index_seconds, question_milliseconds: 0.0 };
    for mode in store.modes {
        let (figures, milliseconds) = ask(program, embeddings, store, mode)?;
        row.ndcg.push((mode, figures.ndcg));
        if *mode == "vector" {
            row.question_milliseconds = milliseconds;
        }
    }
    row.print(store.name);
    Ok(row)
}

/// Returns the time of a question with that of starting the program, which all stores share.
fn ask(
    program: &Path,
    embeddings: &str,
    store: &Store,
    mode: &str,
) -> Result<(retrieval::Figures, f64)> {
    let start = Instant::now();
    let more = ["--mode", mode, "--embeddings", embeddings];
    let figures = retrieval::evaluate(program, &store.address, &more)?;
    let milliseconds = start.elapsed().as_secs_f64() * 1000.0 / figures.queries.max(1) as f64;
    Ok((figures, milliseconds))
}

impl Row {
    fn print(&self, name: &str) {
        let ndcg = |mode: &str| {
            let found = self.ndcg.iter().find(|(other, _)| *other == mode);
            found.map_or_else(|| "no".to_owned(), |(_, ndcg)| format!("{ndcg:.3}"))
        };
        let (text, vector, hybrid) = (ndcg("text"), ndcg("vector"), ndcg("hybrid"));
        println!(
            "     {name:<15} nDCG@10 of words {text}, vectors {vector}, both {hybrid}; indexed in {:.1} s, {:.1} ms a \
             question",
            self.index_seconds, self.question_milliseconds
        );
    }
}
