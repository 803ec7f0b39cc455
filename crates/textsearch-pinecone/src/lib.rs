#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod catalog;
mod client;
mod collection;
mod config;
mod definition;
mod delete;
mod error;
mod filter;
mod handle;
mod key;
mod read;
mod record;
mod scan;
mod search;
mod store;
mod tags;
mod upsert;
mod wire;
mod words;

pub use config::{
    PINECONE_API_KEY, PINECONE_CLOUD, PINECONE_ENDPOINT, PINECONE_REGION, PineconeConfig,
};
pub use store::PineconeStore;

const CONNECTOR: &str = "pinecone";

pub use textsearch_core::{Error, ErrorKind, Filter, Result, http, vector};
