//! Evaluates the program's search over the documents of this repository, with the test collection
//! in `xtask/retrieval`, so that no change makes it worse unnoticed.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, bail};
use cargo_metadata::TargetKind;
use serde::Deserialize;
use tempfile::TempDir;

use crate::{artifacts, shell, tidy};

/// Minimum nDCG@10. With 90 questions it was 0.75. It fell to 0.72 with the documents on vector
/// search, to 0.69 with those on servers, MCP, OpenAPI, grounding and combined searches, to 0.68
/// with those on writing connectors and stores, and to 0.67 with those on four more stores and on
/// plans, which compete in many questions; with the page of the facade it is 0.663, recall@10 0.73
/// and MRR@10 0.78. One question is worth 0.011, and new documents move a few.
const FLOOR: f64 = 0.66;

const QUERIES: &str = "xtask/retrieval/queries.jsonl";
const QRELS: &str = "xtask/retrieval/qrels.tsv";

const JUDGED: [&str; 6] = ["--queries", QUERIES, "--qrels", QRELS, "--output", "json"];

/// Everything that documents the project.
const CORPUS: &[&str] = &["README.md", "CONTRIBUTING.md", "docs", "crates"];

/// Changelogs, fixtures, and the guide that quotes questions of the collection.
const LEFT_OUT: &[&str] = &["CHANGELOG", "/tests/", "docs/guide/evaluating.md"];

#[derive(Debug, Deserialize)]
pub(crate) struct Figures {
    pub(crate) queries: usize,
    pub(crate) ndcg: f64,
    recall: f64,
    mrr: f64,
}

pub(crate) fn run() -> Result<()> {
    check_judged_files()?;
    check(&figures(&mut evaluation(&build()?))?)
}

/// A file and `server`, an address as in `--store`, must give the same figures.
pub(crate) fn compare_stores(program: &Path, server: &str) -> Result<()> {
    compare_with(program, &format!("{server}/textsearch-retrieval"))
}

/// Compares a file with the store of this address.
pub(crate) fn compare_with(program: &Path, store: &str) -> Result<()> {
    let scratch = TempDir::new()?;
    let stores = [scratch.path().join("index").display().to_string(), store.to_owned()];
    let evaluated = stores.each_ref().map(|store| {
        index(program, store, &[])?;
        Ok(evaluate(program, store, &[])?.line())
    });
    let [file, server]: [Result<String>; 2] = evaluated;
    let (file, server) = (file?, server?);
    println!("     in a file:     {file}\n     on the server: {server}");
    if file != server {
        bail!("the same records are found otherwise on the server than in memory");
    }
    Ok(())
}

/// Indexes our documents into `store`, with further arguments.
pub(crate) fn index(program: &Path, store: &str, more: &[&str]) -> Result<()> {
    let mut index = Command::new(program);
    index.current_dir(shell::root()).arg("index").args(documents()?).args(["--store", store]);
    shell::read(index.args(more)).map(drop)
}

/// Asks `store` all questions, with further arguments.
pub(crate) fn evaluate(program: &Path, store: &str, more: &[&str]) -> Result<Figures> {
    let mut evaluation = Command::new(program);
    evaluation.current_dir(shell::root()).args(["eval", "--filter", &filter()]);
    figures(evaluation.args(["--store", store]).args(JUDGED).args(more))
}

pub(crate) fn build() -> Result<PathBuf> {
    build_with("")
}

/// `features` are cargo arguments.
pub(crate) fn build_with(features: &str) -> Result<PathBuf> {
    // A single package would select other features and rebuild its dependencies.
    let line = format!("build --workspace --bin textsearch {features} {}", artifacts::AS_MESSAGES);
    let messages = shell::read(&mut shell::cargo(&line))?;
    let program = artifacts::built(&TargetKind::Bin, &messages).into_iter().next();
    program.map(|(_, program)| program).context("cargo named no program `textsearch`")
}

/// Prints a report as JSON.
pub(crate) fn evaluation(program: &PathBuf) -> Command {
    let mut command = Command::new(program);
    command.current_dir(shell::root()).args(["eval", "--filter", &filter()]);
    command.args(CORPUS.iter().flat_map(|path| ["--from", path]));
    command.args(JUDGED);
    command
}

/// Relative to the root.
pub(crate) fn documents() -> Result<Vec<String>> {
    let mut paths = tidy::paths(&shell::root())?;
    paths.retain(|path| {
        path.ends_with(".md") && is_searched(path) && shell::root().join(path).is_file()
    });
    paths.sort_unstable();
    Ok(paths)
}

pub(crate) fn queries() -> PathBuf {
    shell::root().join(QUERIES)
}

fn figures(evaluation: &mut Command) -> Result<Figures> {
    let report = shell::read(evaluation)?;
    serde_json::from_str(&report).context("the program printed no report")
}

pub(crate) fn judgements() -> PathBuf {
    shell::root().join(QRELS)
}

impl Figures {
    fn line(&self) -> String {
        let Self { queries, ndcg, recall, mrr } = self;
        format!("nDCG@10 {ndcg:.3}, recall@10 {recall:.3}, MRR@10 {mrr:.3} of {queries} questions")
    }
}

fn check(figures: &Figures) -> Result<()> {
    let line = figures.line();
    println!("     {line}; the floor of nDCG@10 is {FLOOR}");
    if figures.ndcg < FLOOR {
        bail!(
            "retrieval got worse: {line}, and nDCG@10 must reach {FLOOR}; xtask/retrieval/README.md has the command that \
             shows each question"
        );
    }
    Ok(())
}

fn filter() -> String {
    let left_out: Vec<String> =
        LEFT_OUT.iter().map(|part| format!("path contains \"{part}\"")).collect();
    format!("not ({})", left_out.join(" or "))
}

/// A judged document that was renamed or isn't searched would count as a miss.
fn check_judged_files() -> Result<()> {
    let judgements = judgements();
    let text = std::fs::read_to_string(&judgements)
        .with_context(|| format!("cannot read {}", judgements.display()))?;
    let judged = judged(&text);
    let (there, missing): (Vec<&str>, Vec<&str>) =
        judged.into_iter().partition(|path| shell::root().join(path).is_file());
    if !missing.is_empty() {
        bail!(
            "{QRELS} names files that are not there: {}; judge those that took their place",
            missing.join(", ")
        );
    }
    let not_searched: Vec<&str> = there.into_iter().filter(|path| !is_searched(path)).collect();
    if !not_searched.is_empty() {
        bail!(
            "{QRELS} names files that are not searched: {}; the corpus is {}, without {}",
            not_searched.join(", "),
            CORPUS.join(", "),
            LEFT_OUT.join(", "),
        );
    }
    Ok(())
}

fn is_searched(path: &str) -> bool {
    CORPUS.iter().any(|part| Path::new(path).starts_with(part))
        && !LEFT_OUT.iter().any(|part| path.contains(part))
}

fn judged(qrels: &str) -> BTreeSet<&str> {
    qrels.lines().skip(1).filter_map(|line| line.split('\t').nth(1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_below_the_floor_fails_with_all_scores() {
        let figures = |ndcg| Figures { queries: 90, ndcg, recall: 0.8, mrr: 0.7 };
        check(&figures(FLOOR)).unwrap();
        let low = FLOOR - 0.001;
        let error = check(&figures(low)).unwrap_err().to_string();
        let scores = format!("nDCG@10 {low:.3}, recall@10 0.800, MRR@10 0.700 of 90 questions");
        assert!(error.contains(&scores), "{error}");
    }

    #[test]
    fn judged_documents_are_in_the_second_column() {
        let qrels = "query-id\tcorpus-id\tscore\nq1\tb.md\t1\nq1\ta.md\t2\nq2\tb.md\t1\n";
        assert_eq!(judged(qrels).into_iter().collect::<Vec<_>>(), ["a.md", "b.md"]);
    }

    #[test]
    fn the_corpus_has_the_searched_files_only() {
        assert!(is_searched("docs/decisions/0001.md") && is_searched("README.md"));
        for path in ["docs-old/a.md", "crates/a/CHANGELOG.md", "crates/a/tests/a.md", "xtask/a.md"]
        {
            assert!(!is_searched(path), "{path}");
        }
        assert!(
            filter().starts_with("not (path contains \"CHANGELOG\" or path contains \"/tests/\"")
        );
    }

    #[test]
    fn every_judged_document_is_searched() {
        check_judged_files().unwrap();
    }
}
