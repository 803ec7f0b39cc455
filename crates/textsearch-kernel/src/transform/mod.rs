//! Rewrites questions into queries that find more.
//!
//! | A [`QueryTransform`] | Searches for |
//! |---|---|
//! | [`Standalone`] | a follow-up question, such as "and in winter?", that stands alone |
//! | [`Variants`] | the question and other phrasings of it |
//! | [`HypotheticalAnswer`] | the question, and by vector a made-up answer |
//! | [`SubQuestions`] | each part of a question that asks several things |
//!
//! [`Transformed`] applies one to any text search, and [`Rewrite`] names them.

mod fusion;
mod kinds;
mod plan;
mod rewrite;
mod transformed;
mod writer;

pub use self::{
    kinds::{HypotheticalAnswer, Standalone, SubQuestions, Variants},
    rewrite::Rewrite,
    transformed::{QUERY_TRANSFORM, Transformed},
};

use std::sync::Arc;

use async_trait::async_trait;
use textsearch_core::chat::ChatHistory;

use crate::Result;

/// Turns a question into the queries to search for.
///
/// # Behavior
///
/// - The queries are untrusted: [`Transformed`] limits them, and no query can widen a filter.
/// - Dropping the future stops the work.
///
/// ```
/// use textsearch_kernel::{
///     Result, textsearch_core::{async_trait, chat::ChatHistory},
///     transform::{QueryTransform, TransformedQuery},
/// };
///
/// /// Also searches for the singular.
/// struct Singular;
///
/// #[async_trait]
/// impl QueryTransform for Singular {
///     fn name(&self) -> &str {
///         "singular"
///     }
///
///     async fn transform(&self, _: &ChatHistory, question: &str) -> Result<Vec<TransformedQuery>> {
///         let singular = TransformedQuery::new(question.trim_end_matches('s')).with_weight(0.5);
///         Ok(vec![TransformedQuery::new(question), singular])
///     }
/// }
/// ```
#[async_trait]
pub trait QueryTransform: Send + Sync {
    /// Returns the short name, such as `standalone`, for metadata and logs.
    fn name(&self) -> &str;

    /// Returns the queries for `question`, which follows the messages of `history`.
    ///
    /// # Errors
    ///
    /// Returns any error. The search then uses the question as it is.
    async fn transform(
        &self,
        history: &ChatHistory,
        question: &str,
    ) -> Result<Vec<TransformedQuery>>;
}

/// A query that a [`QueryTransform`] returns.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TransformedQuery {
    /// The text to search for.
    pub text: String,
    /// The weight of its results in the fused ranking; 1 by default. Must be greater than 0.
    pub weight: f64,
    /// The searches that get the query; all by default.
    pub leg: QueryLeg,
    /// The part of the question that its results answer, for their metadata; none by default.
    pub part: Option<String>,
}

/// The searches that get a query.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum QueryLeg {
    /// The search as it is.
    #[default]
    All,
    /// Only the search [by vector](Transformed::with_vector_search).
    Vector,
}

impl TransformedQuery {
    /// Creates a query of weight 1.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), weight: 1.0, leg: QueryLeg::All, part: None }
    }

    /// Sets the weight of its results in the fused ranking.
    #[must_use]
    pub fn with_weight(mut self, weight: f64) -> Self {
        self.weight = weight;
        self
    }

    /// Sets the searches that get the query.
    #[must_use]
    pub fn with_leg(mut self, leg: QueryLeg) -> Self {
        self.leg = leg;
        self
    }

    /// Sets the part of the question that its results answer.
    #[must_use]
    pub fn with_part(mut self, part: impl Into<String>) -> Self {
        self.part = Some(part.into());
        self
    }
}

#[async_trait]
impl<T: QueryTransform + ?Sized> QueryTransform for Arc<T> {
    fn name(&self) -> &str {
        (**self).name()
    }

    async fn transform(
        &self,
        history: &ChatHistory,
        question: &str,
    ) -> Result<Vec<TransformedQuery>> {
        (**self).transform(history, question).await
    }
}
