//! Full-text search: BM25, summed over the fields.

use textsearch_core::{Result, TotalCount, vector::VectorSearchOptions};

use super::Ranked;
use crate::{
    chunk::CHUNK_ROWS,
    matcher::Matcher,
    postings::Postings,
    state::{Row, State},
    text::QueryTerms,
    top::{Best, Ranking},
};

/// How soon more of the same term stops to count for more.
const K1: f64 = 1.2;

/// How much a long text counts against itself.
const B: f64 = 0.75;

/// Ranks the records that have any word of `text` by how well they fit it.
///
/// Each field is an index of its own, with its own frequencies and its own mean length, so that a rare word in a short
/// title weighs what it should; the scores of the fields are added up. A word that the query repeats counts as often.
pub(super) fn rank(
    state: &State,
    text: &str,
    options: &VectorSearchOptions,
    ranking: Ranking,
) -> Result<Ranked> {
    let mut matcher = Matcher::new(options.filter.as_ref(), state.schema())?;
    let mut scores = Scores::default();
    for place in state.schema().text_places(&options.full_text_fields)? {
        add_field(state, place, text, &mut scores);
    }
    let mut best = Best::new(ranking);
    for row in scores.rows {
        let score = scores.by_row.get(row.0 as usize).copied().unwrap_or_default();
        let Some(payload) = state.payload(row) else { continue };
        if state.matches(&mut matcher, row) {
            best.offer(row, score, || Some(payload.key()));
        }
    }
    Ok(Ranked { count: TotalCount::Exact(best.count()), hits: best.into_hits() })
}

/// The scores so far, and the rows that have one.
#[derive(Default)]
struct Scores {
    by_row: Vec<f64>,
    rows: Vec<Row>,
}

impl Scores {
    /// Adds `score`, which is more than nothing, to that of a row.
    fn add(&mut self, row: Row, score: f64) {
        let place = row.0 as usize;
        if let Some(sum) = self.by_row.get_mut(place) {
            if *sum == 0.0 {
                self.rows.push(row);
            }
            *sum += score;
        }
    }

    /// Makes room for the rows of `state`.
    fn reserve(&mut self, state: &State) {
        if self.by_row.is_empty() {
            // A chunk that is not full leaves numbers out.
            self.by_row = vec![0.0; state.chunks().len() * CHUNK_ROWS];
        }
    }
}

fn add_field(state: &State, place: usize, text: &str, scores: &mut Scores) {
    let fields = state.schema().text_fields();
    let (Some(field), Some(index)) = (fields.get(place), state.text(place)) else { return };
    for (term, count) in QueryTerms::of(&field.analyzer, text).0 {
        let Some(postings) = index.of(&term) else { continue };
        scores.reserve(state);
        let weight = f64::from(count) * inverse_document_frequency(index, postings.len());
        for posting in postings.iter() {
            let length = f64::from(state.text_length(place, posting.row));
            let relative = length / index.average_length();
            scores.add(posting.row, weight * saturation(posting.frequency, relative));
        }
    }
}

/// How much a term tells that is in `holders` of the records, in the form that is never negative.
fn inverse_document_frequency(index: &Postings, holders: usize) -> f64 {
    let holders = holders as f64;
    (1.0 + (index.documents() as f64 - holders + 0.5) / (holders + 0.5)).ln()
}

/// How much it counts that a term occurs `frequency` times in a text of `relative` length.
fn saturation(frequency: u32, relative: f64) -> f64 {
    let frequency = f64::from(frequency);
    frequency * (K1 + 1.0) / (frequency + K1 * (1.0 - B + B * relative))
}
