//! The model that makes embeddings: how `--embeddings` names it, and how a store knows it again.

#[cfg(feature = "ask")]
mod prefixed;

use std::{
    path::{Path, PathBuf},
    str::FromStr,
    sync::Arc,
};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use textsearch_core::vector::{EmbeddingGenerator, EmbeddingSettings};

use crate::{arguments::EmbeddingArguments, errors::usage, store::rebuilding};

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

/// What stands before texts when they are embedded; `None` for what the model's own files say.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Prefixes {
    /// Before each query.
    #[serde(default, rename = "query_prefix", skip_serializing_if = "Option::is_none")]
    pub(crate) query: Option<String>,
    /// Before each passage of a document.
    #[serde(default, rename = "passage_prefix", skip_serializing_if = "Option::is_none")]
    pub(crate) passage: Option<String>,
}

impl Prefixes {
    fn or(&self, other: &Self) -> Self {
        Self {
            query: self.query.clone().or_else(|| other.query.clone()),
            passage: self.passage.clone().or_else(|| other.passage.clone()),
        }
    }

    /// For a model without files that say anything: there an empty prefix is the same as none.
    fn without_empty(self) -> Self {
        let is_any = |prefix: &String| !prefix.is_empty();
        Self { query: self.query.filter(is_any), passage: self.passage.filter(is_any) }
    }
}

/// A model that is ready to be asked, with the prefixes that it puts before texts.
#[derive(Clone)]
pub(crate) struct Embedder {
    /// The model.
    pub(crate) generator: Arc<dyn EmbeddingGenerator>,
    /// What tells a local model from others, whatever its folder is called; `None` for a hosted one.
    pub(crate) fingerprint: Option<String>,
    /// What was asked for, and else what the store says.
    pub(crate) prefixes: Prefixes,
}

impl EmbeddingArguments {
    /// The model that is asked for, if one is, with the prefixes of the store whose embeddings are `embedded_by`.
    ///
    /// # Errors
    ///
    /// Wrong use, where this build has no such models or the environment lacks what one needs; and where a folder holds
    /// none.
    pub(crate) fn open(&self, embedded_by: Option<&EmbeddedBy>) -> Result<Option<Embedder>> {
        let Some(model) = &self.model else { return Ok(None) };
        let asked = self.prefixes.asked();
        let prefixes = match embedded_by {
            Some(known) => asked.or(&known.prefixes),
            None => asked,
        };
        let prefixes = match model {
            EmbeddingModel::OpenAi(_) => prefixes.without_empty(),
            EmbeddingModel::MiniLm(_) => prefixes,
        };
        let (generator, fingerprint) = match model {
            EmbeddingModel::OpenAi(model) => (open_hosted(model, &prefixes)?, None),
            EmbeddingModel::MiniLm(folder) => {
                let (generator, fingerprint) = open_local(folder, &prefixes)?;
                (generator, Some(fingerprint))
            }
        };
        Ok(Some(Embedder { generator, fingerprint, prefixes }))
    }
}

#[cfg(feature = "ask")]
fn open_hosted(model: &str, prefixes: &Prefixes) -> Result<Arc<dyn EmbeddingGenerator>> {
    use textsearch_openai::{OPENAI_BASE_URL, OpenAiConfig, OpenAiEmbeddings};

    let config = OpenAiConfig::from_env_with_model(model).map_err(|error| {
        usage(format!(
            "there is no model to make embeddings: {}: or name a server of your own in {OPENAI_BASE_URL}",
            error.message()
        ))
    })?;
    Ok(Arc::new(prefixed::Prefixed::new(OpenAiEmbeddings::new(config)?, prefixes)))
}

/// Returns the vectors that a hosted model made before a call failed, if `error` has them.
#[cfg(feature = "ask")]
pub(crate) fn finished_before(error: &textsearch_core::Error) -> Option<&[Option<Arc<[f32]>>]> {
    let source = std::error::Error::source(error)?;
    let interrupted = source.downcast_ref::<textsearch_openai::InterruptedEmbeddings>()?;
    Some(&interrupted.vectors)
}

#[cfg(not(feature = "ask"))]
pub(crate) fn finished_before(_error: &textsearch_core::Error) -> Option<&[Option<Arc<[f32]>>]> {
    None
}

#[cfg(not(feature = "ask"))]
fn open_hosted(_model: &str, _prefixes: &Prefixes) -> Result<Arc<dyn EmbeddingGenerator>> {
    Err(usage("this build has no hosted models: try a build with the feature `ask`"))
}

/// The model, and what tells it from others.
#[cfg(feature = "candle")]
fn open_local(folder: &Path, prefixes: &Prefixes) -> Result<(Arc<dyn EmbeddingGenerator>, String)> {
    use textsearch_embeddings_candle::{LocalEmbeddings, LocalEmbeddingsConfig};

    let mut config = LocalEmbeddingsConfig::new(folder);
    (config.query_prefix, config.document_prefix) =
        (prefixes.query.clone(), prefixes.passage.clone());
    let model = LocalEmbeddings::new(config)?;
    let fingerprint = model.fingerprint().to_owned();
    Ok((Arc::new(model), fingerprint))
}

#[cfg(not(feature = "candle"))]
fn open_local(
    _folder: &Path,
    _prefixes: &Prefixes,
) -> Result<(Arc<dyn EmbeddingGenerator>, String)> {
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
    /// What tells a local model from others: its identifier has the name of its folder, and a part of this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) fingerprint: Option<String>,
    /// The number of elements of its vectors.
    pub(crate) dimensions: usize,
    /// What stands before queries and stood before passages.
    #[serde(flatten)]
    pub(crate) prefixes: Prefixes,
}

impl EmbeddedBy {
    /// That of a store with vectors of so many `dimensions` by `embedder`.
    pub(crate) fn new(embedder: &Embedder, dimensions: usize) -> Self {
        let Embedder { generator, fingerprint, prefixes } = embedder;
        let model = generator.model_id().to_owned();
        Self { model, fingerprint: fingerprint.clone(), dimensions, prefixes: prefixes.clone() }
    }

    /// That of a store that `embedder` is to fill; a model that does not know its dimensions makes one vector.
    ///
    /// # Errors
    ///
    /// Those of the model.
    pub(crate) async fn measured(embedder: &Embedder) -> Result<Self> {
        let generator = &embedder.generator;
        if let Some(dimensions) = generator.dimensions() {
            return Ok(Self::new(embedder, dimensions));
        }
        let made = generator.generate(&["text".to_owned()], &EmbeddingSettings::default()).await?;
        let vector = made.vectors.first();
        let vector = vector
            .with_context(|| format!("the model `{}` returned no vector", generator.model_id()))?;
        Ok(Self::new(embedder, vector.len()))
    }

    /// Whether `embedder` is the one of the store at `location`.
    ///
    /// # Errors
    ///
    /// Wrong use that names both, where it is another model, or puts something else before passages.
    pub(crate) fn check(&self, embedder: &Embedder, location: &str) -> Result<()> {
        let Self { model, fingerprint, dimensions, prefixes } = self;
        let asked = embedder.generator.model_id();
        let is_same = match fingerprint {
            Some(_) => *fingerprint == embedder.fingerprint,
            // A hosted model, or a local one as an earlier version of this program noted it.
            None => asked == model,
        };
        // A server may not say how long its vectors are before it makes one; what it makes is checked.
        let length = embedder.generator.dimensions().unwrap_or(*dimensions);
        if !is_same || length != *dimensions {
            return Err(usage(format!(
                "the store has embeddings of `{model}` with {dimensions} dimensions, and --embeddings names `{asked}` \
                 with {length}: try --embeddings with the model of the store, or {}",
                rebuilding(location, " --embeddings MODEL")
            )));
        }
        if embedder.prefixes.passage == prefixes.passage {
            return Ok(());
        }
        let known = match &prefixes.passage {
            Some(prefix) => format!("with --passage-prefix '{prefix}'"),
            None => "without --passage-prefix".to_owned(),
        };
        Err(usage(format!(
            "the documents of the store were embedded {known}: try it so, or {}",
            rebuilding(location, " --embeddings MODEL --passage-prefix TEXT")
        )))
    }
}

#[cfg(test)]
mod tests {
    use textsearch_core::{async_trait, vector::Embeddings};

    use super::*;

    /// Makes vectors of three elements, and says so if it is told to.
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
        Embedder { generator, fingerprint: None, prefixes: prefixes(passage) }
    }

    fn embedded_by(model: &str, dimensions: usize, passage: &str) -> EmbeddedBy {
        let (model, prefixes) = (model.to_owned(), prefixes(passage));
        EmbeddedBy { model, fingerprint: None, dimensions, prefixes }
    }

    fn local(name: &'static str, fingerprint: &str) -> Embedder {
        let generator = Arc::new(Model { name, dimensions: Some(3) });
        let fingerprint = Some(fingerprint.to_owned());
        Embedder { generator, fingerprint, prefixes: Prefixes::default() }
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
            let measured = EmbeddedBy::measured(&embedder(dimensions, "")).await.unwrap();
            assert_eq!(measured, embedded_by("a", 3, ""));
        }
    }

    #[test]
    fn another_model_is_refused_with_both_names() {
        assert!(embedded_by("a", 3, "").check(&embedder(None, ""), "s").is_ok());
        for (store, dimensions) in
            [(embedded_by("b", 3, ""), None), (embedded_by("a", 4, ""), Some(3))]
        {
            let error = store.check(&embedder(dimensions, ""), "s").unwrap_err().to_string();
            let EmbeddedBy { model, dimensions, .. } = store;
            let both = format!(
                "of `{model}` with {dimensions} dimensions, and --embeddings names `a` with 3"
            );
            assert!(error.contains(&both), "{error}");
        }
    }

    #[test]
    fn a_local_model_is_known_again_in_a_folder_of_another_name() {
        let store = EmbeddedBy::new(&local("old@1234", "123456"), 3);
        assert!(store.check(&local("new@1234", "123456"), "s").is_ok());
    }

    #[test]
    fn another_local_model_is_refused_whatever_it_is_called() {
        let store = EmbeddedBy::new(&local("a@1234", "123456"), 3);
        for other in [local("a@5678", "567890"), local("a@1234", "123499")] {
            let error = store.check(&other, "s").unwrap_err().to_string();
            let expected = format!(
                "of `a@1234` with 3 dimensions, and --embeddings names `{}` with 3",
                other.generator.model_id()
            );
            assert!(error.contains(&expected), "{error}");
        }
        let mut hosted = local("a@1234", "");
        hosted.fingerprint = None;
        assert!(store.check(&hosted, "s").is_err());
    }

    #[test]
    fn another_prefix_of_passages_is_refused_and_one_of_queries_is_not() {
        let store = embedded_by("a", 3, "passage: ");
        let mut same = embedder(None, "passage: ");
        same.prefixes.query = Some("query: ".to_owned());
        assert!(store.check(&same, "s").is_ok());
        let error = store.check(&embedder(None, "text: "), "s").unwrap_err().to_string();
        let expected =
            "the documents of the store were embedded with --passage-prefix 'passage: ': try it so";
        assert!(error.starts_with(expected), "{error}");
        let error = embedded_by("a", 3, "").check(&same, "s").unwrap_err().to_string();
        assert!(error.contains("were embedded without --passage-prefix: try it so"), "{error}");
    }

    #[test]
    fn a_store_says_its_prefixes_where_it_has_any() {
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
