//! The capabilities of a vector store.

use textsearch_core::vector::{Distance, Fusion};

/// The capabilities of a vector store. The default: everything. The store must reject every
/// operation that it declares as missing, not ignore it or do half of it.
///
/// ```
/// use textsearch_conformance::{core::vector::Distance, vector::VectorCapabilities};
///
/// let capabilities = VectorCapabilities::default().without_distance(Distance::Hamming).without_mixed_kinds();
/// assert_eq!(capabilities.distances.len(), 8);
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct VectorCapabilities {
    /// The supported distances. Another one is `InvalidOptions`.
    pub distances: Vec<Distance>,
    /// Whether the store can compare every vector. If not, an exact index and an exact search are
    /// `InvalidOptions`, and the cases use an HNSW index.
    pub exact_search: bool,
    /// Whether a record may have several vectors. If not, a second vector field is
    /// `InvalidOptions`.
    pub several_vectors: bool,
    /// Whether the store has full-text search. If not, it is `InvalidOptions`.
    pub full_text: bool,
    /// Whether the mean length of a field decides the scores of words. If not, it is
    /// `InvalidOptions`, or the store's documentation says that it weighs long texts in its own way.
    pub mean_lengths: bool,
    /// Whether the store has hybrid search. If not, it is `InvalidOptions`.
    pub hybrid: bool,
    /// Whether a hybrid search can weight scores. If not, that is `InvalidOptions`.
    pub weighted_scores: bool,
    /// Whether the backend fuses rankings by itself, by reciprocal ranks with a constant of 60. Any
    /// other fusion is then `InvalidOptions`, and the fused scores are the backend's.
    pub own_fusion: bool,
    /// Whether the backend scores a hybrid search itself, as `vector_weight` × dot product + (1 −
    /// `vector_weight`) × a word score from 0 to 1. Any other fusion is then `InvalidOptions`, words
    /// need a dot product, and records without a vector aren't found.
    pub weighted_sum: bool,
    /// Whether a field may hold values of any kind. If not, they are `InvalidRecord`.
    pub mixed_kinds: bool,
    /// Whether a record may have several hundred kilobytes. If not, it is `InvalidRecord`.
    pub large_records: bool,
    /// Whether vectors are returned as they were stored. If not, cosine distances normalize them to
    /// length 1.
    pub vectors_as_given: bool,
    /// Whether a store that is made again finds the records of an earlier one.
    pub persistent: bool,
    /// Whether every count of a search is exact. If not, counts may be marked as estimates.
    pub exact_counts: bool,
}

impl Default for VectorCapabilities {
    fn default() -> Self {
        Self {
            distances: Distance::ALL.to_vec(),
            exact_search: true,
            several_vectors: true,
            full_text: true,
            mean_lengths: true,
            hybrid: true,
            weighted_scores: true,
            own_fusion: false,
            weighted_sum: false,
            mixed_kinds: true,
            large_records: true,
            vectors_as_given: true,
            persistent: true,
            exact_counts: true,
        }
    }
}

impl VectorCapabilities {
    /// Removes a distance.
    #[must_use]
    pub fn without_distance(mut self, distance: Distance) -> Self {
        self.distances.retain(|one| *one != distance);
        self
    }

    /// Unsets [`exact_search`](Self::exact_search).
    #[must_use]
    pub fn without_exact_search(mut self) -> Self {
        self.exact_search = false;
        self
    }

    /// Unsets [`several_vectors`](Self::several_vectors).
    #[must_use]
    pub fn without_several_vectors(mut self) -> Self {
        self.several_vectors = false;
        self
    }

    /// Unsets [`full_text`](Self::full_text), and so [`hybrid`](Self::hybrid).
    #[must_use]
    pub fn without_full_text(mut self) -> Self {
        self.full_text = false;
        self.without_hybrid()
    }

    /// Unsets [`mean_lengths`](Self::mean_lengths).
    #[must_use]
    pub fn without_mean_lengths(mut self) -> Self {
        self.mean_lengths = false;
        self
    }

    /// Unsets [`hybrid`](Self::hybrid).
    #[must_use]
    pub fn without_hybrid(mut self) -> Self {
        (self.hybrid, self.weighted_scores) = (false, false);
        self
    }

    /// Sets [`own_fusion`](Self::own_fusion), and so unsets
    /// [`weighted_scores`](Self::weighted_scores).
    #[must_use]
    pub fn with_own_fusion(mut self) -> Self {
        (self.own_fusion, self.weighted_scores) = (true, false);
        self
    }

    /// Sets [`weighted_sum`](Self::weighted_sum), and so [`hybrid`](Self::hybrid) and
    /// [`weighted_scores`](Self::weighted_scores). Full text alone may be missing.
    #[must_use]
    pub fn with_weighted_sum(mut self) -> Self {
        (self.weighted_sum, self.hybrid, self.weighted_scores) = (true, true, true);
        self
    }

    /// Unsets [`mixed_kinds`](Self::mixed_kinds).
    #[must_use]
    pub fn without_mixed_kinds(mut self) -> Self {
        self.mixed_kinds = false;
        self
    }

    /// Unsets [`large_records`](Self::large_records).
    #[must_use]
    pub fn without_large_records(mut self) -> Self {
        self.large_records = false;
        self
    }

    /// Unsets [`vectors_as_given`](Self::vectors_as_given).
    #[must_use]
    pub fn with_normalized_vectors(mut self) -> Self {
        self.vectors_as_given = false;
        self
    }

    /// Unsets [`persistent`](Self::persistent).
    #[must_use]
    pub fn without_persistence(mut self) -> Self {
        self.persistent = false;
        self
    }

    /// Unsets [`exact_counts`](Self::exact_counts).
    #[must_use]
    pub fn with_estimated_counts(mut self) -> Self {
        self.exact_counts = false;
        self
    }

    /// The fusion of hybrid searches whose case needs no other.
    pub(crate) fn fusion(&self) -> Fusion {
        if self.weighted_scores { Fusion::default() } else { Fusion::reciprocal_rank(60) }
    }
}
