//! Embedding models.

use anyhow::Result;
use textsearch_documents::ingest::{EmbeddedBy, Embedder, Prefixes};

use crate::{
    arguments::{EmbeddingArguments, EmbeddingModel, LocalModel},
    errors::usage,
};

/// Removes empty prefixes. A hosted model has no default prefix, so an empty one means none.
fn without_empty(mut prefixes: Prefixes) -> Prefixes {
    prefixes.query.take_if(|prefix| prefix.is_empty());
    prefixes.passage.take_if(|prefix| prefix.is_empty());
    prefixes
}

impl EmbeddingArguments {
    /// Opens the model that the arguments name, if any. Prefixes default to those in `embedded_by`,
    /// which describes the store.
    pub(crate) fn open(&self, embedded_by: Option<&EmbeddedBy>) -> Result<Option<Embedder>> {
        let Some(model) = &self.model else { return Ok(None) };
        let mut prefixes = self.prefixes.to_prefixes();
        if let Some(EmbeddedBy { prefixes: defaults, .. }) = embedded_by {
            prefixes.query = prefixes.query.or_else(|| defaults.query.clone());
            prefixes.passage = prefixes.passage.or_else(|| defaults.passage.clone());
        }
        match model {
            EmbeddingModel::OpenAi(model) => open_hosted(model, without_empty(prefixes)).map(Some),
            EmbeddingModel::Local(model) => open_local(model, prefixes).map(Some),
        }
    }
}

fn open_hosted(model: &str, prefixes: Prefixes) -> Result<Embedder> {
    use textsearch_openai::{OPENAI_BASE_URL, OpenAiConfig, OpenAiEmbeddings};

    let config = OpenAiConfig::from_env_with_model(model).map_err(|error| {
        usage(format!(
            "there is no model to make embeddings: {}: or name a server of your own in {OPENAI_BASE_URL}",
            error.message()
        ))
    })?;
    Ok(Embedder::new(OpenAiEmbeddings::new(config)?).with_prefixes(prefixes))
}

#[cfg(feature = "local-embeddings")]
fn open_local(model: &LocalModel, prefixes: Prefixes) -> Result<Embedder> {
    use textsearch_embeddings_local::{LocalEmbeddings, LocalEmbeddingsConfig};

    let config = LocalEmbeddingsConfig::new(&model.folder);
    let mut config = config.with_precision(model.precision());
    (config.query_prefix, config.document_prefix) =
        (prefixes.query.clone(), prefixes.passage.clone());
    let model = LocalEmbeddings::new(config)?;
    let fingerprint = model.fingerprint().to_owned();
    Ok(Embedder::new(model).with_fingerprint(fingerprint).with_own_prefixes(prefixes))
}

#[cfg(not(feature = "local-embeddings"))]
fn open_local(_model: &LocalModel, _prefixes: Prefixes) -> Result<Embedder> {
    Err(usage(
        "this build has no local models: try --embeddings openai:MODEL, or a build with the feature `local-embeddings`: \
         cargo install --path crates/textsearch-cli --features local-embeddings",
    ))
}
