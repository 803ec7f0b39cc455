//! What attention adds to a score, by how far the key is from the query.

use std::ops::Range;

/// Queries of a panel have consecutive positions; this is at least as many.
const MAX_PANEL: usize = 64;

#[derive(Debug, Clone)]
pub(crate) struct PositionBias {
    /// By the query's position minus the key's, from the lowest difference of two positions.
    biases: Vec<f32>,
    positions: usize,
    /// The most keys before a query that it sees, and after it.
    window: (usize, usize),
}

impl PositionBias {
    /// `bias` gets the query's position minus the key's. It doesn't matter beyond `window`, the most
    /// keys that a query sees before it and after it.
    pub(crate) fn new(
        positions: usize,
        window: (usize, usize),
        bias: impl Fn(isize) -> f32,
    ) -> Self {
        let last = positions.saturating_sub(1).cast_signed();
        let is_visible = |distance: isize| {
            distance.unsigned_abs() <= if distance < 0 { window.1 } else { window.0 }
        };
        let biases = (-last..=last)
            .map(|distance| if is_visible(distance) { bias(distance) } else { f32::NEG_INFINITY });
        // A panel may have more columns than there are queries.
        let biases = biases.chain([0.0; MAX_PANEL]).collect();
        Self { biases, positions, window }
    }

    /// Returns the positions that some of the queries see.
    pub(super) fn visible_keys(&self, queries: Range<usize>) -> Range<usize> {
        let (before, after) = self.window;
        queries.start.saturating_sub(before)..queries.end.saturating_add(after)
    }

    /// Returns the key's biases for this query and the following ones.
    pub(super) fn for_key(&self, key: usize, query: usize) -> &[f32] {
        self.biases.get((self.positions + query).saturating_sub(key + 1)..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn biases_follow_the_distance_and_end_at_the_window() {
        let position_bias = PositionBias::new(4, (2, 0), |distance| distance as f32);
        let none = f32::NEG_INFINITY;
        assert_eq!(position_bias.for_key(0, 0)[..4], [0.0, 1.0, 2.0, none]);
        assert_eq!(position_bias.for_key(2, 0)[..4], [none, none, 0.0, 1.0]);
        assert_eq!(position_bias.visible_keys(5..7), 3..7);
    }
}
