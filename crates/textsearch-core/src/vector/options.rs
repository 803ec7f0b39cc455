//! What a caller asks of a collection.

use std::sync::Arc;

use super::Fusion;
use crate::Filter;

/// What to search a collection for.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SearchInput {
    /// The records whose vector is nearest to this one.
    Vector(Arc<[f32]>),
    /// The records that fit this text: by its embedding where the collection has an embedding generator, and by full
    /// text where it has none.
    Text(String),
}

impl From<&str> for SearchInput {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// Copies a text, and shares a vector.
impl From<&SearchInput> for SearchInput {
    fn from(input: &SearchInput) -> Self {
        input.clone()
    }
}

impl From<Arc<[f32]>> for SearchInput {
    fn from(vector: Arc<[f32]>) -> Self {
        Self::Vector(vector)
    }
}

impl From<String> for SearchInput {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<f32>> for SearchInput {
    fn from(vector: Vec<f32>) -> Self {
        Self::Vector(vector.into())
    }
}

impl From<&[f32]> for SearchInput {
    fn from(vector: &[f32]) -> Self {
        Self::Vector(vector.into())
    }
}

/// How a collection finds what fits a text.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub enum SearchMode {
    /// By meaning: the nearest embeddings; by words where the collection has no embedding generator.
    #[default]
    Vector,
    /// By words.
    FullText,
    /// By both, fused into one ranking.
    Hybrid,
}

/// How many records a search of a collection returns, and which.
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
    /// The largest number of records to return; 5 by default.
    pub top: usize,
    /// The number of best records to leave out; 0 by default.
    pub skip: usize,
    /// Which records may be returned; all by default.
    pub filter: Option<Filter>,
    /// The score that a record must reach: at least this much where higher is better, at most this much where lower
    /// is; in a hybrid search it applies to the fused score.
    pub score_threshold: Option<f64>,
    /// The vector to compare with; the first of the definition by default.
    pub vector_field: Option<String>,
    /// The full-text fields to read; all of them where the list is empty.
    pub full_text_fields: Vec<String>,
    /// Whether records come with their vectors; false by default.
    pub include_vectors: bool,
    /// Whether to count all records that fit; false by default.
    pub include_total_count: bool,
    /// How a hybrid search fuses its two rankings; by [weighted scores](Fusion::WeightedScores), 0.6 of them by
    /// vector, by default.
    pub fusion: Fusion,
    /// Whether to compare with every vector, where the field has an approximate index; false by default.
    pub exact: bool,
    /// The number of candidates that an approximate index looks at: more finds more of the true nearest, and takes
    /// longer; that of the definition by default.
    pub ef_search: Option<u32>,
}

impl VectorSearchOptions {
    /// The options for at most `top` records, the rest by default.
    pub fn top(top: usize) -> Self {
        Self { top, ..Self::default() }
    }

    /// Leaves out the best `skip` records.
    #[must_use]
    pub fn with_skip(mut self, skip: usize) -> Self {
        self.skip = skip;
        self
    }

    /// Returns only records that `filter` lets through.
    #[must_use]
    pub fn with_filter(mut self, filter: Filter) -> Self {
        self.filter = Some(filter);
        self
    }

    /// Returns only records whose score is at least as good as `threshold`.
    #[must_use]
    pub fn with_score_threshold(mut self, threshold: f64) -> Self {
        self.score_threshold = Some(threshold);
        self
    }

    /// Compares with the vector called `field`.
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

    /// Sets whether records come with their vectors; false by default.
    #[must_use]
    pub fn with_vectors(mut self, enabled: bool) -> Self {
        self.include_vectors = enabled;
        self
    }

    /// Fuses the two rankings of a hybrid search by `fusion`.
    #[must_use]
    pub fn with_fusion(mut self, fusion: Fusion) -> Self {
        self.fusion = fusion;
        self
    }

    /// Sets whether the search compares every vector, even if the field has an approximate index; false by default.
    #[must_use]
    pub fn with_exact(mut self, enabled: bool) -> Self {
        self.exact = enabled;
        self
    }

    /// Looks at this many candidates of an approximate index.
    #[must_use]
    pub fn with_ef_search(mut self, candidates: u32) -> Self {
        self.ef_search = Some(candidates);
        self
    }

    /// Sets whether the store counts all matching records; false by default.
    #[must_use]
    pub fn with_total_count(mut self, enabled: bool) -> Self {
        self.include_total_count = enabled;
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
            fusion: Fusion::default(),
            exact: false,
            ef_search: None,
        }
    }
}

/// How records are read by key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GetOptions {
    /// Whether records come with their vectors; false by default.
    pub include_vectors: bool,
}

impl GetOptions {
    /// Sets whether records come with their vectors; false by default.
    #[must_use]
    pub fn with_vectors(mut self, enabled: bool) -> Self {
        self.include_vectors = enabled;
        self
    }
}

/// Which records a scan returns, in which order; all of them, by key, by default.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ScanOptions {
    /// Which records are returned; all by default.
    pub filter: Option<Filter>,
    /// What the records are ordered by, the first field first; by key where the list is empty or fields are equal.
    pub order_by: Vec<OrderBy>,
    /// The number of records to leave out at the beginning; 0 by default.
    pub skip: usize,
    /// The largest number of records to return; no limit by default.
    pub top: Option<usize>,
    /// Whether records come with their vectors; false by default.
    pub include_vectors: bool,
}

impl ScanOptions {
    /// Returns only records that `filter` lets through.
    #[must_use]
    pub fn with_filter(mut self, filter: Filter) -> Self {
        self.filter = Some(filter);
        self
    }

    /// Orders by one more field.
    #[must_use]
    pub fn with_order_by(mut self, order: OrderBy) -> Self {
        self.order_by.push(order);
        self
    }

    /// Leaves out the first `skip` records.
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

    /// Sets whether records come with their vectors; false by default.
    #[must_use]
    pub fn with_vectors(mut self, enabled: bool) -> Self {
        self.include_vectors = enabled;
        self
    }
}

/// A field that a scan is ordered by. Records that lack it come last, whichever way round.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OrderBy {
    /// The name of the field.
    pub field: String,
    /// Whether the largest value comes first.
    pub is_descending: bool,
}

impl OrderBy {
    /// The smallest value first.
    pub fn ascending(field: impl Into<String>) -> Self {
        Self { field: field.into(), is_descending: false }
    }

    /// The largest value first.
    pub fn descending(field: impl Into<String>) -> Self {
        Self { field: field.into(), is_descending: true }
    }
}
