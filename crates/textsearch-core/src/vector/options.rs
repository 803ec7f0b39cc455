//! Options for reading and searching a collection.

use std::sync::Arc;

use super::Fusion;
use crate::Filter;

/// The input of a search.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a search has no third input")]
pub enum SearchInput {
    /// Finds the nearest vectors.
    Vector(Arc<[f32]>),
    /// Finds matches by embedding if the collection has an embedding generator, by full text if
    /// not.
    Text(String),
}

/// A vector is shared, not copied.
impl From<&SearchInput> for SearchInput {
    fn from(input: &SearchInput) -> Self {
        input.clone()
    }
}

macro_rules! from {
    ($($source:ty => $variant:ident),*) => {$(
        impl From<$source> for SearchInput {
            fn from(input: $source) -> Self {
                Self::$variant(input.into())
            }
        }
    )*};
}

from!(&str => Text, String => Text, Arc<[f32]> => Vector, Vec<f32> => Vector, &[f32] => Vector);

/// How a collection matches a text.
#[derive(Debug, Clone, Default, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a store has no other search")]
pub enum SearchMode {
    /// By the nearest embeddings; by words if the collection has no embedding generator.
    #[default]
    Vector,
    /// By words.
    FullText,
    /// By both, fused into one ranking.
    Hybrid,
}

/// Options for a search of a collection.
///
/// ```
/// use textsearch_core::{Filter, vector::VectorSearchOptions};
///
/// let options = VectorSearchOptions::top(10).with_filter(Filter::ge("year", 2024)).with_score_threshold(0.3);
/// assert_eq!(options.top, 10);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct VectorSearchOptions {
    /// The most records to return; 5 by default.
    pub top: usize,
    /// The number of best records to skip; 0 by default.
    pub skip: usize,
    /// Which records may match; all by default.
    pub filter: Option<Filter>,
    /// The score that a record must reach or beat in single precision, whether higher or lower is
    /// better. In a hybrid search, the fused score.
    pub score_threshold: Option<f64>,
    /// The vector field to compare; the first of the definition by default.
    pub vector_field: Option<String>,
    /// The full-text fields to read; an empty list means all of them.
    pub full_text_fields: Vec<String>,
    /// Whether records include their vectors; false by default.
    pub include_vectors: bool,
    /// Whether to count all matching records; false by default.
    pub include_total_count: bool,
    /// Whether results say why they have their places; false by default.
    pub include_explanation: bool,
    /// How a hybrid search fuses its rankings: by default [weighted scores](Fusion::WeightedScores)
    /// with [`Fusion::DEFAULT_VECTOR_WEIGHT`].
    pub fusion: Fusion,
    /// Whether to compare every vector in spite of an approximate index; false by default.
    pub exact: bool,
    /// The number of candidates that an approximate index considers; the definition's by default.
    /// More candidates find more of the true nearest and take longer.
    pub ef_search: Option<u32>,
}

impl VectorSearchOptions {
    /// Returns options for at most `top` records.
    pub fn top(top: usize) -> Self {
        Self { top, ..Self::default() }
    }

    /// Skips the best `skip` records.
    #[must_use]
    pub fn with_skip(mut self, skip: usize) -> Self {
        self.skip = skip;
        self
    }

    /// Returns only records that match `filter`.
    #[must_use]
    pub fn with_filter(mut self, filter: Filter) -> Self {
        self.filter = Some(filter);
        self
    }

    /// Returns only records whose score reaches `threshold`.
    #[must_use]
    pub fn with_score_threshold(mut self, threshold: f64) -> Self {
        self.score_threshold = Some(threshold);
        self
    }

    /// Compares the vector field `field`.
    #[must_use]
    pub fn with_vector_field(mut self, field: impl Into<String>) -> Self {
        self.vector_field = Some(field.into());
        self
    }

    /// Reads only these full-text fields.
    #[must_use]
    pub fn with_full_text_fields<S: Into<String>>(
        mut self,
        fields: impl IntoIterator<Item = S>,
    ) -> Self {
        self.full_text_fields = fields.into_iter().map(Into::into).collect();
        self
    }

    /// Sets whether records include their vectors; false by default.
    #[must_use]
    pub fn with_vectors(mut self, enabled: bool) -> Self {
        self.include_vectors = enabled;
        self
    }

    /// Sets [`fusion`](Self::fusion).
    #[must_use]
    pub fn with_fusion(mut self, fusion: Fusion) -> Self {
        self.fusion = fusion;
        self
    }

    /// Sets [`exact`](Self::exact): false by default.
    #[must_use]
    pub fn with_exact(mut self, enabled: bool) -> Self {
        self.exact = enabled;
        self
    }

    /// Sets [`ef_search`](Self::ef_search).
    #[must_use]
    pub fn with_ef_search(mut self, candidates: u32) -> Self {
        self.ef_search = Some(candidates);
        self
    }

    /// Sets whether to count all matching records; false by default.
    #[must_use]
    pub fn with_total_count(mut self, enabled: bool) -> Self {
        self.include_total_count = enabled;
        self
    }

    /// Sets whether each result says why it has its place, as far as the store knows; false by
    /// default. See [`Explanation`](crate::results::Explanation).
    #[must_use]
    pub fn with_explanation(mut self, enabled: bool) -> Self {
        self.include_explanation = enabled;
        self
    }
}

impl Default for VectorSearchOptions {
    fn default() -> Self {
        Self {
            top: 5,
            skip: 0,
            filter: None,
            score_threshold: None,
            vector_field: None,
            full_text_fields: Vec::new(),
            include_vectors: false,
            include_total_count: false,
            include_explanation: false,
            fusion: Fusion::default(),
            exact: false,
            ef_search: None,
        }
    }
}

/// Options for reading records by key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GetOptions {
    /// Whether records include their vectors; false by default.
    pub include_vectors: bool,
}

impl GetOptions {
    /// Sets whether records include their vectors; false by default.
    #[must_use]
    pub fn with_vectors(mut self, enabled: bool) -> Self {
        self.include_vectors = enabled;
        self
    }
}

/// Options for a scan. By default it returns all records, ordered by key.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ScanOptions {
    /// Which records may match; all by default.
    pub filter: Option<Filter>,
    /// The fields to order by, most significant first; then by key.
    pub order_by: Vec<OrderBy>,
    /// The number of records to skip; 0 by default.
    pub skip: usize,
    /// The most records to return; no limit by default.
    pub top: Option<usize>,
    /// Whether records include their vectors; false by default.
    pub include_vectors: bool,
}

impl ScanOptions {
    /// Returns only records that match `filter`.
    #[must_use]
    pub fn with_filter(mut self, filter: Filter) -> Self {
        self.filter = Some(filter);
        self
    }

    /// Adds a field to order by.
    #[must_use]
    pub fn with_order_by(mut self, order: OrderBy) -> Self {
        self.order_by.push(order);
        self
    }

    /// Skips the first `skip` records.
    #[must_use]
    pub fn with_skip(mut self, skip: usize) -> Self {
        self.skip = skip;
        self
    }

    /// Returns at most `top` records.
    #[must_use]
    pub fn with_top(mut self, top: usize) -> Self {
        self.top = Some(top);
        self
    }

    /// Sets whether records include their vectors; false by default.
    #[must_use]
    pub fn with_vectors(mut self, enabled: bool) -> Self {
        self.include_vectors = enabled;
        self
    }
}

/// A field to order a scan by. Records without it come last in either direction.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OrderBy {
    /// The name of the field.
    pub field: String,
    /// Whether the largest value comes first.
    pub descending: bool,
}

impl OrderBy {
    /// Orders by `field`, smallest value first.
    pub fn ascending(field: impl Into<String>) -> Self {
        Self { field: field.into(), descending: false }
    }

    /// Orders by `field`, largest value first.
    pub fn descending(field: impl Into<String>) -> Self {
        Self { field: field.into(), descending: true }
    }
}
