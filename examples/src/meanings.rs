//! Embeddings without a model, so an example runs offline and always prints the same.

use textsearch_core::{
    Result, async_trait,
    vector::{EmbeddingGenerator, EmbeddingSettings, Embeddings},
};

/// A real model learns these for all words, in hundreds of dimensions.
const SUBJECTS: [&[&str]; 4] = [
    &["account", "login", "passphrase", "password", "sign"],
    &["connection", "network", "refused", "server"],
    &["card", "invoice", "paid", "pay", "refund"],
    &["app", "camera", "phone", "scan"],
];

/// Maps a text to four subjects. A fifth dimension is the same for every text.
pub struct Meanings;

impl Meanings {
    /// The number of elements of each vector.
    pub const DIMENSIONS: usize = SUBJECTS.len() + 1;

    fn vector(text: &str) -> Vec<f32> {
        let words = text.split(|character: char| !character.is_alphanumeric());
        let words: Vec<String> = words.map(str::to_lowercase).collect();
        let is_about = |subject: &&[&str]| {
            let is_told = words.iter().any(|word| subject.contains(&word.as_str()));
            f32::from(u8::from(is_told))
        };
        SUBJECTS.iter().map(is_about).chain([0.5]).collect()
    }
}

#[async_trait]
impl EmbeddingGenerator for Meanings {
    fn model_id(&self) -> &str {
        "four-subjects"
    }

    fn dimensions(&self) -> Option<usize> {
        Some(Self::DIMENSIONS)
    }

    async fn generate(&self, texts: &[String], _: &EmbeddingSettings) -> Result<Embeddings> {
        Ok(Embeddings::new(texts.iter().map(|text| Self::vector(text).into()).collect()))
    }
}
