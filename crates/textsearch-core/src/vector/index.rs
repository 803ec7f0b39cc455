//! Settings for indexes, compression and clusters.

use serde::{Deserialize, Serialize};

/// How a search finds the nearest vectors.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive] // Stores add indexes.
pub enum IndexKind {
    /// Compares every vector. Always finds the true nearest.
    #[default]
    Exact,
    /// Walks a graph of near vectors. Fast; nearly always finds the true nearest.
    Hnsw(HnswParameters),
}

impl IndexKind {
    /// Returns a graph index with the default parameters.
    pub fn hnsw() -> Self {
        Self::Hnsw(HnswParameters::default())
    }
}

/// Graph index parameters, named as in [Malkov and Yashunin
/// 2016](https://arxiv.org/abs/1603.09320).
///
/// ```
/// use textsearch_core::vector::HnswParameters;
///
/// let denser = HnswParameters { connections: 32, ..HnswParameters::default() };
/// assert_eq!(denser.ef_search, 128);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::exhaustive_structs, reason = "written as a struct, with `..` for the defaults")]
pub struct HnswParameters {
    /// The number of neighbours linked to a vector (`M`); 16 by default.
    pub connections: u32,
    /// The number of candidates when adding a vector; 200 by default.
    pub ef_construction: u32,
    /// The number of candidates in a search that sets none; 128 by default.
    pub ef_search: u32,
}

impl Default for HnswParameters {
    fn default() -> Self {
        Self { connections: 16, ef_construction: 200, ef_search: 128 }
    }
}

impl From<HnswParameters> for IndexKind {
    fn from(parameters: HnswParameters) -> Self {
        Self::Hnsw(parameters)
    }
}

/// How a backend may compress vectors, unless it has its own compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive] // Stores add codes.
pub enum Quantization {
    /// One byte per element.
    Scalar,
    /// One bit per element.
    Binary,
    /// Product quantization: a sixteenth of the size.
    Product,
}

/// How records are distributed over a cluster. The backend decides unset values. A single-process
/// store ignores it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::exhaustive_structs, reason = "written as a struct, with `..` for the defaults")]
pub struct Distribution {
    /// The number of parts.
    pub shards: Option<u32>,
    /// The number of copies of each part.
    pub replication_factor: Option<u32>,
    /// The number of copies that must accept a write before it counts as done.
    pub write_consistency_factor: Option<u32>,
}
