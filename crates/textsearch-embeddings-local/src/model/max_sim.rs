//! MaxSim: how well the tokens of a query match the tokens of a text.

use super::linear::{Factors, Linear};
use crate::Precision;

/// The vectors of a query's tokens, packed for multiplication.
pub(crate) struct QueryVectors {
    linear: Linear,
    count: usize,
    size: usize,
}

impl QueryVectors {
    /// `vectors` have `size` elements each.
    pub(crate) fn pack(vectors: &[f32], size: usize) -> Self {
        let count = vectors.len() / size.max(1);
        let linear = Linear::pack(Precision::F32, vectors, size, vec![0.0; count]);
        Self { linear, count, size }
    }

    /// Returns the sum, over the tokens of the query, of the largest product with a token of the
    /// text. Without tokens in the text, it is 0.
    pub(crate) fn max_sim(&self, vectors: &[f32]) -> f64 {
        let mut products = vec![0.0; vectors.len() / self.size.max(1) * self.count];
        self.linear.apply(vectors, &mut products, &mut Factors::default());
        let mut rows = products.chunks_exact(self.count.max(1));
        let mut largest = rows.next().unwrap_or_default().to_vec();
        for row in rows {
            largest.iter_mut().zip(row).for_each(|(largest, value)| *largest = largest.max(*value));
        }
        largest.into_iter().map(f64::from).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_query_token_counts_its_best_match() {
        let query = QueryVectors::pack(&[1.0, 0.0, 0.0, 2.0], 2);
        assert_eq!(query.max_sim(&[3.0, 4.0, 5.0, -1.0]), 5.0 + 8.0);
        assert_eq!(query.max_sim(&[]), 0.0);
    }
}
