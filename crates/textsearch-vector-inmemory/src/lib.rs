#![doc = include_str!("../README.md")]

mod cell;
mod chunk;
mod collection;
mod column;
mod distance;
mod error;
mod keys;
mod matcher;
mod payload;
mod posting_list;
mod postings;
mod prepare;
mod schema;
mod search;
mod snapshot;
mod state;
mod store;
mod text;
mod top;

pub use store::InMemoryVectorStore;
