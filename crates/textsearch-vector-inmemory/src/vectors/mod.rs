//! The vectors of a field: the originals, their 8-bit copies, and their distances from a query.
//!
//! The 8-bit copies give upper bounds of scores, so a scan compares few rows in `f32`. The bounds
//! hold for vectors with lengths between 1e-12 and 1e12, whose products fit `f32`. Every other row
//! is compared, in `f64`.

mod block;
mod bounds;
mod codes;
mod distance;
mod norm;
mod vector;

pub(crate) use self::{
    block::VectorBlock,
    bounds::Bounds,
    codes::{Coding, MAX_DIMENSIONS, Scaling, lines_a_row},
    distance::Comparer,
    vector::{Elements, Vector},
};
#[cfg(feature = "hnsw")]
pub(crate) use self::{
    distance::sums,
    norm::{ORDINARY, norm},
};
