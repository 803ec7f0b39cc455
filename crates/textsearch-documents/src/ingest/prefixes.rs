//! Prefixes of texts, for models such as E5 and BGE.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use textsearch_core::{
    Result, async_trait,
    vector::{EmbeddingGenerator, EmbeddingPurpose, EmbeddingSettings, Embeddings},
};

/// Prefixes of texts. `None` means no prefix, or the prefix in the model's own files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Prefixes {
    /// Before each query.
    #[serde(default, rename = "query_prefix", skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Before each passage of a document.
    #[serde(default, rename = "passage_prefix", skip_serializing_if = "Option::is_none")]
    pub passage: Option<String>,
}

pub(super) struct Prefixed {
    generator: Arc<dyn EmbeddingGenerator>,
    prefixes: Prefixes,
}

impl Prefixed {
    pub(super) fn new(generator: Arc<dyn EmbeddingGenerator>, prefixes: Prefixes) -> Self {
        Self { generator, prefixes }
    }
}

#[async_trait]
impl EmbeddingGenerator for Prefixed {
    fn model_id(&self) -> &str {
        self.generator.model_id()
    }

    fn provider(&self) -> Option<&str> {
        self.generator.provider()
    }

    fn dimensions(&self) -> Option<usize> {
        self.generator.dimensions()
    }

    fn max_document_tokens(&self) -> Option<usize> {
        let prefix = self.prefixes.passage.as_deref().unwrap_or_default();
        let max = self.generator.max_document_tokens()?;
        Some(max.saturating_sub(self.generator.count_tokens(prefix)?))
    }

    fn count_tokens(&self, text: &str) -> Option<usize> {
        self.generator.count_tokens(text)
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

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::ingest::Embedder;

    #[derive(Default)]
    struct Noting(Mutex<Vec<String>>);

    #[async_trait]
    impl EmbeddingGenerator for Noting {
        fn model_id(&self) -> &str {
            "noting"
        }

        fn dimensions(&self) -> Option<usize> {
            None
        }

        fn max_document_tokens(&self) -> Option<usize> {
            Some(100)
        }

        fn count_tokens(&self, text: &str) -> Option<usize> {
            Some(text.split_whitespace().count())
        }

        async fn generate(&self, texts: &[String], _: &EmbeddingSettings) -> Result<Embeddings> {
            self.0.lock().unwrap().extend_from_slice(texts);
            Ok(Embeddings::new(Vec::new()))
        }
    }

    async fn embedded(prefixes: Prefixes, purpose: EmbeddingPurpose) -> Vec<String> {
        let model = Arc::new(Noting::default());
        let embedder = Embedder::new(Arc::clone(&model)).with_prefixes(prefixes.clone());
        assert_eq!(embedder.prefixes, prefixes);
        let mut settings = EmbeddingSettings::default();
        settings.purpose = purpose;
        embedder.generator.generate(&["text".to_owned()], &settings).await.unwrap();
        model.0.lock().unwrap().clone()
    }

    #[tokio::test]
    async fn queries_and_passages_get_their_prefixes() {
        let [query, passage] = ["query: ", "passage: "].map(|prefix| Some(prefix.to_owned()));
        let prefixes = Prefixes { query, passage };
        let query = embedded(prefixes.clone(), EmbeddingPurpose::Query).await;
        assert_eq!(query, ["query: text"]);
        assert_eq!(embedded(prefixes, EmbeddingPurpose::Document).await, ["passage: text"]);
        let none = embedded(Prefixes::default(), EmbeddingPurpose::Query).await;
        assert_eq!(none, ["text"]);
    }

    #[test]
    fn prefix_of_passages_takes_tokens_of_documents() {
        let passage = Some("represent this: ".to_owned());
        let prefixes = Prefixes { query: None, passage };
        let embedder = Embedder::new(Noting::default()).with_prefixes(prefixes);
        assert_eq!(embedder.generator.max_document_tokens(), Some(98));
        assert_eq!(embedder.generator.count_tokens("two words"), Some(2));
    }
}
