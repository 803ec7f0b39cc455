#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod catalog;
mod client;
mod codec;
mod collection;
mod columns;
mod config;
mod consistency;
mod data;
mod definition;
mod delete;
mod error;
mod filter;
mod handle;
mod hybrid;
mod literal;
mod names;
mod proto;
mod ranking;
mod read;
mod record;
mod request;
mod rows;
mod scan;
mod schema;
mod search;
mod store;
mod terms;
mod upsert;
mod words;

pub use config::{
    MILVUS_CONSISTENCY_LEVEL, MILVUS_DATABASE, MILVUS_TOKEN, MILVUS_URL, MilvusConfig,
};
pub use consistency::ConsistencyLevel;
pub use store::MilvusStore;

const CONNECTOR: &str = "milvus";

pub use textsearch_core::{Error, ErrorKind, Filter, Result, secret, vector};
