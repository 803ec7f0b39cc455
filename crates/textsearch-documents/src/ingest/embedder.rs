//! The embedding model of an index.

use std::{fmt, sync::Arc};

use serde::{Deserialize, Serialize};
use textsearch_core::{
    Error, ErrorKind,
    vector::{EmbeddingGenerator, EmbeddingSettings},
};

use super::{
    error::{ModelMismatch, Result},
    prefixes::{Prefixed, Prefixes},
};
use crate::CONNECTOR;

/// An embedding model with the data that identifies it.
#[derive(Clone)]
#[non_exhaustive]
pub struct Embedder {
    /// The model, prefixes included.
    pub generator: Arc<dyn EmbeddingGenerator>,
    /// A hash of the weights; `None` if the id identifies the model.
    pub fingerprint: Option<String>,
    /// The prefixes of texts. A changed passage prefix is rejected, like a changed model.
    pub prefixes: Prefixes,
}

impl Embedder {
    /// Creates an embedder for a model that its id identifies, without prefixes.
    pub fn new(generator: impl EmbeddingGenerator + 'static) -> Self {
        let generator = Arc::new(generator);
        Self { generator, fingerprint: None, prefixes: Prefixes::default() }
    }

    /// Identifies the model by a fingerprint of its weights, regardless of its id.
    #[must_use]
    pub fn with_fingerprint(mut self, fingerprint: impl Into<String>) -> Self {
        self.fingerprint = Some(fingerprint.into());
        self
    }

    /// Puts prefixes before the texts of a model that has none, such as E5 behind a hosted API.
    /// Call it once.
    #[must_use]
    pub fn with_prefixes(mut self, prefixes: Prefixes) -> Self {
        self.generator = Arc::new(Prefixed::new(self.generator, prefixes.clone()));
        self.with_own_prefixes(prefixes)
    }

    /// Records the prefixes that the model itself puts before texts.
    #[must_use]
    pub fn with_own_prefixes(mut self, prefixes: Prefixes) -> Self {
        self.prefixes = prefixes;
        self
    }
}

impl fmt::Debug for Embedder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = formatter.debug_struct("Embedder");
        debug.field("model", &self.generator.model_id()).field("fingerprint", &self.fingerprint);
        debug.field("prefixes", &self.prefixes).finish_non_exhaustive()
    }
}

/// The model that made the embeddings of an index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EmbeddedBy {
    /// The id of the model.
    pub model: String,
    /// A hash of the weights, if the id doesn't identify the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// The length of its vectors.
    pub dimensions: usize,
    /// The prefixes that it used.
    #[serde(flatten)]
    pub prefixes: Prefixes,
}

impl EmbeddedBy {
    pub(super) fn new(embedder: &Embedder, dimensions: usize) -> Self {
        let Embedder { generator, fingerprint, prefixes, .. } = embedder;
        let model = generator.model_id().to_owned();
        Self { model, fingerprint: fingerprint.clone(), dimensions, prefixes: prefixes.clone() }
    }

    /// Embeds one text if the model doesn't know its dimensions.
    pub(super) async fn measured(embedder: &Embedder) -> Result<Self> {
        let generator = &embedder.generator;
        if let Some(dimensions) = generator.dimensions() {
            return Ok(Self::new(embedder, dimensions));
        }
        let made = generator.generate(&["text".to_owned()], &EmbeddingSettings::default()).await?;
        let vector = made.vectors.first().ok_or_else(|| {
            let message = format!("the model `{}` returned no vector", generator.model_id());
            Error::new(ErrorKind::Embedding, CONNECTOR, message)
        })?;
        Ok(Self::new(embedder, vector.len()))
    }

    /// Checks that the vectors of `embedder` are comparable with the vectors of the index.
    ///
    /// # Errors
    ///
    /// Returns [`OtherModel`](ModelMismatch::OtherModel) or
    /// [`OtherPrefix`](ModelMismatch::OtherPrefix) if they aren't.
    pub fn check(&self, embedder: &Embedder) -> Result<(), ModelMismatch> {
        let Self { model, fingerprint, dimensions, prefixes } = self;
        let requested = embedder.generator.model_id();
        let is_same = match fingerprint {
            Some(_) => *fingerprint == embedder.fingerprint,
            // A hosted model, or a local model in an index from an earlier version.
            None => requested == model,
        };
        // A server may not know its dimensions yet. The vectors are checked later.
        let requested_dimensions = embedder.generator.dimensions().unwrap_or(*dimensions);
        if !is_same || requested_dimensions != *dimensions {
            let model = model.clone();
            let requested = requested.to_owned();
            let dimensions = *dimensions;
            return Err(ModelMismatch::OtherModel {
                model,
                dimensions,
                requested,
                requested_dimensions,
            });
        }
        if embedder.prefixes.passage == prefixes.passage {
            return Ok(());
        }
        Err(ModelMismatch::OtherPrefix { stored: prefixes.passage.clone() })
    }
}

#[cfg(test)]
mod tests {
    use textsearch_core::{async_trait, vector::Embeddings};

    use super::*;

    struct Model {
        name: &'static str,
        dimensions: Option<usize>,
    }

    #[async_trait]
    impl EmbeddingGenerator for Model {
        fn model_id(&self) -> &str {
            self.name
        }

        fn dimensions(&self) -> Option<usize> {
            self.dimensions
        }

        async fn generate(
            &self,
            texts: &[String],
            _: &EmbeddingSettings,
        ) -> textsearch_core::Result<Embeddings> {
            Ok(Embeddings::new(texts.iter().map(|_| [1.0; 3].into()).collect()))
        }
    }

    fn prefixes(passage: &str) -> Prefixes {
        let passage = Some(passage.to_owned()).filter(|prefix| !prefix.is_empty());
        Prefixes { query: None, passage }
    }

    fn embedder(dimensions: Option<usize>, passage: &str) -> Embedder {
        let generator = Arc::new(Model { name: "a", dimensions });
        Embedder::new(generator).with_prefixes(prefixes(passage))
    }

    fn embedded_by(model: &str, dimensions: usize, passage: &str) -> EmbeddedBy {
        let model = model.to_owned();
        let prefixes = prefixes(passage);
        EmbeddedBy { model, fingerprint: None, dimensions, prefixes }
    }

    fn local(name: &'static str, fingerprint: &str) -> Embedder {
        let generator = Arc::new(Model { name, dimensions: Some(3) });
        Embedder::new(generator).with_fingerprint(fingerprint)
    }

    #[tokio::test]
    async fn unknown_dimensions_are_measured() {
        for dimensions in [None, Some(3)] {
            let measured = EmbeddedBy::measured(&embedder(dimensions, "")).await.unwrap();
            assert_eq!(measured, embedded_by("a", 3, ""));
        }
    }

    #[test]
    fn another_model_is_refused_with_both_names() {
        assert!(embedded_by("a", 3, "").check(&embedder(None, "")).is_ok());
        for (store, dimensions) in
            [(embedded_by("b", 3, ""), None), (embedded_by("a", 4, ""), Some(3))]
        {
            let error = store.check(&embedder(dimensions, "")).unwrap_err().to_string();
            let EmbeddedBy { model, dimensions, .. } = store;
            let both = format!("of `{model}` with {dimensions} dimensions, not of `a` with 3");
            assert!(error.contains(&both), "{error}");
        }
    }

    #[test]
    fn local_model_is_recognized_under_another_name() {
        let store = EmbeddedBy::new(&local("old@1234", "123456"), 3);
        assert!(store.check(&local("new@1234", "123456")).is_ok());
    }

    #[test]
    fn other_local_model_is_refused_regardless_of_name() {
        let store = EmbeddedBy::new(&local("a@1234", "123456"), 3);
        for other in [local("a@5678", "567890"), local("a@1234", "123499")] {
            let error = store.check(&other).unwrap_err().to_string();
            let expected = format!(
                "of `a@1234` with 3 dimensions, not of `{}` with 3",
                other.generator.model_id()
            );
            assert!(error.contains(&expected), "{error}");
        }
        let mut hosted = local("a@1234", "");
        hosted.fingerprint = None;
        assert!(store.check(&hosted).is_err());
    }

    #[test]
    fn only_a_changed_passage_prefix_is_refused() {
        let store = embedded_by("a", 3, "passage: ");
        let mut same = embedder(None, "passage: ");
        same.prefixes.query = Some("query: ".to_owned());
        assert!(store.check(&same).is_ok());
        let error = store.check(&embedder(None, "text: ")).unwrap_err();
        let stored = Some("passage: ".to_owned());
        assert_eq!(error, ModelMismatch::OtherPrefix { stored });
        let error = embedded_by("a", 3, "").check(&same).unwrap_err();
        assert_eq!(error, ModelMismatch::OtherPrefix { stored: None });
    }

    #[test]
    fn prefixes_are_serialized_only_if_set() {
        let plain = serde_json::json!({ "model": "a", "dimensions": 3 });
        assert_eq!(serde_json::to_value(embedded_by("a", 3, "")).unwrap(), plain);
        let store = embedded_by("a", 3, "passage: ");
        let written = serde_json::to_value(&store).unwrap();
        assert_eq!(written["passage_prefix"], "passage: ");
        assert_eq!(serde_json::from_value::<EmbeddedBy>(written).unwrap(), store);
    }

    #[test]
    fn a_store_keeps_the_whole_fingerprint_of_a_local_model() {
        let store = EmbeddedBy::new(&local("a@1234", "123456"), 3);
        let written = serde_json::to_value(&store).unwrap();
        assert_eq!(written["fingerprint"], "123456");
        assert_eq!(serde_json::from_value::<EmbeddedBy>(written).unwrap(), store);
    }
}
