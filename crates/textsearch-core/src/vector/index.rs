//! How vectors are indexed, packed and spread: what a definition asks of a backend beyond the results themselves.

use serde::{Deserialize, Serialize};

/// How the nearest vectors are found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum IndexKind {
    /// By comparing with every vector: always the true nearest.
    #[default]
    Exact,
    /// By walking a graph of near vectors: fast, and nearly always the true nearest.
    Hnsw(HnswParameters),
}

impl IndexKind {
    /// A graph index with the default parameters.
    pub fn hnsw() -> Self {
        Self::Hnsw(HnswParameters::default())
    }
}

/// The parameters of a graph index, by their names in
/// [Malkov and Yashunin 2016](https://arxiv.org/abs/1603.09320).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct HnswParameters {
    /// The number of neighbours that a vector is linked with (`M`); 16 by default.
    pub connections: u32,
    /// The number of candidates looked at while a vector is added; 200 by default.
    pub ef_construction: u32,
    /// The number of candidates looked at in a search that does not say itself; 128 by default.
    pub ef_search: u32,
}

impl HnswParameters {
    /// Sets the number of neighbours that a vector is linked with.
    #[must_use]
    pub fn with_connections(mut self, connections: u32) -> Self {
        self.connections = connections;
        self
    }

    /// Sets the number of candidates looked at while a vector is added.
    #[must_use]
    pub fn with_ef_construction(mut self, candidates: u32) -> Self {
        self.ef_construction = candidates;
        self
    }

    /// Sets the number of candidates looked at in a search that does not say itself.
    #[must_use]
    pub fn with_ef_search(mut self, candidates: u32) -> Self {
        self.ef_search = candidates;
        self
    }
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

/// How a backend may pack vectors to search them with less memory. One that packs by its own means ignores it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Quantization {
    /// One byte an element.
    Scalar,
    /// One bit an element.
    Binary,
    /// Parts of the vector as entries of code books, a sixteenth of the size.
    Product,
}

/// How the records of a collection are spread over the nodes of a cluster. A store of one process ignores it.
///
/// What is not set is left to the backend.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Distribution {
    /// The number of parts that the records are split into.
    pub shards: Option<u32>,
    /// The number of copies of each part.
    pub replication_factor: Option<u32>,
    /// The number of copies that must have taken a write before it counts as done.
    pub write_consistency_factor: Option<u32>,
}

impl Distribution {
    /// Sets the number of parts that the records are split into.
    #[must_use]
    pub fn with_shards(mut self, shards: u32) -> Self {
        self.shards = Some(shards);
        self
    }

    /// Sets the number of copies of each part.
    #[must_use]
    pub fn with_replication_factor(mut self, copies: u32) -> Self {
        self.replication_factor = Some(copies);
        self
    }

    /// Sets the number of copies that must have taken a write before it counts as done.
    #[must_use]
    pub fn with_write_consistency_factor(mut self, copies: u32) -> Self {
        self.write_consistency_factor = Some(copies);
        self
    }
}
