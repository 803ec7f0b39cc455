//! Settings.

use std::{
    num::NonZero,
    path::{Path, PathBuf},
};

use crate::Precision;

/// The model's folder, and overrides for the settings in its files.
///
/// ```
/// use std::num::NonZero;
/// use textsearch_embeddings_local::LocalEmbeddingsConfig;
///
/// let mut config = LocalEmbeddingsConfig::new("models/e5-small-v2")
///     .with_query_prefix("query: ")
///     .with_document_prefix("passage: ");
/// config.threads = Some(NonZero::<usize>::MIN);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LocalEmbeddingsConfig {
    /// The folder with `tokenizer.json`, `model.safetensors` and, for most models, `config.json`.
    pub folder: PathBuf,
    /// The model's name in errors and next to its vectors. Default: the folder's name, `-int8` with
    /// [`Precision::Int8`], an `@`, and the first eight digits of the
    /// [fingerprint](crate::LocalEmbeddings::fingerprint).
    ///
    /// Another name than that doesn't tell weights and precisions apart: a store that keeps no
    /// fingerprint would mix their vectors.
    pub model_id: Option<String>,
    /// The prefix of each query. Default: the prompt `query` of the folder's
    /// `config_sentence_transformers.json`, or its default prompt.
    pub query_prefix: Option<String>,
    /// The prefix of each document. Default: the prompt `document`, `passage` or `corpus` of
    /// `config_sentence_transformers.json`, or its default prompt.
    pub document_prefix: Option<String>,
    /// The maximum tokens per text, including the start and end tokens. Longer texts are truncated.
    /// Default: the limit in the folder's files, but at most 8,192. It can't exceed the model's
    /// number of positions, nor 8,192.
    ///
    /// Each thread of a BERT keeps about 4 bytes × (6 × hidden size + intermediate size) per token of
    /// its longest text. With sizes of 1,024 and 4,096, that is 41 KB per token, or 340 MB for 8,192
    /// tokens.
    pub max_tokens: Option<usize>,
    /// The numbers that the model computes with. Default: [`Precision::F32`].
    pub precision: Precision,
    /// The number of threads that embed at once. Default: the available parallelism of the machine.
    pub threads: Option<NonZero<usize>>,
}

impl LocalEmbeddingsConfig {
    /// Configures the model in `folder`, with the settings in its files.
    pub fn new(folder: impl AsRef<Path>) -> Self {
        Self {
            folder: folder.as_ref().to_owned(),
            model_id: None,
            query_prefix: None,
            document_prefix: None,
            max_tokens: None,
            precision: Precision::default(),
            threads: None,
        }
    }

    /// Sets the numbers that the model computes with.
    #[must_use]
    pub fn with_precision(mut self, precision: Precision) -> Self {
        self.precision = precision;
        self
    }

    /// Sets the prefix of each query. An empty prefix disables the model's own.
    #[must_use]
    pub fn with_query_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.query_prefix = Some(prefix.into());
        self
    }

    /// Sets the prefix of each document. An empty prefix disables the model's own.
    #[must_use]
    pub fn with_document_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.document_prefix = Some(prefix.into());
        self
    }
}

/// The reranking model's folder, and overrides for the settings in its files.
///
/// ```
/// use textsearch_embeddings_local::LocalRerankerConfig;
///
/// let mut config = LocalRerankerConfig::new("models/ms-marco-MiniLM-L6-v2");
/// config.max_tokens = Some(256);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LocalRerankerConfig {
    /// The folder with `config.json`, `tokenizer.json` and `model.safetensors`.
    pub folder: PathBuf,
    /// The model's name in errors. Default: the folder's name.
    pub model_id: Option<String>,
    /// The maximum tokens per pair of query and text, or per text for late interaction, including the
    /// start and end tokens. What is longer is truncated. Default: the limit in the folder's files, but
    /// at most 8,192. It can't exceed the model's number of positions, nor 8,192.
    ///
    /// Memory grows with it, as in [`LocalEmbeddingsConfig::max_tokens`], and time slightly faster.
    pub max_tokens: Option<usize>,
    /// The numbers that the model computes with. Default: [`Precision::F32`].
    pub precision: Precision,
    /// The number of threads that score at once. Default: the available parallelism of the machine.
    pub threads: Option<NonZero<usize>>,
}

impl LocalRerankerConfig {
    /// Configures the model in `folder`, with the settings in its files.
    pub fn new(folder: impl AsRef<Path>) -> Self {
        Self {
            folder: folder.as_ref().to_owned(),
            model_id: None,
            max_tokens: None,
            precision: Precision::default(),
            threads: None,
        }
    }

    /// Sets the numbers that the model computes with.
    #[must_use]
    pub fn with_precision(mut self, precision: Precision) -> Self {
        self.precision = precision;
        self
    }
}
