//! The arguments that select an embedding model and its prefixes.

use std::{path::PathBuf, str::FromStr};

use clap::Args;
use textsearch_documents::ingest::Prefixes;

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

/// A model named by `--embeddings`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EmbeddingModel {
    OpenAi(String),
    /// A folder with a sentence-transformer model.
    Local(PathBuf),
}

impl FromStr for EmbeddingModel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some(("openai", model)) if !model.is_empty() => Ok(Self::OpenAi(model.to_owned())),
            Some(("local", folder)) if !folder.is_empty() => Ok(Self::Local(folder.into())),
            _ => Err("expected openai:MODEL or local:FOLDER".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_named_with_its_kind() {
        let openai = EmbeddingModel::OpenAi("text-embedding-3-small".to_owned());
        assert_eq!("openai:text-embedding-3-small".parse(), Ok(openai));
        let folder = EmbeddingModel::Local("models/a:b".into());
        assert_eq!("local:models/a:b".parse(), Ok(folder));
        for wrong in ["", "openai", "openai:", "local:", "text-embedding-3-small", "other:x"] {
            let error = wrong.parse::<EmbeddingModel>().unwrap_err();
            assert_eq!(error, "expected openai:MODEL or local:FOLDER", "{wrong}");
        }
    }
}
