//! The cases, each for a promise of `VectorStore` or `VectorCollection`.

mod batches;
mod collections;
mod data;
mod distances;
mod embeddings;
mod filter_table;
mod filter_types;
mod filters;
mod hybrids;
mod keys;
mod ordering;
mod ranking;
mod records;
mod texts;
mod vectors;
mod windows;

pub use batches::*;
pub use collections::*;
pub use data::*;
pub use distances::*;
pub use embeddings::*;
pub use filter_types::*;
pub use filters::*;
pub use hybrids::*;
pub use keys::*;
pub use ordering::*;
pub use ranking::*;
pub use records::*;
pub use texts::*;
pub use vectors::*;
pub use windows::*;
