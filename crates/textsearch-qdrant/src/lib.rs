#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod catalog;
mod client;
mod collection;
mod columns;
mod config;
mod conversion;
mod delete;
mod distinct_values;
mod error;
mod filter;
mod handle;
mod hybrid;
mod indexing;
mod key;
mod path;
mod read;
mod record;
mod scan;
mod schema;
mod search;
mod store;
mod upsert;

pub use config::{QDRANT_API_KEY, QDRANT_URL, QdrantConfig};
pub use key::{KEY_NAMESPACE, point_id};
pub use path::UNNAMED_VECTOR;
pub use store::QdrantStore;

const CONNECTOR: &str = "qdrant";

/// The official client, as returned by [`QdrantStore::client`]. Its other types are in
/// `qdrant-client`: depend on the same version as this crate.
pub use qdrant_client::Qdrant;
pub use textsearch_core::{Error, ErrorKind, Filter, Result, secret, vector};
