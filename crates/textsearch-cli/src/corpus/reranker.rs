//! Models that score results again.

use std::{str::FromStr, sync::Arc};

use anyhow::Result;
use textsearch_core::rerank::Reranker;

use crate::arguments::LocalModel;
#[cfg(not(feature = "local-embeddings"))]
use crate::errors::usage;

/// A model named by `--rerank`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RerankModel {
    /// The URL of an HTTP API.
    Remote(String),
    /// A cross-encoder or late-interaction model in a folder.
    Local(LocalModel),
}

impl FromStr for RerankModel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected =
            || "expected the URL of a rerank API, local:FOLDER or local-int8:FOLDER".to_owned();
        match text.split_once(':').ok_or_else(expected)? {
            ("http" | "https", rest) if rest.starts_with("//") => Ok(Self::Remote(text.to_owned())),
            (kind, folder) => LocalModel::parse(kind, folder).map(Self::Local).ok_or_else(expected),
        }
    }
}

impl RerankModel {
    pub(crate) fn open(&self) -> Result<Arc<dyn Reranker>> {
        match self {
            Self::Remote(url) => open_remote(url),
            Self::Local(model) => open_local(model),
        }
    }
}

fn open_remote(url: &str) -> Result<Arc<dyn Reranker>> {
    use textsearch_rerank::{RerankClient, RerankConfig};

    Ok(Arc::new(RerankClient::new(RerankConfig::from_env_with_endpoint(url)?)?))
}

#[cfg(feature = "local-embeddings")]
fn open_local(model: &LocalModel) -> Result<Arc<dyn Reranker>> {
    use textsearch_embeddings_local::{LocalReranker, LocalRerankerConfig};

    let config = LocalRerankerConfig::new(&model.folder).with_precision(model.precision());
    Ok(Arc::new(LocalReranker::new(config)?))
}

#[cfg(not(feature = "local-embeddings"))]
fn open_local(_model: &LocalModel) -> Result<Arc<dyn Reranker>> {
    Err(usage(
        "this build has no local models: try --rerank URL, or a build with the feature `local-embeddings`: \
         cargo install --path crates/textsearch-cli --features local-embeddings",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_a_url_or_a_local_folder() {
        let remote = RerankModel::Remote("http://localhost:8000/rerank".to_owned());
        assert_eq!("http://localhost:8000/rerank".parse(), Ok(remote));
        for (text, is_int8) in [("local:models/a:b", false), ("local-int8:models/a:b", true)] {
            let model = LocalModel { folder: "models/a:b".into(), is_int8 };
            assert_eq!(text.parse(), Ok(RerankModel::Local(model)));
        }
        for wrong in
            ["", "local:", "local-int8:", "http:", "openai:x", "ftp://a.example", "models/a"]
        {
            let error = wrong.parse::<RerankModel>().unwrap_err();
            let expected = "expected the URL of a rerank API, local:FOLDER or local-int8:FOLDER";
            assert_eq!(error, expected, "{wrong}");
        }
    }
}
