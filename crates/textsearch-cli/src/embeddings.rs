//! The model that makes embeddings: how `--embeddings` names it, and how a store knows it again.

use std::{
    path::{Path, PathBuf},
    str::FromStr,
    sync::Arc,
};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use textsearch_core::vector::{EmbeddingGenerator, EmbeddingSettings};

use crate::errors::usage;

/// A model that makes embeddings, as `--embeddings` names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EmbeddingModel {
    /// A model of a service that speaks OpenAI's API.
    OpenAi(String),
    /// A sentence-transformer model in a folder.
    MiniLm(PathBuf),
}

impl FromStr for EmbeddingModel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some(("openai", model)) if !model.is_empty() => Ok(Self::OpenAi(model.to_owned())),
            Some(("minilm", folder)) if !folder.is_empty() => Ok(Self::MiniLm(folder.into())),
            _ => Err("expected openai:MODEL or minilm:FOLDER".to_owned()),
        }
    }
}

impl EmbeddingModel {
    /// The model, ready to be asked.
    ///
    /// # Errors
    ///
    /// Wrong use, where this build has no such models or the environment lacks what one needs; and where a folder holds
    /// none.
    pub(crate) fn open(&self) -> Result<Arc<dyn EmbeddingGenerator>> {
        match self {
            Self::OpenAi(model) => open_hosted(model),
            Self::MiniLm(folder) => open_local(folder),
        }
    }
}

#[cfg(feature = "ask")]
fn open_hosted(model: &str) -> Result<Arc<dyn EmbeddingGenerator>> {
    use textsearch_openai::{OPENAI_BASE_URL, OpenAiConfig, OpenAiEmbeddings};

    let config = OpenAiConfig::from_env_with_model(model).map_err(|error| {
        usage(format!(
            "there is no model to make embeddings: {}: or name a server of your own in {OPENAI_BASE_URL}",
            error.message()
        ))
    })?;
    Ok(Arc::new(OpenAiEmbeddings::new(config)?))
}

#[cfg(not(feature = "ask"))]
fn open_hosted(_model: &str) -> Result<Arc<dyn EmbeddingGenerator>> {
    Err(usage("this build has no hosted models: try a build with the feature `ask`"))
}

#[cfg(feature = "candle")]
fn open_local(folder: &Path) -> Result<Arc<dyn EmbeddingGenerator>> {
    use textsearch_embeddings_candle::{LocalEmbeddings, LocalEmbeddingsConfig};

    Ok(Arc::new(LocalEmbeddings::new(LocalEmbeddingsConfig::new(folder))?))
}

#[cfg(not(feature = "candle"))]
fn open_local(_folder: &Path) -> Result<Arc<dyn EmbeddingGenerator>> {
    Err(usage(
        "this build has no local models: try --embeddings openai:MODEL, or a build with the feature `candle`: \
         cargo install --path crates/textsearch-cli --features candle",
    ))
}

/// What a store says of the model that made its embeddings. Vectors of different models cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EmbeddedBy {
    /// The identifier of the model.
    pub(crate) model: String,
    /// The number of elements of its vectors.
    pub(crate) dimensions: usize,
}

impl EmbeddedBy {
    /// That of a store that `generator` is to fill; a generator that does not know its dimensions makes one vector.
    ///
    /// # Errors
    ///
    /// Those of the generator.
    pub(crate) async fn measured(generator: &dyn EmbeddingGenerator) -> Result<Self> {
        let model = generator.model_id().to_owned();
        if let Some(dimensions) = generator.dimensions() {
            return Ok(Self { model, dimensions });
        }
        let made = generator.generate(&["text".to_owned()], &EmbeddingSettings::default()).await?;
        let vector = made.vectors.first();
        let vector = vector.with_context(|| format!("the model `{model}` returned no vector"))?;
        Ok(Self { model, dimensions: vector.len() })
    }

    /// Whether `generator` is the one.
    ///
    /// # Errors
    ///
    /// Wrong use that names both, where it is another.
    pub(crate) fn check(&self, generator: &dyn EmbeddingGenerator) -> Result<()> {
        let Self { model, dimensions } = self;
        let asked = generator.model_id();
        // A server may not say how long its vectors are before it makes one; what it makes is checked.
        let length = generator.dimensions().unwrap_or(*dimensions);
        if asked == model && length == *dimensions {
            return Ok(());
        }
        Err(usage(format!(
            "the store has embeddings of `{model}` with {dimensions} dimensions, and --embeddings names `{asked}` with \
             {length}: try --embeddings with the model of the store, or index again into another --store"
        )))
    }
}

#[cfg(test)]
mod tests {
    use textsearch_core::{async_trait, vector::Embeddings};

    use super::*;

    /// Makes vectors of three elements, and says so if it is told to.
    struct Model {
        dimensions: Option<usize>,
    }

    #[async_trait]
    impl EmbeddingGenerator for Model {
        fn model_id(&self) -> &str {
            "a"
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

    #[test]
    fn a_model_is_named_with_its_kind() {
        let openai = EmbeddingModel::OpenAi("text-embedding-3-small".to_owned());
        assert_eq!("openai:text-embedding-3-small".parse(), Ok(openai));
        let folder = EmbeddingModel::MiniLm("models/a:b".into());
        assert_eq!("minilm:models/a:b".parse(), Ok(folder));
        for wrong in ["", "openai", "openai:", "minilm:", "text-embedding-3-small", "other:x"] {
            let error = wrong.parse::<EmbeddingModel>().unwrap_err();
            assert_eq!(error, "expected openai:MODEL or minilm:FOLDER", "{wrong}");
        }
    }

    #[tokio::test]
    async fn dimensions_that_are_not_known_are_found_out() {
        for dimensions in [None, Some(3)] {
            let measured = EmbeddedBy::measured(&Model { dimensions }).await.unwrap();
            assert_eq!(measured, EmbeddedBy { model: "a".to_owned(), dimensions: 3 });
        }
    }

    #[test]
    fn another_model_is_refused_with_both_names() {
        let embedded_by =
            |model: &str, dimensions| EmbeddedBy { model: model.to_owned(), dimensions };
        let unknown = Model { dimensions: None };
        assert!(embedded_by("a", 3).check(&unknown).is_ok());
        let error = embedded_by("b", 3).check(&unknown).unwrap_err().to_string();
        assert!(
            error.contains("of `b` with 3 dimensions, and --embeddings names `a` with 3"),
            "{error}"
        );
        let error =
            embedded_by("a", 4).check(&Model { dimensions: Some(3) }).unwrap_err().to_string();
        assert!(
            error.contains("of `a` with 4 dimensions, and --embeddings names `a` with 3"),
            "{error}"
        );
    }
}
