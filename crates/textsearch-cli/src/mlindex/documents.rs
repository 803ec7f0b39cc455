//! Indexes that `textsearch index` wrote. Their catalog describes the records, which their servers
//! don't.

use std::sync::Arc;

use textsearch_core::{
    Result, TextSearch,
    vector::{EmbeddingGenerator, IndexKind, VectorStore},
};
use textsearch_documents::ingest::{DocumentIndex, EmbeddedBy, Embedder, IngestError};
use textsearch_mlindex::IndexContext;

/// Kinds of search that a store supports.
pub(super) struct Abilities {
    pub(super) full_text: bool,
    pub(super) vector_index: IndexKind,
}

impl Abilities {
    /// Neither full text nor exact search.
    #[cfg(feature = "stores")]
    pub(super) fn approximate_vectors() -> Self {
        Self { full_text: false, vector_index: IndexKind::hnsw() }
    }

    #[cfg(feature = "stores")]
    pub(super) fn all() -> Self {
        Self { full_text: true, vector_index: IndexKind::Exact }
    }
}

pub(super) async fn open(
    mut context: IndexContext,
    store: impl VectorStore + Clone + 'static,
    abilities: Abilities,
) -> Result<Arc<dyn TextSearch>> {
    let name = context.settings.required_index()?;
    let catalog = DocumentIndex::new(store.clone(), name).catalog().await;
    let unknown = || {
        let value = "the name of an index without a catalog";
        context.settings.invalid("index", value, "an index that `textsearch index` wrote")
    };
    let catalog = catalog.map_err(|error| match error {
        IngestError::Backend(error) => error,
        _ => unknown(),
    })?;
    let catalog = catalog.ok_or_else(unknown)?;
    if let (Some(model), Some(made_by)) = (context.embeddings.take(), &catalog.embedded_by) {
        let model_id = model.model_id().to_owned();
        let other = || {
            let value = format!("an index embedded by `{}`", made_by.model);
            let allowed = format!("one embedded by the file's model, `{model_id}`");
            context.settings.invalid("index", &value, &allowed)
        };
        context.embeddings = Some(with_prefixes(model, made_by).ok_or_else(other)?);
    }
    let mut schema = catalog.schema();
    schema.full_text = abilities.full_text;
    let known = schema.with_index(abilities.vector_index).definition()?;
    context.text_search(&store, known)
}

/// Returns the model with the prefixes that the index was made with, unless another model made it.
fn with_prefixes(
    model: Arc<dyn EmbeddingGenerator>,
    made_by: &EmbeddedBy,
) -> Option<Arc<dyn EmbeddingGenerator>> {
    // The weights identify a local model. They can't be compared here, and it adds its own prefixes.
    if made_by.fingerprint.is_some() {
        return Some(model);
    }
    let embedder = Embedder::new(model).with_prefixes(made_by.prefixes.clone());
    made_by.check(&embedder).is_ok().then_some(embedder.generator)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use textsearch_core::{
        async_trait,
        vector::{EmbeddingPurpose, EmbeddingSettings, Embeddings},
    };

    use super::*;

    /// Writes the length of a text into its vector.
    struct Lengths;

    #[async_trait]
    impl EmbeddingGenerator for Lengths {
        fn model_id(&self) -> &str {
            "lengths"
        }

        fn dimensions(&self) -> Option<usize> {
            Some(1)
        }

        async fn generate(&self, texts: &[String], _: &EmbeddingSettings) -> Result<Embeddings> {
            Ok(Embeddings::new(texts.iter().map(|text| [text.len() as f32].into()).collect()))
        }
    }

    fn made_by(model: &str) -> EmbeddedBy {
        let made_by = json!({ "model": model, "dimensions": 1, "query_prefix": "query: " });
        serde_json::from_value(made_by).unwrap()
    }

    #[tokio::test]
    async fn queries_get_the_prefix_of_the_index() {
        let model = with_prefixes(Arc::new(Lengths), &made_by("lengths")).unwrap();
        let settings = EmbeddingSettings::new(EmbeddingPurpose::Query);
        let made = model.generate(&["cat".to_owned()], &settings).await.unwrap();
        assert_eq!(made.vectors[0][..], ["query: cat".len() as f32]);
    }

    #[test]
    fn an_index_of_another_model_is_refused() {
        assert!(with_prefixes(Arc::new(Lengths), &made_by("other")).is_none());
    }
}
