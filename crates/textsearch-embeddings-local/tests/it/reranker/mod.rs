//! Cross-encoders and late interaction.

mod errors;
mod late_interaction;
mod pairs;
mod reference;

use std::num::NonZero;

use textsearch_embeddings_local::{ErrorKind, LocalReranker, LocalRerankerConfig, Reranker};

use crate::tiny::Tiny;

fn config(tiny: &Tiny) -> LocalRerankerConfig {
    let mut config = LocalRerankerConfig::new(tiny.path());
    config.threads = Some(NonZero::<usize>::MIN.saturating_add(1));
    config
}

fn load(tiny: &Tiny) -> LocalReranker {
    LocalReranker::new(config(tiny)).unwrap()
}

/// Returns what is wrong with the file, from the error of loading a reranker.
fn refused(tiny: &Tiny, file: &str) -> String {
    let error = LocalReranker::new(config(tiny)).unwrap_err();
    assert_eq!((error.kind(), error.connector()), (&ErrorKind::Backend, "local reranker"));
    tiny.without_path(file, &error)
}

async fn score(model: &LocalReranker, query: &str, texts: &[&str]) -> Vec<f64> {
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    model.rerank(query, &texts).await.unwrap()
}
