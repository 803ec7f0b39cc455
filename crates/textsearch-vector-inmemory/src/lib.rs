#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod cached;
mod collection;
mod collections;
mod columns;
mod disk;
mod disk_store;
mod error;
#[cfg(feature = "hnsw")]
mod hnsw;
mod rows;
mod schema;
mod search;
mod simd;
mod snapshot;
mod state;
mod store;
mod terms;
mod threads;
mod vectors;

pub use disk_store::DiskVectorStore;
pub use store::InMemoryVectorStore;
