//! The queries of one search, and what its metadata says about them.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use textsearch_core::results::Metadata;

use super::{QueryLeg, TransformedQuery};
use crate::text::one_line;

const MAX_QUERIES: usize = 8;

/// In characters.
const MAX_QUERY: usize = 1_000;

/// The queries to search for.
pub(super) struct Plan {
    pub(super) queries: Vec<PlannedQuery>,
    /// The number of queries that are not searched for, by reason.
    dropped: BTreeMap<&'static str, usize>,
    shortened: usize,
    /// Why the question is the only query.
    fallback: Option<&'static str>,
}

/// A query, and the outcome of its search.
pub(super) struct PlannedQuery {
    pub(super) query: TransformedQuery,
    /// The number of results that were fused; `None` of a single query, whose results are a stream.
    pub(super) results: Option<usize>,
    /// The kind of its error.
    pub(super) error: Option<&'static str>,
    /// The metadata of its search.
    pub(super) metadata: Metadata,
}

impl Plan {
    /// Limits the queries of a transform.
    pub(super) fn new(
        question: &str,
        queries: Vec<TransformedQuery>,
        has_vector_search: bool,
    ) -> Self {
        let mut plan =
            Self { queries: Vec::new(), dropped: BTreeMap::new(), shortened: 0, fallback: None };
        for query in queries {
            if let Err(reason) = plan.add(question, query, has_vector_search) {
                *plan.dropped.entry(reason).or_default() += 1;
            }
        }
        plan
    }

    /// Searches for the question as it is.
    #[must_use]
    pub(super) fn with_fallback(mut self, question: &str, reason: &'static str) -> Self {
        self.queries = vec![PlannedQuery::new(TransformedQuery::new(question))];
        self.fallback = Some(reason);
        self
    }

    fn add(
        &mut self,
        question: &str,
        mut query: TransformedQuery,
        has_vector_search: bool,
    ) -> Result<(), &'static str> {
        if query.leg == QueryLeg::Vector && !has_vector_search {
            return Err("no_vector_search");
        }
        if !(query.weight.is_finite() && query.weight > 0.0) {
            return Err("invalid_weight");
        }
        if self.queries.len() == MAX_QUERIES {
            return Err("too_many");
        }
        let mut is_shortened = false;
        for text in [Some(&mut query.text), query.part.as_mut()].into_iter().flatten() {
            // The user wrote the question.
            if *text != question {
                is_shortened |= limit(text);
            }
        }
        if !query.text.contains(char::is_alphanumeric) {
            return Err("no_words");
        }
        let is_same =
            |other: &PlannedQuery| other.query.text == query.text && other.query.leg == query.leg;
        if self.queries.iter().any(is_same) {
            return Err("repeated");
        }
        self.shortened += usize::from(is_shortened);
        self.queries.push(PlannedQuery::new(query));
        Ok(())
    }

    pub(super) fn contains(&self, question: &str) -> bool {
        self.queries.iter().any(|planned| planned.query.text == question)
    }

    /// Returns the metadata of each query's search, if any has some.
    pub(super) fn take_metadata(&mut self) -> Option<Value> {
        let queries = self.queries.iter_mut();
        let all: Vec<Metadata> =
            queries.map(|planned| std::mem::take(&mut planned.metadata)).collect();
        let is_any = all.iter().any(|metadata| !metadata.is_empty());
        is_any.then(|| all.into_iter().map(Value::Object).collect())
    }

    pub(super) fn report(self, transform: &str) -> Value {
        let Self { queries, dropped, shortened, fallback } = self;
        let queries: Value = queries.into_iter().map(PlannedQuery::report).collect();
        let mut report = json!({ "transform": transform, "queries": queries });
        let facts = [
            ("dropped", (!dropped.is_empty()).then(|| json!(dropped))),
            ("shortened", (shortened > 0).then(|| shortened.into())),
            ("fallback", fallback.map(Value::from)),
        ];
        add_known(&mut report, facts);
        report
    }
}

impl PlannedQuery {
    fn new(query: TransformedQuery) -> Self {
        Self { query, results: None, error: None, metadata: Metadata::new() }
    }

    fn report(self) -> Value {
        let Self { query, results, error, .. } = self;
        let mut report = json!({ "text": query.text, "weight": query.weight });
        let facts = [
            ("leg", (query.leg == QueryLeg::Vector).then(|| "vector".into())),
            ("part", query.part.map(Value::from)),
            ("results", results.map(Value::from)),
            ("error", error.map(Value::from)),
        ];
        add_known(&mut report, facts);
        report
    }
}

fn add_known<const N: usize>(report: &mut Value, facts: [(&str, Option<Value>); N]) {
    for (name, fact) in facts {
        if let Some(fact) = fact {
            report[name] = fact;
        }
    }
}

/// Returns whether `text` was too long.
fn limit(text: &mut String) -> bool {
    *text = one_line(text);
    let Some((end, _)) = text.char_indices().nth(MAX_QUERY) else { return false };
    text.truncate(end);
    true
}
