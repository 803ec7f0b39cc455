//! The capabilities of a vector store.

use textsearch_core::vector::{Distance, Fusion};

/// The capabilities of a vector store. The default: everything. The store must reject every
/// operation that it declares as missing, not ignore it or do half of it.
///
/// ```
/// use textsearch_conformance::{core::vector::Distance, vector::{VectorCapabilities, VectorFeature}};
///
/// let capabilities = VectorCapabilities::default()
///     .without_distance(Distance::Hamming)
///     .without(VectorFeature::MixedKinds);
/// assert_eq!(capabilities.distances.len(), 8);
/// assert!(!capabilities.has(VectorFeature::MixedKinds));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct VectorCapabilities {
    /// The supported distances. Another one is `InvalidOptions`.
    pub distances: Vec<Distance>,
    /// The features that the store lacks.
    pub missing: Vec<VectorFeature>,
    /// Whether the backend fuses rankings by itself, by reciprocal ranks with a constant of 60. Any
    /// other fusion is then `InvalidOptions`, and the fused scores are the backend's.
    pub own_fusion: bool,
    /// Whether the backend scores a hybrid search itself, as `vector_weight` × dot product + (1 −
    /// `vector_weight`) × a word score. Any other fusion is then `InvalidOptions`, words need a dot
    /// product, records without a vector aren't found, and full text alone may be missing.
    pub weighted_sum: bool,
}

/// A feature that a vector store may lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum VectorFeature {
    /// Compares every vector. If not, an exact index and an exact search are `InvalidOptions`, and
    /// the cases use an HNSW index.
    ExactSearch,
    /// Stores several vectors per record. If not, a second vector field is `InvalidOptions`.
    SeveralVectors,
    /// Searches by words. If not, that is `InvalidOptions`, and so is a hybrid search, unless the
    /// store has a [`weighted_sum`](VectorCapabilities::weighted_sum).
    FullText,
    /// Lets the mean length of a field decide the scores of words. If not, it is `InvalidOptions`,
    /// or the store's documentation says that it weighs long texts in its own way.
    MeanLengths,
    /// Lets a field hold values of any kind. If not, they are `InvalidRecord`.
    MixedKinds,
    /// Stores records of several hundred kilobytes. If not, such a record is `InvalidRecord`.
    LargeRecords,
    /// Returns vectors as they were stored. If not, cosine distances normalize them to length 1.
    UnnormalizedVectors,
    /// Finds the records of an earlier store when it is made again.
    Persistence,
    /// Counts exactly. If not, counts may be marked as estimates.
    ExactCounts,
    /// Counts the distinct values of a field. If not, that is `InvalidOptions`.
    DistinctValues,
}

impl Default for VectorCapabilities {
    fn default() -> Self {
        let distances = Distance::ALL.to_vec();
        Self { distances, missing: Vec::new(), own_fusion: false, weighted_sum: false }
    }
}

impl VectorCapabilities {
    /// Removes a distance.
    #[must_use]
    pub fn without_distance(mut self, distance: Distance) -> Self {
        self.distances.retain(|known| *known != distance);
        self
    }

    /// Adds a feature to [`missing`](Self::missing).
    #[must_use]
    pub fn without(mut self, feature: VectorFeature) -> Self {
        self.missing.push(feature);
        self
    }

    /// Sets [`own_fusion`](Self::own_fusion).
    #[must_use]
    pub fn with_own_fusion(mut self) -> Self {
        self.own_fusion = true;
        self
    }

    /// Sets [`weighted_sum`](Self::weighted_sum).
    #[must_use]
    pub fn with_weighted_sum(mut self) -> Self {
        self.weighted_sum = true;
        self
    }

    /// Returns whether the store has the feature.
    pub fn has(&self, feature: VectorFeature) -> bool {
        !self.missing.contains(&feature)
    }

    pub(crate) fn has_hybrid(&self) -> bool {
        self.weighted_sum || self.has(VectorFeature::FullText)
    }

    /// The fusion of hybrid searches whose case needs no other.
    pub(crate) fn fusion(&self) -> Fusion {
        if self.own_fusion { Fusion::reciprocal_rank(60) } else { Fusion::default() }
    }
}
