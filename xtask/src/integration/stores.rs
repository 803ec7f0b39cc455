//! Compares all stores: one program, the same documents, questions and embeddings.
//!
//! Azure AI Search and Pinecone can't be installed. The stand-ins of their tests replace them: they
//! rank like the services, but their speed means nothing.

use std::{
    process::Output,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail, ensure};
use serde::Deserialize;
use tempfile::TempDir;

use super::{
    chroma, embed_for, milvus, pgvector, qdrant, same_program, scripted_model, server::Server,
};
use crate::{model, program::Program, retrieval, shell};

const FEATURES: &str = "--release --features textsearch-cli/local-embeddings,textsearch-cli/stores";

/// In release builds, because they compare each document with each question.
const AZURE: &str = "-p textsearch-azure-ai-search --example azure_search_stand_in";
const PINECONE: &str = "-p textsearch-pinecone --example pinecone_stand_in";

/// The stand-ins accept no other keys.
const AZURE_KEY: (&str, &str) = ("AZURE_SEARCH_API_KEY", "standin-sesame");
const PINECONE_KEY: (&str, &str) = ("PINECONE_API_KEY", "pcsk_sesame");

/// The service ranks words itself, by the actual mean lengths and with a score for each field.
const LIMIT_OF_AZURE: f64 = 0.1;

/// The program's exit code if a store refuses a ranking.
const WRONG_USAGE: i32 = 2;

/// Runs per measurement; the fastest counts.
const RUNS: usize = 3;

/// A ranking that stores may have, and the arguments that select it.
struct Ranking {
    name: &'static str,
    arguments: &'static [&'static str],
}

const RANKINGS: [Ranking; 4] = [
    Ranking { name: "words", arguments: &["--mode", "text"] },
    Ranking { name: "vectors", arguments: VECTORS },
    Ranking { name: "both", arguments: &["--mode", "hybrid", "--fusion", "weighted"] },
    Ranking {
        name: "both by rank",
        arguments: &["--mode", "hybrid", "--fusion", "reciprocal-rank"],
    },
];

/// Every store has this ranking, so the time of a question is measured with it.
const VECTORS: &[&str] = &["--mode", "vector"];

struct Store {
    name: &'static str,
    /// A pattern: `{}` stands for the name of a collection.
    address: String,
    /// Ends with the comparison of the store.
    #[expect(dead_code, reason = "it only has to live")]
    server: Option<Server>,
    /// Which of the [`RANKINGS`] it declares.
    has: [bool; 4],
    limit: f64,
    is_stand_in: bool,
}

const ALL: [bool; 4] = [true; 4];
const ONLY_VECTORS: [bool; 4] = [false, true, false, false];
const ONLY_BY_RANK: [bool; 4] = [true, true, false, true];

struct Comparison {
    /// Embeds with a real model.
    program: Program,
    /// Embeds almost instantly, for measuring the store.
    quick: Program,
    table: String,
    memory: Ndcg,
    different: Vec<String>,
}

/// nDCG@10 of each ranking; `None` if the store refuses it.
type Ndcg = Vec<Option<f64>>;

/// Prints a table. If a store fails, the table has the stores before it.
pub(super) fn run() -> Result<()> {
    let words = scripted_model()?;
    let pinecone = stand_in(PINECONE)?;
    let program = Program::build(FEATURES)?.with_variable("PINECONE_ENDPOINT", &pinecone.url);
    let keys = [AZURE_KEY, PINECONE_KEY].into_iter();
    let program = keys.fold(program, |all, (name, key)| all.with_variable(name, key));
    let quick = embed_for(program.clone(), &words);
    let program =
        program.with_embeddings(&format!("local:{}", model::obtain("minilm", None)?.display()));
    let table = heading();
    let memory = Vec::new();
    let different = Vec::new();
    let mut comparison = Comparison { program, quick, table, memory, different };
    let scratch = TempDir::new()?;
    let memory = Store::new("memory", ALL);
    let address = scratch.path().join("{}").display().to_string();
    comparison.add(Store { address, ..memory })?;
    let compared = compare(&mut comparison);
    println!("{}", comparison.table);
    compared?;
    same_program("pinecone", &[("PINECONE_ENDPOINT", &pinecone.url), PINECONE_KEY])?;
    match comparison.different.as_slice() {
        [] => Ok(()),
        different => bail!("nDCG@10 differs from that in memory: {}", different.join("; ")),
    }
}

fn compare(comparison: &mut Comparison) -> Result<()> {
    let store = Store::new("Qdrant's engine, debug build", ALL);
    comparison.add(store.at("qdrant", qdrant::engine()?.start()?))?;
    let engine = pgvector::engine()?;
    let store = Store::new("Postgres", ALL);
    let server = engine.start()?;
    let address = format!("{}&collection={{}}", server.url);
    comparison.add(Store { address, server: Some(server), ..store })?;
    let engine = milvus::engine()?;
    let store = Store::new("Milvus Lite", ALL);
    comparison.add(store.at("milvus", engine.start()?))?;
    let engine = chroma::engine()?;
    let store = Store::new("Chroma", ONLY_VECTORS);
    comparison.add(store.at("chroma", engine.start()?))?;
    let server = stand_in(AZURE)?;
    let store = Store::new("Azure AI Search, stand-in", ONLY_BY_RANK);
    same_program("azure-search", &[("AZURE_SEARCH_ENDPOINT", &server.url), AZURE_KEY])?;
    let store = Store { limit: LIMIT_OF_AZURE, is_stand_in: true, ..store };
    comparison.add(store.at("azure-search", server))?;
    let store = Store::new("Pinecone, stand-in", ONLY_VECTORS);
    comparison.add(Store { address: "pinecone://{}".to_owned(), is_stand_in: true, ..store })
}

fn stand_in(example: &str) -> Result<Server> {
    shell::run(&mut shell::cargo(&format!("build --quiet --release {example}")))?;
    Server::start(|_| shell::cargo(&format!("run --quiet --release {example}")))
}

impl Store {
    fn new(name: &'static str, has: [bool; 4]) -> Self {
        let address = String::new();
        let limit = retrieval::SIMILAR;
        Self { name, address, server: None, has, limit, is_stand_in: false }
    }

    fn at(self, scheme: &str, server: Server) -> Self {
        let address = server.url.trim_end_matches('/').replacen("http", scheme, 1);
        Self { address: format!("{address}/{{}}"), server: Some(server), ..self }
    }

    fn collection(&self, name: &str) -> String {
        self.address.replace("{}", name)
    }
}

impl Comparison {
    /// Measures a store and compares it with the first, which is in memory.
    fn add(&mut self, store: Store) -> Result<()> {
        let ndcg = self.ndcg(&store).with_context(|| store.name.to_owned())?;
        let speeds = if store.is_stand_in {
            None
        } else {
            Some(self.speeds(&store).with_context(|| store.name.to_owned())?)
        };
        self.table.push_str(&row(store.name, &ndcg, speeds));
        if self.memory.is_empty() {
            self.memory.clone_from(&ndcg);
        }
        for ((ranking, ndcg), memory) in RANKINGS.iter().zip(ndcg).zip(&self.memory) {
            if let (Some(ndcg), Some(memory)) = (ndcg, memory)
                && (ndcg - memory).abs() > store.limit
            {
                let (name, ranking) = (store.name, ranking.name);
                self.different.push(format!("{name}, {ranking}: {ndcg:.3} instead of {memory:.3}"));
            }
        }
        Ok(())
    }

    fn ndcg(&self, store: &Store) -> Result<Ndcg> {
        let collection = store.collection("quality");
        shell::read(&mut retrieval::indexing(&self.program, &collection)?)?;
        let rankings = RANKINGS.iter().zip(store.has).map(|(ranking, has)| {
            let mut asking = retrieval::asking(&self.program, &collection);
            asking.args(ranking.arguments);
            if has {
                return Ok(Some(retrieval::figures(&mut asking)?.ndcg));
            }
            let Output { status, stderr, .. } = asking.output()?;
            let name = ranking.name;
            let complaint = String::from_utf8_lossy(&stderr);
            ensure!(!status.success(), "it ranks by {name}, but doesn't declare it");
            let is_refusal = status.code() == Some(WRONG_USAGE);
            ensure!(is_refusal, "it doesn't refuse to rank by {name}, but fails: {complaint}");
            Ok(None)
        });
        rankings.collect()
    }

    fn speeds(&self, store: &Store) -> Result<Speeds> {
        #[derive(Deserialize)]
        struct Indexed {
            chunks: u64,
            seconds: f64,
        }

        let collection = store.collection("speed");
        let mut indexing = retrieval::indexing(&self.quick, &collection)?;
        let report = shell::read(indexing.args(["--output", "json"]))?;
        let indexed: Indexed = serde_json::from_str(&report).context("no report of indexing")?;
        let mut asking = retrieval::asking(&self.quick, &collection);
        asking.args(VECTORS);
        let (all, figures) = fastest(|| retrieval::figures(&mut asking))?;
        // As many results as an evaluation reads.
        let mut search = self.quick.command("search");
        search.args(["apples", "--top", "80", "--store", &collection]).args(VECTORS);
        let (single, _) = fastest(|| shell::read(&mut search))?;
        Ok(Speeds {
            records_per_second: indexed.chunks as f64 / indexed.seconds,
            // Without what both do once: start, open the store, search for the first time.
            question: all.saturating_sub(single) / figures.queries.saturating_sub(1).max(1),
        })
    }
}

struct Speeds {
    records_per_second: f64,
    question: Duration,
}

fn fastest<T>(mut work: impl FnMut() -> Result<T>) -> Result<(Duration, T)> {
    let timed = (0..RUNS).map(|_| {
        let start = Instant::now();
        let done = work()?;
        Ok((start.elapsed(), done))
    });
    let timed: Vec<(Duration, T)> = timed.collect::<Result<_>>()?;
    timed.into_iter().min_by_key(|(time, _)| *time).context("no run")
}

fn heading() -> String {
    let heading = RANKINGS.map(|ranking| ranking.name).join(" | ");
    let heading = format!("| {:28} | {heading} | records/s | ms a question |", "nDCG@10");
    let line = heading.chars().map(|sign| if sign == '|' { '|' } else { '-' });
    format!("{heading}\n{}", line.collect::<String>())
}

fn row(name: &str, ndcg: &Ndcg, speeds: Option<Speeds>) -> String {
    let mut row = format!("\n| {name:28} |");
    for (ranking, ndcg) in RANKINGS.iter().zip(ndcg) {
        let ndcg = ndcg.map_or_else(String::new, |ndcg| format!("{ndcg:.3}"));
        row.push_str(&format!(" {ndcg:>width$} |", width = ranking.name.len()));
    }
    let (records, question) = speeds.map_or_else(Default::default, |speeds| {
        let milliseconds = speeds.question.as_secs_f64() * 1e3;
        (format!("{:.0}", speeds.records_per_second), format!("{milliseconds:.1}"))
    });
    row + &format!(" {records:>9} | {question:>13} |")
}
