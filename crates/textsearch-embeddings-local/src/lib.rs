#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod batches;
mod compute;
mod config;
mod cross_encoder;
mod embeddings;
mod folder;
mod late_interaction;
mod limits;
mod model;
mod pooling;
mod precision;
mod reranker;
mod task;
mod threads;
mod tokens;

pub use config::{LocalEmbeddingsConfig, LocalRerankerConfig};
pub use embeddings::LocalEmbeddings;
pub use precision::Precision;
pub use reranker::LocalReranker;

pub use textsearch_core::{
    Error, ErrorKind, Result,
    rerank::Reranker,
    vector::{EmbeddingGenerator, EmbeddingPurpose, EmbeddingSettings, Embeddings},
};
