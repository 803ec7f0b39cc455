//! A hosted model, which knows no prefixes, with prefixes before its texts.

use textsearch_core::{
    Result, async_trait,
    vector::{EmbeddingGenerator, EmbeddingPurpose, EmbeddingSettings, Embeddings},
};

use super::Prefixes;

/// Puts prefixes before the texts of another model.
pub(super) struct Prefixed<G> {
    generator: G,
    prefixes: Prefixes,
}

impl<G> Prefixed<G> {
    /// `generator` behind `prefixes`.
    pub(super) fn new(generator: G, prefixes: &Prefixes) -> Self {
        Self { generator, prefixes: prefixes.clone() }
    }
}

#[async_trait]
impl<G: EmbeddingGenerator> EmbeddingGenerator for Prefixed<G> {
    fn model_id(&self) -> &str {
        self.generator.model_id()
    }

    fn provider(&self) -> Option<&str> {
        self.generator.provider()
    }

    fn dimensions(&self) -> Option<usize> {
        self.generator.dimensions()
    }

    async fn generate(&self, texts: &[String], settings: &EmbeddingSettings) -> Result<Embeddings> {
        let prefix = match settings.purpose {
            EmbeddingPurpose::Query => &self.prefixes.query,
            _ => &self.prefixes.passage,
        };
        match prefix.as_deref() {
            None | Some("") => self.generator.generate(texts, settings).await,
            Some(prefix) => {
                let texts: Vec<String> =
                    texts.iter().map(|text| format!("{prefix}{text}")).collect();
                self.generator.generate(&texts, settings).await
            }
        }
    }
}
