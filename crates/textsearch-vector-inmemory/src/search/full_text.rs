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
    terms::{Bookmark, Posting, PostingList},
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
        if options.include_explanation {
            term.bookmarks = vec![<(PostingList, Vec<Bookmark>)>::default(); fields.len()];
        }
        match fields.as_slice() {
            [field] => field.add(state, text, term, &mut scores)?,
            fields => add_weighted(state, fields, text, term, &mut scores)?,
        }
    }
    let mut best = Best::new(ranking);
    for row in scores.rows {
        let score = scores.by_row.get(row.0 as usize).copied().unwrap_or_default();
        if state.matches(&mut matcher, row)? {
            best.offer(row, score, || state.key(row))?;
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
    /// The postings of each field with places in them, to read a few rows again; empty unless
    /// results are explained.
    bookmarks: Vec<(PostingList, Vec<Bookmark>)>,
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
        for (row, explanation) in rows.zip(explanations) {
            let Some(step) = explanation.step_mut(ExplanationStep::FULL_TEXT) else { continue };
            for (text, term) in &self.terms {
                let weight = term.weight * self.weight(term, row);
                if weight > 0.0 {
                    step.terms.push(MatchedTerm { term: text.clone(), weight });
                }
            }
            step.terms.sort_by(|left, right| right.weight.total_cmp(&left.weight));
        }
    }

    /// Returns how much `term` counts in the row, between 0 and 1.
    fn weight(&self, term: &Term, row: Row) -> f64 {
        let fields = self.fields.iter().zip(&term.bookmarks);
        let frequencies = fields.filter_map(|(field, (list, places))| {
            let place = places.partition_point(|place| place.row() < row);
            let mut postings = list.iter_from(places.get(place.saturating_sub(1))?);
            let posting = postings.find(|posting| posting.row >= row)?;
            (posting.row == row).then_some((field, posting.frequency))
        });
        let length = |field: &Field<'_>| self.state.text_length(field.place, row);
        if self.fields.len() > 1 {
            Bm25::saturate(
                frequencies
                    .map(|(field, frequency)| {
                        field.read.weight * field.bm25.relative_frequency(frequency, length(field))
                    })
                    .sum(),
            )
        } else {
            frequencies
                .map(|(field, frequency)| field.bm25.saturation(frequency, length(field)))
                .sum()
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
    bm25: Bm25,
}

impl<'a> Field<'a> {
    fn new(state: &'a State, place: usize) -> Option<Self> {
        let read = state.schema().text_fields().get(place)?;
        let mean_length = read.mean_length.unwrap_or(state.text(place)?.mean_length());
        Some(Self { place, read, bm25: Bm25::new(state.documents(), mean_length) })
    }

    fn add(&self, state: &State, text: &str, term: &mut Term, scores: &mut Scores) -> Result<()> {
        let Some(list) = state.postings(self.place, text)? else { return Ok(()) };
        scores.reserve(state);
        term.weight = f64::from(term.count) * self.bm25.rarity(list.len() as u64);
        let weight = term.weight;
        let add = |posting: Posting| {
            let length = state.text_length(self.place, posting.row);
            scores.add(posting.row, weight * self.bm25.saturation(posting.frequency, length));
        };
        match term.bookmarks.first_mut() {
            None => list.iter().for_each(add),
            Some((kept, bookmarks)) => {
                list.iter().bookmarked(bookmarks).for_each(add);
                *kept = list;
            }
        }
        Ok(())
    }

    fn frequencies(
        &self,
        state: &State,
        postings: impl Iterator<Item = Posting>,
    ) -> impl Iterator<Item = (Row, f64)> {
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

/// Adds the weighted frequencies of the fields, then saturates the sum.
fn add_weighted(
    state: &State,
    fields: &[Field<'_>],
    text: &str,
    term: &mut Term,
    scores: &mut Scores,
) -> Result<()> {
    let mut frequencies: Vec<(Row, f64)> = Vec::new();
    for (number, field) in fields.iter().enumerate() {
        let Some(list) = state.postings(field.place, text)? else { continue };
        frequencies = match term.bookmarks.get_mut(number) {
            None => merged(frequencies, field.frequencies(state, list.iter())),
            Some((kept, bookmarks)) => {
                let postings = list.iter().bookmarked(bookmarks);
                let frequencies = merged(frequencies, field.frequencies(state, postings));
                *kept = list;
                frequencies
            }
        };
    }
    let (Some(field), false) = (fields.first(), frequencies.is_empty()) else { return Ok(()) };
    scores.reserve(state);
    term.weight = f64::from(term.count) * field.bm25.rarity(frequencies.len() as u64);
    for (row, frequency) in frequencies {
        scores.add(row, term.weight * Bm25::saturate(frequency));
    }
    Ok(())
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
