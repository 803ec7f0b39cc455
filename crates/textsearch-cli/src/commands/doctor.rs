//! `textsearch doctor`: checks the store, the models and a connector.

use std::{
    collections::BTreeMap,
    fmt,
    process::ExitCode,
    time::{Duration, Instant},
};

use anyhow::{Result, anyhow};
use serde::Serialize;
use textsearch_anthropic::ANTHROPIC_API_KEY;
use textsearch_bing::{BING_API_KEY, WEBIQ_API_KEY};
use textsearch_brave::BRAVE_API_KEY;
use textsearch_core::{
    SearchOptions,
    chat::{ChatHistory, ChatMessage, ChatOptions},
    secret::variable,
    vector::EmbeddingSettings,
};
use textsearch_exa::EXA_API_KEY;
use textsearch_google::GOOGLE_API_KEY;
use textsearch_linkup::LINKUP_API_KEY;
use textsearch_openai::{AZURE_OPENAI_API_KEY, OPENAI_API_KEY};
use textsearch_perplexity::PERPLEXITY_API_KEY;
use textsearch_rerank::RERANK_API_KEY;
use textsearch_serper::SERPER_API_KEY;
use textsearch_tavily::TAVILY_API_KEY;

use crate::{
    arguments::{DEFAULT_STORE, DoctorArguments, EmbeddingArguments, OutputFormat},
    commands::{ask, explained, serve::TOKEN},
    corpus::{
        WithoutDocuments, open_documents, read_catalog, reranker::RerankModel, store::StoreLocation,
    },
    output::{Output, counted, written_out},
    web,
};

/// For each check. A model on this machine may have to be loaded first.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The stores' are texts, because their crates are optional.
const KEYS: [&str; 20] = [
    ANTHROPIC_API_KEY,
    AZURE_OPENAI_API_KEY,
    BING_API_KEY,
    BRAVE_API_KEY,
    EXA_API_KEY,
    GOOGLE_API_KEY,
    LINKUP_API_KEY,
    OPENAI_API_KEY,
    PERPLEXITY_API_KEY,
    RERANK_API_KEY,
    SERPER_API_KEY,
    TAVILY_API_KEY,
    TOKEN,
    WEBIQ_API_KEY,
    "AZURE_SEARCH_API_KEY",
    "CHROMA_API_KEY",
    "MILVUS_TOKEN",
    "PGPASSWORD",
    "PINECONE_API_KEY",
    "QDRANT_API_KEY",
];

/// The text that the models get.
const SAMPLE: &str = "tide table";

pub(crate) async fn run(arguments: &DoctorArguments, output: &mut Output) -> Result<ExitCode> {
    let keys = KEYS.iter().map(|name| (*name, is_set(name))).collect();
    let report = Report { checks: checks(arguments).await, keys };
    match arguments.output {
        OutputFormat::Json => output.json(&report)?,
        OutputFormat::Text => output.line(&report.to_string())?,
    }
    let has_failed = report.checks.iter().any(|check| check.status == Status::Failed);
    Ok(if has_failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The JSON output.
#[derive(Debug, Serialize)]
struct Report {
    checks: Vec<Check>,
    /// Whether each key is set.
    keys: BTreeMap<&'static str, bool>,
}

#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    status: Status,
    detail: String,
    seconds: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Ok,
    Failed,
    /// The default store doesn't exist yet.
    Missing,
}

async fn checks(arguments: &DoctorArguments) -> Vec<Check> {
    let DoctorArguments { store, embeddings, rerank, source, endpoint, .. } = arguments;
    let mut checks = Vec::new();
    let mut fitting = EmbeddingArguments::default();
    if embeddings.model.is_some() {
        let check = check("embeddings", embed(embeddings)).await;
        if check.status == Status::Ok {
            fitting = embeddings.clone();
        }
        checks.push(check);
    }
    checks.push(check_store(store.as_deref(), &fitting).await);
    if ask::named_by().is_ok_and(|name| name.is_some()) {
        checks.push(check("model", ask_model()).await);
    }
    if let Some(model) = rerank {
        checks.push(check("reranker", score(model)).await);
    }
    if let Some(name) = source {
        checks.push(check("source", search(name, endpoint.as_deref())).await);
    }
    checks
}

async fn check(name: &'static str, work: impl Future<Output = Result<String>>) -> Check {
    let began = Instant::now();
    let outcome = tokio::time::timeout(TIMEOUT, work).await;
    let outcome = outcome.unwrap_or_else(|_| Err(anyhow!("no answer within {TIMEOUT:?}")));
    let (status, detail) = match outcome {
        Ok(detail) => (Status::Ok, detail),
        Err(error) => (Status::Failed, explained(&error)),
    };
    let seconds = (began.elapsed().as_secs_f64() * 1e3).round() / 1e3;
    Check { name, status, detail, seconds }
}

/// The default store may be missing; a store that was named may not.
async fn check_store(uri: Option<&str>, embeddings: &EmbeddingArguments) -> Check {
    let location = StoreLocation::from_uri(uri.unwrap_or(DEFAULT_STORE));
    let path = location.as_ref().ok().and_then(StoreLocation::file_path);
    let is_missing = uri.is_none() && path.is_some_and(|path| !path.exists());
    let opened = check("store", async { open_store(&location?, embeddings).await }).await;
    if is_missing { Check { status: Status::Missing, ..opened } } else { opened }
}

async fn open_store(location: &StoreLocation, embeddings: &EmbeddingArguments) -> Result<String> {
    let store = location.open().await?;
    let catalog = read_catalog(&store.index, &store.location).await?.unwrap_or_default();
    open_documents(store.clone(), embeddings, WithoutDocuments::Stop).await?;
    let chunks = counted(store.index.chunk_count().await?, "chunk");
    let language = catalog.language.as_deref().unwrap_or("none");
    let model = match &catalog.embedded_by {
        Some(model) => format!("embeddings of `{}` ({} dimensions)", model.model, model.dimensions),
        None => "no embeddings".to_owned(),
    };
    Ok(format!("`{}`: {chunks}, language {language}, {model}", store.location))
}

async fn ask_model() -> Result<String> {
    let model = ask::from_environment()?;
    let history = ChatHistory::from(vec![ChatMessage::user("Reply with OK.")]);
    model.complete(&history, &ChatOptions::new()).await?;
    Ok(format!("`{}` answers", model.model_id()))
}

async fn embed(arguments: &EmbeddingArguments) -> Result<String> {
    let model = arguments.open(None)?.ok_or_else(|| anyhow!("there is no model"))?.generator;
    let made = model.generate(&[SAMPLE.to_owned()], &EmbeddingSettings::default()).await?;
    let dimensions = made.vectors.first().map_or(0, |vector| vector.len());
    Ok(format!("`{}` makes {dimensions} dimensions", model.model_id()))
}

async fn score(model: &RerankModel) -> Result<String> {
    let model = model.open()?;
    model.rerank(SAMPLE, &[SAMPLE.to_owned()]).await?;
    Ok(format!("`{}` scores texts", model.name()))
}

async fn search(name: &str, endpoint: Option<&str>) -> Result<String> {
    let search = web::open(name, endpoint)?;
    let results = search.search(SAMPLE, &SearchOptions::top(1)).await?.into_vec().await?;
    Ok(format!("`{name}` answers with {}", counted(results.len() as u64, "result")))
}

/// Counts a variable that isn't Unicode as set: the check that reads it reports the fault.
fn is_set(name: &str) -> bool {
    variable("textsearch", name).map_or(true, |value| value.is_some())
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Check { name, status, detail, seconds } in &self.checks {
            let status = match status {
                Status::Ok => "ok",
                Status::Failed => "failed",
                Status::Missing => "missing",
            };
            writeln!(formatter, "{status:<8}{name}: {} ({seconds:.1} s)", written_out(detail))?;
        }
        for (is_set, heading) in [(true, "keys set"), (false, "keys not set")] {
            let keys = self.keys.iter().filter(|(_, set)| **set == is_set);
            let keys: Vec<&str> = keys.map(|(name, _)| *name).collect();
            let keys = if keys.is_empty() { "none".to_owned() } else { keys.join(", ") };
            writeln!(formatter, "{heading}: {keys}")?;
        }
        Ok(())
    }
}
