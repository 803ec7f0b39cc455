//! The arguments of `textsearch doctor`.

use clap::Args;

use super::{EmbeddingArguments, OutputFormat};
use crate::corpus::reranker::RerankModel;

const DOCTOR_EXAMPLES: &str = "\
Examples:
  textsearch doctor
  textsearch doctor --store notes.index --embeddings openai:text-embedding-3-small
  textsearch doctor --source searxng --endpoint http://127.0.0.1:8080
  OPENAI_BASE_URL=http://localhost:11434/v1 OPENAI_MODEL=llama3.2 textsearch doctor --output json

Checks only what the arguments and the model's variables name, each for at most 30 s:
  embeddings  the model embeds a word
  store       opens, and fits the model of --embeddings; without --store, the default store if it exists
  model       the model of `textsearch ask` in OPENAI_MODEL or ANTHROPIC_MODEL answers a short question
  reranker    the model scores a text
  source      the connector finds a page. A search may cost money, so the others are left alone

Also lists which keys are set. Their values are never printed.

Exit codes: 0 all checks passed; 1 a check failed; 2 wrong usage.";

/// Check that the store, the models and the connectors work, and list which keys are set.
#[derive(Debug, Args)]
#[command(after_long_help = DOCTOR_EXAMPLES)]
pub(crate) struct DoctorArguments {
    /// Store to open: a folder, or a collection on a server [default: .textsearch/index].
    #[arg(long, value_name = "URI")]
    pub(crate) store: Option<String>,

    #[command(flatten)]
    pub(crate) embeddings: EmbeddingArguments,

    /// Model to score a text with, as for `textsearch search --rerank`: a URL, local:FOLDER
    /// or local-int8:FOLDER.
    #[arg(long, value_name = "MODEL")]
    pub(crate) rerank: Option<RerankModel>,

    /// Connector to search with, as for `textsearch search --source`.
    #[arg(long, value_name = "NAME")]
    pub(crate) source: Option<String>,

    /// Override the URL of the connector's service.
    #[arg(long, value_name = "URL", requires = "source")]
    pub(crate) endpoint: Option<String>,

    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) output: OutputFormat,
}
