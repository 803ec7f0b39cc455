//! The arguments that select an embedding model and its prefixes.

use clap::Args;
use textsearch_documents::ingest::Prefixes;

use crate::corpus::embeddings::EmbeddingModel;

/// The heading in the help.
const HEADING: &str = "Embeddings";

/// The model that makes embeddings: of documents where they are read, and of queries.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct EmbeddingArguments {
    /// Make embeddings with this model, so that searches by meaning are possible: openai:MODEL (any server that speaks
    /// OpenAI's API, by OPENAI_API_KEY and OPENAI_BASE_URL) or local:FOLDER. A store keeps to the model that it was
    /// indexed with.
    #[arg(id = "embeddings", long = "embeddings", value_name = "MODEL", help_heading = HEADING)]
    pub(crate) model: Option<EmbeddingModel>,

    #[command(flatten)]
    pub(crate) prefixes: PrefixArguments,
}

/// What stands before texts when they are embedded, for models that were trained so.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct PrefixArguments {
    /// Put this before each query that is embedded, such as 'query: ' for E5 [default: that of the store, else what the
    /// model's folder says].
    #[arg(long, value_name = "TEXT", requires = "embeddings", help_heading = HEADING)]
    pub(crate) query_prefix: Option<String>,

    /// Put this before each passage of a document that is embedded, such as 'passage: ' for E5 [default: that of the
    /// store, else what the model's folder says]. A store keeps to one.
    #[arg(long, value_name = "TEXT", requires = "embeddings", help_heading = HEADING)]
    pub(crate) passage_prefix: Option<String>,
}

impl PrefixArguments {
    /// The prefixes that the user asks for.
    pub(crate) fn asked(&self) -> Prefixes {
        let mut prefixes = Prefixes::default();
        prefixes.query.clone_from(&self.query_prefix);
        prefixes.passage.clone_from(&self.passage_prefix);
        prefixes
    }
}
