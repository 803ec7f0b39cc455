//! Embeddings without a model.

use std::sync::{Arc, Mutex};

use textsearch_core::{
    Error, Result, async_trait,
    vector::{EmbeddingGenerator, EmbeddingPurpose, EmbeddingSettings, Embeddings},
};

/// An embedding generator for tests: texts that share words have similar vectors. It records its
/// texts.
///
/// A vector counts the words of a text, and has length 1. Each word's position depends on its
/// letters.
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
        asked.filter(|(found, _)| *found == purpose).map(|(_, text)| text).collect()
    }

    /// Returns the vector of one text.
    pub fn embed(&self, text: &str) -> Arc<[f32]> {
        embedded(text, self.dimensions)
    }

    fn asked(&self) -> Vec<(EmbeddingPurpose, String)> {
        self.asked.lock().expect("nothing panics here").clone()
    }
}

fn embedded(text: &str, dimensions: usize) -> Arc<[f32]> {
    let mut vector = vec![0.0_f32; dimensions];
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    for word in words.filter(|word| !word.is_empty()) {
        let place = place_of(&word.to_lowercase()) % dimensions as u64;
        if let Some(element) = vector.get_mut(place as usize) {
            *element += 1.0;
        }
    }
    let length = vector.iter().map(|element| element * element).sum::<f32>().sqrt();
    match vector.first_mut() {
        // The text has no words.
        Some(first) if length == 0.0 => *first = 1.0,
        _ => vector.iter_mut().for_each(|element| *element /= length),
    }
    vector.into()
}

/// FNV-1a is the same on every machine.
fn place_of(word: &str) -> u64 {
    word.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
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
        Ok(Embeddings::new(texts.iter().map(|text| embedded(text, dimensions)).collect()))
    }
}
