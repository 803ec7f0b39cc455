//! The settings as plain data; what they may be is checked by `LocalEmbeddings::new`.

use std::{
    num::NonZero,
    path::{Path, PathBuf},
};

/// Which folder holds the model, and what differs from what its files say.
///
/// ```
/// use std::num::NonZero;
/// use textsearch_embeddings_local::LocalEmbeddingsConfig;
///
/// let config = LocalEmbeddingsConfig::new("models/e5-small-v2")
///     .with_query_prefix("query: ")
///     .with_document_prefix("passage: ")
///     .with_threads(NonZero::<usize>::MIN);
/// assert_eq!(config.max_tokens, None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LocalEmbeddingsConfig {
    /// The folder with `config.json`, `tokenizer.json` and `model.safetensors`.
    pub folder: PathBuf,
    /// What the model is called in errors and beside the vectors that it made; where this is not set, the folder's name,
    /// an `@`, and the first eight digits of its [fingerprint](crate::LocalEmbeddings::fingerprint).
    pub model_id: Option<String>,
    /// What stands before each text that is embedded to find others; where this is not set, the prompt `query` of the
    /// folder's `config_sentence_transformers.json`, or its default prompt.
    pub query_prefix: Option<String>,
    /// What stands before each text that is embedded to be found; where this is not set, the prompt `document`,
    /// `passage` or `corpus` of `config_sentence_transformers.json`, or its default prompt.
    pub document_prefix: Option<String>,
    /// The most tokens of a text, those that mark its beginning and its end included; what is longer is cut. The
    /// folder's files say how many where this is not set; it cannot be more than there are positions in the model, nor
    /// than 8,192: a model whose files say more needs this to be set. A thread takes about 4 bytes × (6 × hidden size +
    /// intermediate size) for each token of its longest text, and keeps them: with a model of 1,024 and 4,096 it is 41 KB,
    /// 340 MB for 8,192 tokens.
    pub max_tokens: Option<usize>,
    /// How many threads embed at once: as many as the machine runs at once where this is not set.
    pub threads: Option<NonZero<usize>>,
}

impl LocalEmbeddingsConfig {
    /// The model in `folder`, as its files say.
    pub fn new(folder: impl AsRef<Path>) -> Self {
        Self {
            folder: folder.as_ref().to_owned(),
            model_id: None,
            query_prefix: None,
            document_prefix: None,
            max_tokens: None,
            threads: None,
        }
    }

    /// Sets what the model is called.
    #[must_use]
    pub fn with_model_id(mut self, model_id: impl Into<String>) -> Self {
        self.model_id = Some(model_id.into());
        self
    }

    /// Sets what stands before each query; an empty prefix takes the model's own away.
    #[must_use]
    pub fn with_query_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.query_prefix = Some(prefix.into());
        self
    }

    /// Sets what stands before each document; an empty prefix takes the model's own away.
    #[must_use]
    pub fn with_document_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.document_prefix = Some(prefix.into());
        self
    }

    /// Cuts texts at so many tokens.
    #[must_use]
    pub fn with_max_tokens(mut self, max_tokens: usize) -> Self {
        self.max_tokens = Some(max_tokens);
        self
    }

    /// Sets how many threads embed at once. Default: one per processor core.
    #[must_use]
    pub fn with_threads(mut self, threads: NonZero<usize>) -> Self {
        self.threads = Some(threads);
        self
    }
}
