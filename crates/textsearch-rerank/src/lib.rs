#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod batches;
mod client;
mod config;
mod failure;
mod request;
mod response;

pub use client::RerankClient;
pub use config::{
    RERANK_API_KEY, RERANK_ENDPOINT, RERANK_FORMAT, RERANK_MODEL, RerankConfig, RerankFormat,
};

const CONNECTOR: &str = "rerank";

// What callers need from the core.
pub use textsearch_core::{Error, ErrorKind, Result, http, rerank::Reranker};
