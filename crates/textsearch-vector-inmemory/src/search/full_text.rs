//! Full-text search: BM25 over one field, BM25F over several.

use std::collections::BTreeMap;

use textsearch_core::{
    Result, results::TotalCount, text_analysis::Bm25, vector::VectorSearchOptions,
};

use super::{
    ranked::Ranked,
    top::{Best, Ranking},
};
use crate::{
    rows::{CHUNK_ROWS, Row},
    schema::TextField,
    state::{Matcher, State},
    terms::{Posting, PostingList, Postings},
};

/// A word that the query repeats counts as often. The rarity of a word is relative to all records
/// that have any word, as on a server that stores the terms of all fields together.
pub(super) fn rank(
    state: &State,
    text: &str,
    options: &VectorSearchOptions,
    ranking: Ranking,
) -> Result<Ranked> {
    let mut matcher = Matcher::new(options.filter.as_ref(), state.schema())?;
    let places = state.schema().text_places(&options.full_text_fields)?;
    let fields: Vec<Field<'_>> =
        places.into_iter().filter_map(|place| Field::new(state, place)).collect();
    let mut scores = Scores::default();
    for (term, count) in terms(&fields, text) {
        match fields.as_slice() {
            [field] => field.add(state, &term, count, &mut scores),
            fields => add_weighted(state, fields, &term, count, &mut scores),
        }
    }
    let mut best = Best::new(ranking);
    for row in scores.rows {
        let score = scores.by_row.get(row.0 as usize).copied().unwrap_or_default();
        let Some(payload) = state.payload(row) else { continue };
        if state.matches(&mut matcher, row) {
            best.offer(row, score, || Some(payload.key()));
        }
    }
    Ok(Ranked { count: TotalCount::Exact(best.count()), rows: best.into_rows() })
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

    fn add(&self, state: &State, term: &str, count: u32, scores: &mut Scores) {
        let Some(postings) = self.index.list(term) else { return };
        scores.reserve(state);
        let weight = f64::from(count) * self.bm25.rarity(postings.len() as u64);
        for posting in postings.iter() {
            let length = state.text_length(self.place, posting.row);
            scores.add(posting.row, weight * self.bm25.saturation(posting.frequency, length));
        }
    }

    fn frequencies(&self, state: &State, term: &str) -> impl Iterator<Item = (Row, f64)> {
        let postings = self.index.list(term).into_iter().flat_map(PostingList::iter);
        postings.map(|Posting { row, frequency }| {
            let length = state.text_length(self.place, row);
            (row, self.read.weight * self.bm25.relative_frequency(frequency, length))
        })
    }
}

fn terms(fields: &[Field<'_>], text: &str) -> BTreeMap<String, u32> {
    let mut terms = BTreeMap::new();
    for field in fields {
        for query in field.read.analyzer.query_terms(text) {
            let count = terms.entry(query.term).or_default();
            *count = query.count.max(*count);
        }
    }
    terms
}

/// Adds the weighted frequencies of the fields, then saturates the sum.
fn add_weighted(state: &State, fields: &[Field<'_>], term: &str, count: u32, scores: &mut Scores) {
    let mut frequencies: Vec<(Row, f64)> = Vec::new();
    for field in fields {
        frequencies = merged(frequencies, field.frequencies(state, term));
    }
    let (Some(field), false) = (fields.first(), frequencies.is_empty()) else { return };
    scores.reserve(state);
    let weight = f64::from(count) * field.bm25.rarity(frequencies.len() as u64);
    for (row, frequency) in frequencies {
        scores.add(row, weight * Bm25::saturate(frequency));
    }
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
