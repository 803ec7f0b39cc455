//! Full-text search: BM25, summed over the fields.

use textsearch_core::{Result, TotalCount, text_analysis::Bm25, vector::VectorSearchOptions};

use super::Ranked;
use crate::{
    chunk::CHUNK_ROWS,
    matcher::Matcher,
    state::{Row, State},
    top::{Best, Ranking},
};

/// Ranks the records that have any word of `text` by how well they fit it.
///
/// Each field is an index of its own, with its own frequencies and its own mean length, so that a rare word in a short
/// title weighs what it should; the scores of the fields are added up. A word that the query repeats counts as often.
/// The texts that a word is rare among are all records that have any word, as on a server that holds the terms of all
/// fields together.
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
    let mean_length = field.mean_length.unwrap_or_else(|| index.mean_length());
    let bm25 = Bm25::new(state.documents(), mean_length);
    for query in field.analyzer.query_terms(text) {
        let Some(postings) = index.of(&query.term) else { continue };
        scores.reserve(state);
        let weight = f64::from(query.count) * bm25.rarity(postings.len() as u64);
        for posting in postings.iter() {
            let length = state.text_length(place, posting.row);
            scores.add(posting.row, weight * bm25.saturation(posting.frequency, length));
        }
    }
}
