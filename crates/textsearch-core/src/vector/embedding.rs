//! Embedding generators.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};

use crate::Result;

/// A model that turns texts into vectors.
///
/// Put [`#[async_trait]`](crate::async_trait) on each `impl`. Without it, the compiler reports E0195:
/// "lifetimes do not match method in trait".
///
/// # Behavior
///
/// - A vector depends on its text and the settings, not on the other texts of the call. Its elements
///   are finite, and not all zeros.
/// - A call takes any number of texts, including none. An empty text has a vector, or fails the
///   call.
/// - A setting is applied, or refused as [`InvalidOptions`](crate::ErrorKind::InvalidOptions).
/// - Many callers may embed at once. No call blocks its thread. Dropping a call ends its work.
/// - No error or log contains a key.
#[async_trait]
pub trait EmbeddingGenerator: Send + Sync {
    /// Returns the model's identifier, as its provider spells it.
    fn model_id(&self) -> &str;

    /// Returns the provider, such as `openai`, for spans; `None` if unknown. A wrapper returns its
    /// model's provider.
    fn provider(&self) -> Option<&str> {
        None
    }

    /// Returns the default length of vectors, if known in advance.
    fn dimensions(&self) -> Option<usize>;

    /// Returns how many tokens of a document the model embeds, apart from its own prefix and marks; it
    /// leaves the rest out. `None` if unknown. A wrapper returns its model's number.
    fn max_document_tokens(&self) -> Option<usize> {
        None
    }

    /// Returns the number of tokens of `text` alone, or `None` if unknown. A wrapper returns its model's
    /// number.
    fn count_tokens(&self, _text: &str) -> Option<usize> {
        None
    }

    /// Returns one vector per text, in order.
    ///
    /// # Errors
    ///
    /// Returns [`Embedding`](crate::ErrorKind::Embedding) if the model cannot embed a text, and any
    /// kind that a remote service causes. No text is embedded then.
    async fn generate(&self, texts: &[String], settings: &EmbeddingSettings) -> Result<Embeddings>;
}

#[async_trait]
impl<G: EmbeddingGenerator + ?Sized> EmbeddingGenerator for Arc<G> {
    fn model_id(&self) -> &str {
        (**self).model_id()
    }

    fn provider(&self) -> Option<&str> {
        (**self).provider()
    }

    fn dimensions(&self) -> Option<usize> {
        (**self).dimensions()
    }

    fn max_document_tokens(&self) -> Option<usize> {
        (**self).max_document_tokens()
    }

    fn count_tokens(&self, text: &str) -> Option<usize> {
        (**self).count_tokens(text)
    }

    async fn generate(&self, texts: &[String], settings: &EmbeddingSettings) -> Result<Embeddings> {
        (**self).generate(texts, settings).await
    }
}

/// Settings for one call.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct EmbeddingSettings {
    /// The length of vectors to request, if the model can shorten them.
    pub dimensions: Option<usize>,
    /// The purpose of the vectors: some models embed questions and documents differently.
    pub purpose: EmbeddingPurpose,
    /// Provider-specific settings, by the provider's own names.
    pub extra: Map<String, Value>,
}

impl EmbeddingSettings {
    /// Returns the defaults for `purpose`.
    pub fn new(purpose: EmbeddingPurpose) -> Self {
        Self { purpose, ..Self::default() }
    }
}

/// The purpose of a vector.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "vector search has two sides")]
pub enum EmbeddingPurpose {
    /// To be stored and found.
    #[default]
    Document,
    /// To find stored vectors.
    Query,
}

/// The vectors and the cost of one call.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Embeddings {
    /// One vector per text, in order.
    pub vectors: Vec<Arc<[f32]>>,
    /// The number of tokens in the texts, if known.
    pub tokens: Option<u64>,
}

impl Embeddings {
    /// Wraps vectors whose cost is unknown.
    pub fn new(vectors: Vec<Arc<[f32]>>) -> Self {
        Self { vectors, tokens: None }
    }
}
