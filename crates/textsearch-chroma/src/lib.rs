#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod catalog;
mod client;
mod collection;
mod condition;
mod config;
mod definition;
mod delete;
mod error;
mod existing;
mod filter;
mod handle;
mod metadata;
mod needle;
mod read;
mod record;
mod scan;
mod search;
mod store;
mod upsert;

pub use config::{
    CHROMA_API_KEY, CHROMA_DATABASE, CHROMA_TENANT, CHROMA_URL, ChromaConfig, DEFAULT_URL,
};
pub use store::ChromaStore;

const CONNECTOR: &str = "chroma";

pub use textsearch_core::{Error, ErrorKind, Filter, Result, http, secret, vector};
