//! Full text: the terms of a text as a sparse vector of Milvus.

use std::collections::BTreeMap;

use textsearch_core::text_analysis::SparseTerms;

/// The dimension of records without terms: the server stores no empty vector. It is the last one
/// that the server accepts.
pub(crate) const NO_TERMS: u32 = u32::MAX - 1;

/// Weights by the number of the term.
pub(crate) type Weights = BTreeMap<u32, f32>;

/// Leaves out the two numbers that can't be dimensions of terms.
pub(crate) fn weights(terms: SparseTerms) -> Weights {
    let pairs = terms.numbers.into_iter().zip(terms.weights);
    pairs.filter(|(number, _)| *number < NO_TERMS).collect()
}

/// Writes a sparse vector as the protocol has it.
pub(crate) fn to_bytes(weights: &Weights) -> Vec<u8> {
    let placeholder = [(&NO_TERMS, &1.0)].into_iter().filter(|_| weights.is_empty());
    let pairs = weights.iter().chain(placeholder);
    let bytes = pairs.flat_map(|(number, weight)| [number.to_le_bytes(), weight.to_le_bytes()]);
    bytes.flatten().collect()
}

/// Returns the score of a stored vector for a query.
pub(crate) fn score(query: &Weights, stored: &[u8]) -> f64 {
    let pairs = stored.chunks_exact(8).filter_map(|pair| {
        let (number, weight) = pair.split_at_checked(4)?;
        let number = u32::from_le_bytes(number.try_into().ok()?);
        let weight = f32::from_le_bytes(weight.try_into().ok()?);
        Some(f64::from(*query.get(&number)?) * f64::from(weight))
    });
    pairs.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_scored_as_on_the_server() {
        let stored = to_bytes(&Weights::from([(3, 0.5), (7, 2.0)]));
        assert_eq!(score(&Weights::from([(7, 1.5), (9, 1.0)]), &stored), 3.0);
        assert_eq!(score(&Weights::new(), &stored), 0.0);
    }

    #[test]
    fn records_without_terms_have_a_dimension_that_no_query_has() {
        let expected = [NO_TERMS.to_le_bytes(), 1.0_f32.to_le_bytes()].concat();
        assert_eq!(to_bytes(&Weights::new()), expected);
        let mut terms = SparseTerms::default();
        terms.numbers = vec![7, NO_TERMS, u32::MAX];
        terms.weights = vec![1.0; 3];
        assert_eq!(weights(terms), Weights::from([(7, 1.0)]));
    }
}
