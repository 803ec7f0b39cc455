//! The vectors of a field: as they were given, their 8-bit copies, and how far they are from a query.

mod block;
mod bounds;
mod codes;
mod distance;
mod norm;
mod vector;

pub(crate) use self::{
    block::VectorBlock,
    bounds::Bounds,
    codes::{Coding, MOST_DIMENSIONS},
    distance::Comparer,
    vector::{Elements, Vector},
};
#[cfg(feature = "hnsw")]
pub(crate) use self::{
    distance::sums,
    norm::{ORDINARY, norm},
};
