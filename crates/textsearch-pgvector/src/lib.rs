#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod catalog;
mod client;
mod collection;
mod columns;
mod comment;
mod config;
mod definition;
mod delete;
mod distinct_values;
mod error;
mod existing;
mod filter;
mod hybrid;
mod indexes;
mod layout;
mod opening;
mod query;
mod read;
mod scan;
mod search;
mod sql;
mod store;
mod table;
mod terms;
mod ts_rank;
mod ts_vector;
mod upsert;
mod vectors;
mod version;
mod words;

pub use config::{FullTextRanking, POSTGRES_URL, PgVectorConfig};
pub use layout::{ExistingTable, IvfFlatParameters, PgVectorTable, VectorType};
pub use store::PgVectorStore;

const CONNECTOR: &str = "pgvector";

pub use textsearch_core::{Error, ErrorKind, Filter, Result, secret, vector};
