//! Models that score results again.

use std::{
    path::{Path, PathBuf},
    str::FromStr,
    sync::Arc,
};

use anyhow::Result;
use textsearch_core::rerank::Reranker;

#[cfg(not(feature = "local-embeddings"))]
use crate::errors::usage;

/// A model named by `--rerank`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RerankModel {
    /// The URL of an HTTP API.
    Remote(String),
    /// A folder with a cross-encoder.
    Local(PathBuf),
}

impl FromStr for RerankModel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some(("local", folder)) if !folder.is_empty() => Ok(Self::Local(folder.into())),
            Some(("http" | "https", rest)) if rest.starts_with("//") => {
                Ok(Self::Remote(text.to_owned()))
            }
            _ => Err("expected the URL of a rerank API, or local:FOLDER".to_owned()),
        }
    }
}

impl RerankModel {
    pub(crate) fn open(&self) -> Result<Arc<dyn Reranker>> {
        match self {
            Self::Remote(url) => open_remote(url),
            Self::Local(folder) => open_local(folder),
        }
    }
}

fn open_remote(url: &str) -> Result<Arc<dyn Reranker>> {
    use textsearch_rerank::{RerankClient, RerankConfig};

    Ok(Arc::new(RerankClient::new(RerankConfig::from_env_with_endpoint(url)?)?))
}

#[cfg(feature = "local-embeddings")]
fn open_local(folder: &Path) -> Result<Arc<dyn Reranker>> {
    use textsearch_embeddings_local::{LocalReranker, LocalRerankerConfig};

    Ok(Arc::new(LocalReranker::new(LocalRerankerConfig::new(folder))?))
}

#[cfg(not(feature = "local-embeddings"))]
fn open_local(_folder: &Path) -> Result<Arc<dyn Reranker>> {
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
        assert_eq!("local:models/a:b".parse(), Ok(RerankModel::Local("models/a:b".into())));
        for wrong in ["", "local:", "http:", "openai:x", "ftp://a.example", "models/a"] {
            let error = wrong.parse::<RerankModel>().unwrap_err();
            assert_eq!(error, "expected the URL of a rerank API, or local:FOLDER", "{wrong}");
        }
    }
}
