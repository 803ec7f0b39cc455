//! The queries of one search, and what its metadata says about them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{QueryLeg, TransformedQuery};
use crate::text::one_line;

pub(super) const MAX_QUERIES: usize = 8;

/// In characters.
const MAX_QUERY: usize = 1_000;

/// The queries to search for.
pub(super) struct Plan {
    pub(super) queries: Vec<PlannedQuery>,
    /// The number of queries that are not searched for, by reason.
    dropped: BTreeMap<&'static str, usize>,
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
}

impl Plan {
    /// Limits the queries of a transform.
    pub(super) fn new(
        question: &str,
        queries: Vec<TransformedQuery>,
        max: usize,
        has_vector_search: bool,
    ) -> Self {
        let mut plan = Self { queries: Vec::new(), dropped: BTreeMap::new(), fallback: None };
        for query in queries {
            if let Err(reason) = plan.add(question, query, max, has_vector_search) {
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
        max: usize,
        has_vector_search: bool,
    ) -> Result<(), &'static str> {
        if query.leg == QueryLeg::Vector && !has_vector_search {
            return Err("no_vector_search");
        }
        if !(query.weight.is_finite() && query.weight > 0.0) {
            return Err("invalid_weight");
        }
        if self.queries.len() >= max {
            return Err("too_many");
        }
        for text in [Some(&mut query.text), query.part.as_mut()].into_iter().flatten() {
            // The user wrote the question.
            if *text != question {
                limit(text);
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
        self.queries.push(PlannedQuery::new(query));
        Ok(())
    }

    pub(super) fn contains(&self, question: &str) -> bool {
        self.queries.iter().any(|planned| planned.query.text == question)
    }

    pub(super) fn report(self, transform: &str) -> Value {
        let Self { queries, dropped, fallback } = self;
        let queries: Value = queries.into_iter().map(PlannedQuery::report).collect();
        let mut report = json!({ "transform": transform, "queries": queries });
        let facts = [
            ("dropped", (!dropped.is_empty()).then(|| json!(dropped))),
            ("fallback", fallback.map(Value::from)),
        ];
        add_known(&mut report, facts);
        report
    }
}

impl PlannedQuery {
    fn new(query: TransformedQuery) -> Self {
        Self { query, results: None, error: None }
    }

    fn report(self) -> Value {
        let Self { query, results, error } = self;
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

fn limit(text: &mut String) {
    *text = one_line(text);
    if let Some((end, _)) = text.char_indices().nth(MAX_QUERY) {
        text.truncate(end);
    }
}
