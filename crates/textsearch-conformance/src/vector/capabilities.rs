//! The capabilities of a vector store. An operation declared as missing must return an error.

use textsearch_core::{
    Filter,
    filter::FilterOperator,
    vector::{DataKind, Distance, KeyKind, RecordDefinition},
};

/// The capabilities of a vector store. The default: everything.
///
/// The cases expect the store to reject every operation that it declares as missing. It must not
/// ignore such an operation or do half of it.
///
/// ```
/// use textsearch_conformance::{core::vector::Distance, vector::VectorCapabilities};
///
/// let capabilities = VectorCapabilities::default().without_distance(Distance::Hamming).with_score_tolerance(1e-3);
/// assert_eq!(capabilities.distances.len(), 7);
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct VectorCapabilities {
    /// The supported distances. A definition with another one is `InvalidOptions`.
    pub distances: Vec<Distance>,
    /// The supported kinds of keys. A definition with another one is `InvalidOptions`.
    pub key_kinds: Vec<KeyKind>,
    /// Unsupported pairs of field kind and filter operator. They are `UnsupportedFilter`.
    pub unsupported_filters: Vec<(DataKind, FilterOperator)>,
    /// The kinds of fields that cannot order a scan. Ordering by one is `InvalidOptions`.
    pub unordered: Vec<DataKind>,
    /// Whether the store has full-text search. If not, it is `InvalidOptions`.
    pub full_text: bool,
    /// Whether the store has hybrid search. If not, it is `InvalidOptions`.
    pub hybrid: bool,
    /// Whether a hybrid search can weight scores. If not, that is `InvalidOptions`.
    pub weighted_scores: bool,
    /// Whether the store supports score thresholds. If not, one is `InvalidOptions`.
    pub score_thresholds: bool,
    /// Whether a field may hold values of other kinds than its definition. If not, they are
    /// `InvalidRecord`.
    pub mixed_kinds: bool,
    /// Whether the store keeps and compares integers beyond 53 bits exactly. If not, they are
    /// `InvalidRecord` in records and an error in filters.
    pub large_integers: bool,
    /// Whether a batch stores nothing if one of its records is rejected.
    pub atomic_batches: bool,
    /// Whether the store returns vectors as they were stored. If not, it returns vectors under a
    /// cosine distance normalized to length 1.
    pub vectors_as_given: bool,
    /// Whether every count of a search is exact. If not, the store may mark a count as estimated.
    pub exact_counts: bool,
    /// The tolerated score error per unit of the score's size. The default is 0.0001.
    pub score_tolerance: f64,
}

impl Default for VectorCapabilities {
    fn default() -> Self {
        Self {
            distances: Distance::ALL.to_vec(),
            key_kinds: vec![KeyKind::String, KeyKind::Integer, KeyKind::Uuid],
            unsupported_filters: Vec::new(),
            unordered: Vec::new(),
            full_text: true,
            hybrid: true,
            weighted_scores: true,
            score_thresholds: true,
            mixed_kinds: true,
            large_integers: true,
            atomic_batches: true,
            vectors_as_given: true,
            exact_counts: true,
            score_tolerance: 1e-4,
        }
    }
}

impl VectorCapabilities {
    /// Declares that vectors cannot be compared by `distance`.
    #[must_use]
    pub fn without_distance(mut self, distance: Distance) -> Self {
        self.distances.retain(|one| *one != distance);
        self
    }

    /// Declares that keys cannot be of `kind`.
    #[must_use]
    pub fn without_key_kind(mut self, kind: KeyKind) -> Self {
        self.key_kinds.retain(|one| *one != kind);
        self
    }

    /// Declares that fields of `kind` cannot be filtered by `operator`.
    #[must_use]
    pub fn without_filter(mut self, kind: DataKind, operator: FilterOperator) -> Self {
        self.unsupported_filters.push((kind, operator));
        self
    }

    /// Declares that a scan cannot be ordered by fields of `kind`.
    #[must_use]
    pub fn without_order_by(mut self, kind: DataKind) -> Self {
        self.unordered.push(kind);
        self
    }

    /// Declares that the store has no full-text search, and so no hybrid search.
    #[must_use]
    pub fn without_full_text(mut self) -> Self {
        self.full_text = false;
        self.without_hybrid()
    }

    /// Declares that the store has no hybrid search.
    #[must_use]
    pub fn without_hybrid(mut self) -> Self {
        self.hybrid = false;
        self.without_weighted_scores()
    }

    /// Declares that a hybrid search cannot weight scores.
    #[must_use]
    pub fn without_weighted_scores(mut self) -> Self {
        self.weighted_scores = false;
        self
    }

    /// Declares that the store has no score thresholds.
    #[must_use]
    pub fn without_score_thresholds(mut self) -> Self {
        self.score_thresholds = false;
        self
    }

    /// Declares that a field accepts only values of the kind in its definition.
    #[must_use]
    pub fn without_mixed_kinds(mut self) -> Self {
        self.mixed_kinds = false;
        self
    }

    /// Declares that integers beyond 53 bits are rejected.
    #[must_use]
    pub fn without_large_integers(mut self) -> Self {
        self.large_integers = false;
        self
    }

    /// Declares that a batch may store some records although it rejects another.
    #[must_use]
    pub fn without_atomic_batches(mut self) -> Self {
        self.atomic_batches = false;
        self
    }

    /// Declares that the store normalizes vectors under a cosine distance to length 1.
    #[must_use]
    pub fn with_normalized_vectors(mut self) -> Self {
        self.vectors_as_given = false;
        self
    }

    /// Declares that a count may be an estimate.
    #[must_use]
    pub fn with_estimated_counts(mut self) -> Self {
        self.exact_counts = false;
        self
    }

    /// Sets the tolerated score error per unit of the score's size.
    #[must_use]
    pub fn with_score_tolerance(mut self, tolerance: f64) -> Self {
        self.score_tolerance = tolerance;
        self
    }

    /// Whether `filter` uses only supported operators.
    pub(crate) fn supports(&self, filter: &Filter, definition: &RecordDefinition) -> bool {
        let mut fields = definition.filterable_fields();
        for field in &mut fields {
            let Some(data) = definition.data_field(&field.name) else { continue };
            let refused = |operator: &FilterOperator| {
                self.unsupported_filters.contains(&(data.kind, *operator))
            };
            field.operators.retain(|operator| !refused(operator));
        }
        filter.check("conformance", &fields).is_ok()
    }

    /// Whether two scores are equal within the tolerance.
    pub(crate) fn is_same_score(&self, found: f64, expected: f64) -> bool {
        (found - expected).abs() <= self.score_tolerance * (1.0 + expected.abs())
    }
}
