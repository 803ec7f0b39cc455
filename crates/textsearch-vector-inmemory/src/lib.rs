#![doc = include_str!("../README.md")]

mod bitmap;
mod bounds;
mod cell;
mod chunk;
mod codes;
mod collection;
mod column;
mod column_index;
mod derived;
mod distance;
mod error;
#[cfg(feature = "hnsw")]
mod hnsw;
mod keys;
mod matcher;
mod payload;
mod posting_list;
mod postings;
mod prepare;
mod schema;
mod search;
mod simd;
mod snapshot;
mod sorted_values;
mod state;
mod store;
mod threads;
mod top;
mod vector_block;

pub use store::InMemoryVectorStore;
