//! Embeddings without a model.

use std::sync::{Arc, Mutex};

use textsearch_core::{
    Error, Result, async_trait,
    vector::{EmbeddingGenerator, EmbeddingPurpose, EmbeddingSettings, Embeddings},
};

use crate::words::vector;

/// An embedding generator for tests: texts that share words have similar vectors. It records its
/// texts.
///
/// A vector counts the words of a text, and has length 1. Each word's position and sign depend on
/// its letters.
///
/// ```
/// use textsearch_conformance::{core::vector::{EmbeddingGenerator, EmbeddingSettings}, vector::WordEmbeddings};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_conformance::core::Result<()> {
/// let words = WordEmbeddings::new(32);
/// let texts = ["a red apple", "Apple, red!"].map(String::from);
/// let made = words.generate(&texts, &EmbeddingSettings::default()).await?;
/// assert_eq!(made.vectors[0].len(), 32);
/// assert_eq!(words.texts(), texts);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct WordEmbeddings {
    dimensions: usize,
    asked: Mutex<Vec<(EmbeddingPurpose, String)>>,
}

impl WordEmbeddings {
    /// Makes a generator of vectors with `dimensions` elements, at least one.
    pub fn new(dimensions: usize) -> Self {
        Self { dimensions: dimensions.max(1), asked: Mutex::default() }
    }

    /// Returns the embedded texts, in order.
    pub fn texts(&self) -> Vec<String> {
        self.asked().into_iter().map(|(_, text)| text).collect()
    }

    /// Returns the texts embedded for `purpose`, in order.
    pub fn texts_for(&self, purpose: EmbeddingPurpose) -> Vec<String> {
        let asked = self.asked().into_iter();
        asked.filter(|(actual, _)| *actual == purpose).map(|(_, text)| text).collect()
    }

    /// Returns the vector of one text.
    pub fn embed(&self, text: &str) -> Arc<[f32]> {
        vector(text, self.dimensions).into()
    }

    fn asked(&self) -> Vec<(EmbeddingPurpose, String)> {
        self.asked.lock().expect("nothing panics here").clone()
    }
}

#[async_trait]
impl EmbeddingGenerator for WordEmbeddings {
    fn model_id(&self) -> &str {
        "words"
    }

    fn dimensions(&self) -> Option<usize> {
        Some(self.dimensions)
    }

    async fn generate(&self, texts: &[String], settings: &EmbeddingSettings) -> Result<Embeddings> {
        let dimensions = settings.dimensions.unwrap_or(self.dimensions);
        if dimensions == 0 {
            return Err(Error::invalid_options("words", "dimensions", 0, "at least 1"));
        }
        let asked = texts.iter().map(|text| (settings.purpose, text.clone()));
        self.asked.lock().expect("nothing panics here").extend(asked);
        Ok(Embeddings::new(texts.iter().map(|text| vector(text, dimensions).into()).collect()))
    }
}
