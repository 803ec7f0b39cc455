//! Turning texts into vectors.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};

use crate::Result;

/// A model that turns texts into vectors.
#[async_trait]
pub trait EmbeddingGenerator: Send + Sync {
    /// The model's identifier, as its provider spells it.
    fn model_id(&self) -> &str;

    /// Returns the provider, such as `openai`, for spans; `None` if it is unknown. A wrapper returns that of its model.
    fn provider(&self) -> Option<&str> {
        None
    }

    /// The number of elements of the vectors it makes by default, where that is known beforehand.
    fn dimensions(&self) -> Option<usize>;

    /// Makes one vector of each of `texts`, in their order.
    ///
    /// # Errors
    ///
    /// [`Embedding`](crate::ErrorKind::Embedding) where the model cannot embed a text, and any kind that a remote
    /// service can answer with. Either all texts are embedded or the call fails.
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

    async fn generate(&self, texts: &[String], settings: &EmbeddingSettings) -> Result<Embeddings> {
        (**self).generate(texts, settings).await
    }
}

/// What may differ from one call of an [`EmbeddingGenerator`] to the next.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct EmbeddingSettings {
    /// The number of elements to ask for, where the model can shorten its vectors.
    pub dimensions: Option<usize>,
    /// What the vectors are for: some models embed questions and answers differently.
    pub purpose: EmbeddingPurpose,
    /// Settings of one provider, by its own names.
    pub extra: Map<String, Value>,
}

impl EmbeddingSettings {
    /// The default settings for `purpose`.
    pub fn new(purpose: EmbeddingPurpose) -> Self {
        Self { purpose, ..Self::default() }
    }
}

/// What a vector is made for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum EmbeddingPurpose {
    /// To be stored and found.
    #[default]
    Document,
    /// To find what is stored.
    Query,
}

/// The vectors of one call, and what they cost.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Embeddings {
    /// One vector a text, in order.
    pub vectors: Vec<Arc<[f32]>>,
    /// The number of tokens that the texts came to, where the provider says so.
    pub tokens: Option<u64>,
}

impl Embeddings {
    /// The given vectors, at a cost that is not known.
    pub fn new(vectors: Vec<Arc<[f32]>>) -> Self {
        Self { vectors, tokens: None }
    }
}
