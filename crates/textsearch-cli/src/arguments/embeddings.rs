//! The arguments that select an embedding model and its prefixes.

use clap::Args;
use textsearch_documents::ingest::Prefixes;

use crate::corpus::embeddings::EmbeddingModel;

const HEADING: &str = "Embeddings";

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct EmbeddingArguments {
    /// Embedding model, for searches by meaning: openai:MODEL or local:FOLDER.
    ///
    /// openai:MODEL uses any server with an OpenAI-compatible API, through OPENAI_API_KEY and
    /// OPENAI_BASE_URL. local:FOLDER uses a model on this machine, and needs the feature
    /// `local-embeddings`. A store accepts only the model that it was indexed with.
    #[arg(id = "embeddings", long = "embeddings", value_name = "MODEL", help_heading = HEADING)]
    pub(crate) model: Option<EmbeddingModel>,

    #[command(flatten)]
    pub(crate) prefixes: PrefixArguments,
}

/// Prefixes of embedded texts, for models that were trained with them.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct PrefixArguments {
    /// Prefix of queries, such as 'query: ' for E5 [default: the store's, else the model folder's].
    #[arg(long, value_name = "TEXT", requires = "embeddings", help_heading = HEADING)]
    pub(crate) query_prefix: Option<String>,

    /// Prefix of passages, such as 'passage: ' for E5 [default: the store's, else the model
    /// folder's].
    ///
    /// A store accepts only one.
    #[arg(long, value_name = "TEXT", requires = "embeddings", help_heading = HEADING)]
    pub(crate) passage_prefix: Option<String>,
}

impl PrefixArguments {
    pub(crate) fn asked(&self) -> Prefixes {
        let mut prefixes = Prefixes::default();
        prefixes.query.clone_from(&self.query_prefix);
        prefixes.passage.clone_from(&self.passage_prefix);
        prefixes
    }
}
