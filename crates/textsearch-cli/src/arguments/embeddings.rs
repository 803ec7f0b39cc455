//! The arguments that select an embedding model and its prefixes.

use std::{path::PathBuf, str::FromStr};

use clap::Args;
use textsearch_documents::ingest::Prefixes;

const HEADING: &str = "Embeddings";

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct EmbeddingArguments {
    /// Embedding model, for searches by meaning: openai:MODEL, local:FOLDER or
    /// local-int8:FOLDER.
    ///
    /// openai:MODEL uses any server with an OpenAI-compatible API, through OPENAI_API_KEY and
    /// OPENAI_BASE_URL. local:FOLDER uses a model on this machine, and needs the feature
    /// `local-embeddings`; local-int8:FOLDER computes it with 8-bit weights: about 2.5 times as fast
    /// on x86 processors with VNNI, slower on ARM. A store accepts only the model that it was
    /// indexed with.
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
    pub(crate) fn to_prefixes(&self) -> Prefixes {
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
    /// A sentence-transformer model.
    Local(LocalModel),
}

/// A model in a folder on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LocalModel {
    pub(crate) folder: PathBuf,
    /// Whether it has 8-bit weights.
    pub(crate) is_int8: bool,
}

impl LocalModel {
    /// Parses `local:FOLDER` or `local-int8:FOLDER`, cut at the colon.
    pub(crate) fn parse(kind: &str, folder: &str) -> Option<Self> {
        let is_int8 = match kind {
            "local" => false,
            "local-int8" => true,
            _ => return None,
        };
        (!folder.is_empty()).then(|| Self { folder: folder.into(), is_int8 })
    }

    #[cfg(feature = "local-embeddings")]
    pub(crate) fn precision(&self) -> textsearch_embeddings_local::Precision {
        use textsearch_embeddings_local::Precision;

        if self.is_int8 { Precision::Int8 } else { Precision::F32 }
    }
}

impl FromStr for EmbeddingModel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || "expected openai:MODEL, local:FOLDER or local-int8:FOLDER".to_owned();
        match text.split_once(':').ok_or_else(expected)? {
            ("openai", model) if !model.is_empty() => Ok(Self::OpenAi(model.to_owned())),
            (kind, folder) => LocalModel::parse(kind, folder).map(Self::Local).ok_or_else(expected),
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
        for (text, is_int8) in [("local:models/a:b", false), ("local-int8:models/a:b", true)] {
            let model = LocalModel { folder: "models/a:b".into(), is_int8 };
            assert_eq!(text.parse(), Ok(EmbeddingModel::Local(model)));
        }
        for wrong in
            ["", "openai", "openai:", "local:", "local-int8:", "text-embedding-3-small", "other:x"]
        {
            let error = wrong.parse::<EmbeddingModel>().unwrap_err();
            assert_eq!(
                error, "expected openai:MODEL, local:FOLDER or local-int8:FOLDER",
                "{wrong}"
            );
        }
    }
}
