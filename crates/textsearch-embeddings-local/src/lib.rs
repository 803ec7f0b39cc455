#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod batches;
mod compute;
mod config;
mod embeddings;
mod failure;
mod folder;
mod model;
mod pooling;
mod tokens;

pub use config::LocalEmbeddingsConfig;
pub use embeddings::LocalEmbeddings;

const CONNECTOR: &str = "local embeddings";

pub use textsearch_core::{
    Error, ErrorKind, Result,
    vector::{EmbeddingGenerator, EmbeddingPurpose, EmbeddingSettings, Embeddings},
};
