//! Why a result has its place.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

static EMPTY: Explanation = Explanation(Vec::new());

/// Why a search result has its place: the steps of the search that found, moved or rescored it, in
/// order. Results of searches [with an explanation](crate::SearchOptions::with_explanation) carry
/// one; it is empty otherwise.
///
/// A wrapper adds a step with [`AnyRecord::with_step`](crate::results::AnyRecord::with_step):
///
/// ```
/// use textsearch_core::{
///     TextSearchRecord as _, TextSearchResult,
///     results::{AnyRecord, ExplanationStep},
/// };
///
/// let record = AnyRecord::new(TextSearchResult::new("High water is at nine."));
/// let step = ExplanationStep { rank: Some(3), ..ExplanationStep::new(ExplanationStep::QUERY) };
/// let record = record.with_step(step);
/// assert_eq!(record.explanation().steps()[0].rank, Some(3));
/// assert_eq!(record.to_value()?["Explanation"][0]["Name"], "query");
/// # Ok::<(), textsearch_core::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Explanation(Vec<ExplanationStep>);

impl Explanation {
    /// Returns an explanation without steps.
    pub fn empty() -> &'static Self {
        &EMPTY
    }

    /// Adds the next step.
    pub fn push(&mut self, step: ExplanationStep) {
        self.0.push(step);
    }

    /// Returns the steps, in the order of the search.
    pub fn steps(&self) -> &[ExplanationStep] {
        &self.0
    }

    /// Returns the last step called `name`.
    pub fn step(&self, name: &str) -> Option<&ExplanationStep> {
        self.0.iter().rev().find(|step| step.name == name)
    }

    /// Returns the last step called `name`, to complete it.
    pub fn step_mut(&mut self, name: &str) -> Option<&mut ExplanationStep> {
        self.0.iter_mut().rev().find(|step| step.name == name)
    }

    /// Returns whether there are no steps.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<ExplanationStep> for Explanation {
    fn from(step: ExplanationStep) -> Self {
        Self(vec![step])
    }
}

/// A step of a search that found, moved or rescored a result. It has what the search knows; an
/// unknown part is missing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
#[expect(clippy::exhaustive_structs, reason = "written as a struct, with `..` for the unknown")]
pub struct ExplanationStep {
    /// What happened, such as [`VECTOR`](Self::VECTOR). Wrappers may use other names.
    pub name: Cow<'static, str>,
    /// What the step used: the source, the query, the model or the field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The result's rank after the step, counted from 1; the rank in its own ranking for a leg.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<usize>,
    /// The rank before a step that moves results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank_before: Option<usize>,
    /// The score after the step, on the step's scale.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The score before a step that changes scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score_before: Option<f64>,
    /// The weight of a leg, or the factor that the step multiplied the score with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// What a leg adds to the fused score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contribution: Option<f64>,
    /// The matched terms, the heaviest first. Their weights add up to the score.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<MatchedTerm>,
}

impl ExplanationStep {
    /// A leg: the ranking by vector.
    pub const VECTOR: &str = "vector";
    /// A leg: the ranking by words.
    pub const FULL_TEXT: &str = "full_text";
    /// A leg: the ranking of one of several sources, which is the detail.
    pub const SOURCE: &str = "source";
    /// A leg: the ranking of one of several queries, which is the detail.
    pub const QUERY: &str = "query";
    /// The legs became one ranking. The detail is the kind of fusion.
    pub const FUSION: &str = "fusion";
    /// The result reached a threshold, which is the score of the step.
    pub const THRESHOLD: &str = "threshold";
    /// A model scored the result again. The detail is the model.
    pub const RERANKING: &str = "reranking";
    /// The result moved because it repeats others, or because others do.
    pub const DIVERSITY: &str = "diversity";
    /// The age of the result reduced its score by a factor, which is the weight. The detail is the
    /// result's date.
    pub const RECENCY: &str = "recency";

    /// Creates a step called `name`, with nothing else known.
    pub fn new(name: impl Into<Cow<'static, str>>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }
}

/// A term of the query in a result, as full-text search reads it: mostly a word's stem.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
#[expect(clippy::exhaustive_structs, reason = "a term has no other parts")]
pub struct MatchedTerm {
    /// The term.
    pub term: String,
    /// What it adds to the score of the ranking by words.
    pub weight: f64,
}
