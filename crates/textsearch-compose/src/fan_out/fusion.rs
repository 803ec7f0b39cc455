//! Reciprocal rank fusion of rankings without repeats.

use std::hash::Hash;

use foldhash::{HashMap, HashMapExt as _};

/// A result of the fused ranking.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) score: f64,
    /// The ranking that has it first, and its position there, counted from 0.
    pub(super) best: (usize, usize),
    row: usize,
}

pub(super) struct Fused {
    /// Best first.
    pub(super) places: Vec<Place>,
    /// A row for each result with its rank in each ranking, counted from 1; 0 if it isn't in it.
    ranks: Vec<usize>,
    rankings: usize,
}

impl Fused {
    /// Returns the rankings that contain the result, with its ranks, counted from 1.
    pub(super) fn ranks(&self, place: &Place) -> impl Iterator<Item = (usize, usize)> {
        let mut rows = self.ranks.chunks(self.rankings);
        let row = rows.nth(place.row).unwrap_or_default();
        row.iter().copied().enumerate().filter(|(_, rank)| *rank > 0)
    }
}

/// Fuses `rankings`: each result scores the sum of `1 / (constant + rank)` over the rankings that
/// contain it. A ranking that repeats a result counts once. Ties are broken by the best rank, then by
/// the order of the rankings.
pub(super) fn fuse<K: Eq + Hash>(rankings: Vec<Vec<K>>, constant: u32) -> Fused {
    let count = rankings.len();
    let max = rankings.iter().map(Vec::len).sum();
    let mut rows: HashMap<K, usize> = HashMap::with_capacity(max);
    let mut fused = Fused {
        places: Vec::with_capacity(max),
        ranks: Vec::with_capacity(max * count),
        rankings: count,
    };
    for (ranking, keys) in rankings.into_iter().enumerate() {
        for (position, key) in keys.into_iter().enumerate() {
            let rank = position + 1;
            let score = 1.0 / (f64::from(constant) + rank as f64);
            let next = fused.places.len();
            let row = *rows.entry(key).or_insert(next);
            if row == next {
                fused.places.push(Place { score: 0.0, best: (ranking, position), row });
                fused.ranks.resize(fused.ranks.len() + count, 0);
            }
            let (Some(place), Some(known)) =
                (fused.places.get_mut(row), fused.ranks.get_mut(row * count + ranking))
            else {
                continue;
            };
            if *known == 0 {
                *known = rank;
                place.score += score;
                if position < place.best.1 {
                    place.best = (ranking, position);
                }
            }
        }
    }
    fused.places.sort_by(|left, right| {
        right.score.total_cmp(&left.score).then(left.best.1.cmp(&right.best.1))
    });
    fused
}
