//! What a vector store can do at all: what it cannot is declared, and must then be an error.

use textsearch_core::{
    Filter,
    filter::FilterOperator,
    vector::{DataKind, Distance, KeyKind, RecordDefinition},
};

/// What a vector store can do; by default, everything.
///
/// What a store declares that it cannot do, the cases expect to be refused: never ignored, never done halfway.
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
    /// The distances that vectors can be compared by; a definition with any other is `InvalidOptions`.
    pub distances: Vec<Distance>,
    /// The kinds of keys; a definition with any other is `InvalidOptions`.
    pub key_kinds: Vec<KeyKind>,
    /// The operators that fields of a kind cannot be filtered by: they are `UnsupportedFilter`.
    pub unsupported_filters: Vec<(DataKind, FilterOperator)>,
    /// The kinds of fields that a scan cannot be ordered by: it is `InvalidOptions`.
    pub unordered: Vec<DataKind>,
    /// Whether there is full-text search; where not, it is `InvalidOptions`.
    pub full_text: bool,
    /// Whether there is hybrid search; where not, it is `InvalidOptions`.
    pub hybrid: bool,
    /// Whether a hybrid search can weigh scores; where not, it is `InvalidOptions`.
    pub weighted_scores: bool,
    /// Whether there are score thresholds; where not, one is `InvalidOptions`.
    pub score_thresholds: bool,
    /// Whether a field may hold values of another kind than it is defined with; where not, they are `InvalidRecord`.
    pub mixed_kinds: bool,
    /// Whether whole numbers beyond 53 bits are kept and compared exactly; where not, they are `InvalidRecord` in records
    /// and an error in filters.
    pub large_integers: bool,
    /// Whether nothing of a batch is stored where one of its records is refused.
    pub atomic_batches: bool,
    /// Whether vectors come back as they were stored; where not, those that are compared by a cosine come back at length
    /// one.
    pub vectors_as_given: bool,
    /// Whether every count of a search is exact; where not, one may say that it is estimated.
    pub exact_counts: bool,
    /// By how much a score may differ from its definition, for each unit of its size; 0.0001 by default.
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
    /// Says that vectors cannot be compared by `distance`.
    #[must_use]
    pub fn without_distance(mut self, distance: Distance) -> Self {
        self.distances.retain(|one| *one != distance);
        self
    }

    /// Says that keys cannot be of `kind`.
    #[must_use]
    pub fn without_key_kind(mut self, kind: KeyKind) -> Self {
        self.key_kinds.retain(|one| *one != kind);
        self
    }

    /// Says that fields of `kind` cannot be filtered by `operator`.
    #[must_use]
    pub fn without_filter(mut self, kind: DataKind, operator: FilterOperator) -> Self {
        self.unsupported_filters.push((kind, operator));
        self
    }

    /// Says that a scan cannot be ordered by fields of `kind`.
    #[must_use]
    pub fn without_order_by(mut self, kind: DataKind) -> Self {
        self.unordered.push(kind);
        self
    }

    /// Says that there is no full-text search, and so no hybrid search.
    #[must_use]
    pub fn without_full_text(mut self) -> Self {
        self.full_text = false;
        self.without_hybrid()
    }

    /// Says that there is no hybrid search.
    #[must_use]
    pub fn without_hybrid(mut self) -> Self {
        self.hybrid = false;
        self.without_weighted_scores()
    }

    /// Says that a hybrid search cannot weigh scores.
    #[must_use]
    pub fn without_weighted_scores(mut self) -> Self {
        self.weighted_scores = false;
        self
    }

    /// Says that there are no score thresholds.
    #[must_use]
    pub fn without_score_thresholds(mut self) -> Self {
        self.score_thresholds = false;
        self
    }

    /// Says that a field holds values of the kind that it is defined with, and no others.
    #[must_use]
    pub fn without_mixed_kinds(mut self) -> Self {
        self.mixed_kinds = false;
        self
    }

    /// Says that whole numbers beyond 53 bits are refused.
    #[must_use]
    pub fn without_large_integers(mut self) -> Self {
        self.large_integers = false;
        self
    }

    /// Says that a part of a batch may be stored where one of its records is refused.
    #[must_use]
    pub fn without_atomic_batches(mut self) -> Self {
        self.atomic_batches = false;
        self
    }

    /// Says that vectors which are compared by a cosine come back at length one.
    #[must_use]
    pub fn with_normalized_vectors(mut self) -> Self {
        self.vectors_as_given = false;
        self
    }

    /// Says that a count may be an estimate.
    #[must_use]
    pub fn with_estimated_counts(mut self) -> Self {
        self.exact_counts = false;
        self
    }

    /// Sets by how much a score may differ from its definition, for each unit of its size.
    #[must_use]
    pub fn with_score_tolerance(mut self, tolerance: f64) -> Self {
        self.score_tolerance = tolerance;
        self
    }

    /// Whether `filter` uses nothing that is declared as unsupported.
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

    /// Whether two scores are the same but for rounding.
    pub(crate) fn is_same_score(&self, found: f64, expected: f64) -> bool {
        (found - expected).abs() <= self.score_tolerance * (1.0 + expected.abs())
    }
}
