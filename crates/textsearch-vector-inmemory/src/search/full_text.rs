//! Full-text search: BM25 over one field, BM25F over several.

use std::collections::BTreeMap;

use textsearch_core::{
    Result,
    results::{Explanation, ExplanationStep, MatchedTerm, TotalCount},
    text_analysis::Bm25,
    vector::VectorSearchOptions,
};

use super::{
    ranked::Ranked,
    top::{Best, Ranking, ScoredRow},
};
use crate::{
    rows::{CHUNK_ROWS, Row},
    schema::TextField,
    state::{Matcher, State},
    terms::{Posting, PostingList, Postings},
};

/// A word that the query repeats counts as often. The rarity of a word is relative to all records
/// that have any word, as on a server that stores the terms of all fields together.
pub(super) fn rank<'a>(
    state: &'a State,
    text: &str,
    options: &VectorSearchOptions,
    ranking: Ranking,
) -> Result<(Ranked, Words<'a>)> {
    let mut matcher = Matcher::new(options.filter.as_ref(), state.schema())?;
    let places = state.schema().text_places(&options.full_text_fields)?;
    let fields: Vec<Field<'_>> =
        places.into_iter().filter_map(|place| Field::new(state, place)).collect();
    let mut scores = Scores::default();
    let mut terms = terms(&fields, text);
    for (text, term) in &mut terms {
        term.weight = match fields.as_slice() {
            [field] => field.add(state, text, term.count, &mut scores),
            fields => add_weighted(state, fields, text, term.count, &mut scores),
        };
    }
    let mut best = Best::new(ranking);
    for row in scores.rows {
        let score = scores.by_row.get(row.0 as usize).copied().unwrap_or_default();
        let Some(payload) = state.payload(row) else { continue };
        if state.matches(&mut matcher, row) {
            best.offer(row, score, || Some(payload.key()));
        }
    }
    let count = TotalCount::Exact(best.count());
    let ranked = Ranked { count, rows: best.into_rows(), ..Ranked::default() };
    Ok((ranked, Words { state, fields, terms }))
}

/// A term of the query.
#[derive(Default)]
struct Term {
    /// How often the query has it.
    count: u32,
    /// The count times the rarity, once it is known; 0 if no record has the term.
    weight: f64,
}

/// The words of a query, to explain the scores of a few rows.
pub(super) struct Words<'a> {
    state: &'a State,
    fields: Vec<Field<'a>>,
    terms: BTreeMap<String, Term>,
}

impl Words<'_> {
    /// Explains the rows after the first `skip`.
    pub(super) fn explain(&self, ranked: &mut Ranked, skip: usize) {
        let window = ranked.rows.iter().enumerate().skip(skip);
        let step = |(place, scored): (usize, &ScoredRow)| {
            let (rank, score) = (Some(place + 1), Some(scored.score));
            ExplanationStep { rank, score, ..ExplanationStep::new(ExplanationStep::FULL_TEXT) }
        };
        let mut explanations: Vec<_> =
            window.clone().map(|row| Explanation::from(step(row))).collect();
        self.add_terms(window.map(|(_, scored)| scored.row), &mut explanations);
        ranked.explanations = explanations;
    }

    /// Adds the terms of each row to its step.
    pub(super) fn add_terms(
        &self,
        rows: impl Iterator<Item = Row>,
        explanations: &mut [Explanation],
    ) {
        let mut rows: Vec<(Row, usize)> = rows.zip(0..).collect();
        rows.sort_unstable();
        let mut weights = Vec::new();
        for (term, Term { weight, .. }) in self.terms.iter().filter(|(_, term)| term.weight > 0.0) {
            weights.clear();
            weights.resize(rows.len(), 0.0);
            self.weigh(term, &rows, &mut weights);
            for ((_, place), own) in rows.iter().zip(&weights).filter(|(_, own)| **own > 0.0) {
                let explanation = explanations.get_mut(*place);
                let step = explanation.and_then(|all| all.step_mut(ExplanationStep::FULL_TEXT));
                if let Some(step) = step {
                    step.terms.push(MatchedTerm { term: term.clone(), weight: weight * own });
                }
            }
        }
        let steps = explanations.iter_mut();
        for step in steps.filter_map(|all| all.step_mut(ExplanationStep::FULL_TEXT)) {
            step.terms.sort_by(|left, right| right.weight.total_cmp(&left.weight));
        }
    }

    /// Computes how much `term` counts in each of the sorted `rows`.
    fn weigh(&self, term: &str, rows: &[(Row, usize)], weights: &mut [f64]) {
        for field in &self.fields {
            let Some(postings) = field.index.list(term) else { continue };
            let mut wanted = rows.iter().zip(weights.iter_mut()).peekable();
            for Posting { row, frequency } in postings.iter() {
                while wanted.next_if(|((wanted, _), _)| *wanted < row).is_some() {}
                if wanted.peek().is_none() {
                    break;
                }
                let Some((_, weight)) = wanted.next_if(|((wanted, _), _)| *wanted == row) else {
                    continue;
                };
                let length = self.state.text_length(field.place, row);
                *weight += match self.fields.as_slice() {
                    [_] => field.bm25.saturation(frequency, length),
                    _ => field.read.weight * field.bm25.relative_frequency(frequency, length),
                };
            }
        }
        if self.fields.len() > 1 {
            weights.iter_mut().for_each(|weight| *weight = Bm25::saturate(*weight));
        }
    }
}

#[derive(Default)]
struct Scores {
    by_row: Vec<f64>,
    rows: Vec<Row>,
}

impl Scores {
    /// `score` is above zero.
    fn add(&mut self, row: Row, score: f64) {
        let place = row.0 as usize;
        if let Some(sum) = self.by_row.get_mut(place) {
            if *sum == 0.0 {
                self.rows.push(row);
            }
            *sum += score;
        }
    }

    fn reserve(&mut self, state: &State) {
        if self.by_row.is_empty() {
            self.by_row = vec![0.0; state.chunks().len() * CHUNK_ROWS];
        }
    }
}

struct Field<'a> {
    place: usize,
    read: &'a TextField,
    index: &'a Postings,
    bm25: Bm25,
}

impl<'a> Field<'a> {
    fn new(state: &'a State, place: usize) -> Option<Self> {
        let read = state.schema().text_fields().get(place)?;
        let index = state.text(place)?;
        let mean_length = read.mean_length.unwrap_or_else(|| index.mean_length());
        Some(Self { place, read, index, bm25: Bm25::new(state.documents(), mean_length) })
    }

    /// Returns the weight of the term.
    fn add(&self, state: &State, term: &str, count: u32, scores: &mut Scores) -> f64 {
        let Some(postings) = self.index.list(term) else { return 0.0 };
        scores.reserve(state);
        let weight = f64::from(count) * self.bm25.rarity(postings.len() as u64);
        for posting in postings.iter() {
            let length = state.text_length(self.place, posting.row);
            scores.add(posting.row, weight * self.bm25.saturation(posting.frequency, length));
        }
        weight
    }

    fn frequencies(&self, state: &State, term: &str) -> impl Iterator<Item = (Row, f64)> {
        let postings = self.index.list(term).into_iter().flat_map(PostingList::iter);
        postings.map(|Posting { row, frequency }| {
            let length = state.text_length(self.place, row);
            (row, self.read.weight * self.bm25.relative_frequency(frequency, length))
        })
    }
}

fn terms(fields: &[Field<'_>], text: &str) -> BTreeMap<String, Term> {
    let mut terms: BTreeMap<String, Term> = BTreeMap::new();
    for field in fields {
        for query in field.read.analyzer.query_terms(text) {
            let term = terms.entry(query.term).or_default();
            term.count = query.count.max(term.count);
        }
    }
    terms
}

/// Adds the weighted frequencies of the fields, then saturates the sum. Returns the weight of the
/// term.
fn add_weighted(
    state: &State,
    fields: &[Field<'_>],
    term: &str,
    count: u32,
    scores: &mut Scores,
) -> f64 {
    let mut frequencies: Vec<(Row, f64)> = Vec::new();
    for field in fields {
        frequencies = merged(frequencies, field.frequencies(state, term));
    }
    let (Some(field), false) = (fields.first(), frequencies.is_empty()) else { return 0.0 };
    scores.reserve(state);
    let weight = f64::from(count) * field.bm25.rarity(frequencies.len() as u64);
    for (row, frequency) in frequencies {
        scores.add(row, weight * Bm25::saturate(frequency));
    }
    weight
}

/// Both lists are sorted by row.
fn merged(left: Vec<(Row, f64)>, right: impl Iterator<Item = (Row, f64)>) -> Vec<(Row, f64)> {
    if left.is_empty() {
        return right.collect();
    }
    let mut merged = Vec::with_capacity(left.len());
    let mut left = left.into_iter().peekable();
    for (row, frequency) in right {
        while let Some(before) = left.next_if(|(other, _)| *other < row) {
            merged.push(before);
        }
        let same = left.next_if(|(other, _)| *other == row);
        merged.push((row, frequency + same.map_or(0.0, |(_, frequency)| frequency)));
    }
    merged.extend(left);
    merged
}
