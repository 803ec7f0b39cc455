//! The cases, each for a promise of `VectorStore` or `VectorCollection`.

mod batches;
mod collections;
mod data;
mod distinct_values;
mod embeddings;
mod filter_table;
mod filter_types;
mod filters;
mod hybrids;
mod ranking;
mod records;
mod texts;
mod vectors;
mod windows;

pub(crate) use batches::*;
pub(crate) use collections::*;
pub(crate) use data::*;
pub(crate) use distinct_values::*;
pub(crate) use embeddings::*;
pub(crate) use filter_types::*;
pub(crate) use filters::*;
pub(crate) use hybrids::*;
pub(crate) use ranking::*;
pub(crate) use records::*;
pub(crate) use texts::*;
pub(crate) use vectors::*;
pub(crate) use windows::*;
