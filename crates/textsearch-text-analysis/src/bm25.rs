//! BM25 scoring.

/// k1: how quickly repeats of a term stop adding to the score.
const K1: f64 = 1.2;

/// b: how much a long text is penalised.
const B: f64 = 0.75;

/// [Okapi BM25](https://en.wikipedia.org/wiki/Okapi_BM25) over the texts of one field, with k1 =
/// 1.2 and b = 0.75.
///
/// A text scores, for each query term in it: the term's count in the query × its
/// [rarity](Self::rarity) × its [saturation](Self::saturation) in the text.
///
/// Several fields are scored by BM25F ([Robertson and others
/// 2004](https://dl.acm.org/doi/10.1145/1031171.1031181)): a term's
/// [frequencies](Self::relative_frequency) times the weights of the fields are added up, and the
/// sum is [saturated](Self::saturate) once.
///
/// ```
/// use textsearch_text_analysis::Bm25;
///
/// let bm25 = Bm25::new(100, 20.0);
/// assert!(bm25.rarity(3) > bm25.rarity(60));
/// assert!(bm25.saturation(2, 20) > bm25.saturation(1, 20));
/// assert!(bm25.saturation(1, 10) > bm25.saturation(1, 20));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25 {
    documents: f64,
    mean_length: f64,
}

impl Bm25 {
    /// Makes the function for `documents` texts with `mean_length` terms on average, stop words
    /// excluded. A mean of 0 or less counts as the smallest positive number.
    pub fn new(documents: u64, mean_length: f64) -> Self {
        Self { documents: documents as f64, mean_length: mean_length.max(f64::MIN_POSITIVE) }
    }

    /// Returns the weight of a term that `holders` of the texts contain; never negative.
    pub fn rarity(&self, holders: u64) -> f64 {
        let holders = holders as f64;
        (1.0 + (self.documents - holders + 0.5) / (holders + 0.5)).ln()
    }

    /// Returns how often a term occurs, relative to the length of the text, for BM25F.
    pub fn relative_frequency(&self, frequency: u32, length: u32) -> f64 {
        let relative = f64::from(length) / self.mean_length;
        f64::from(frequency) / (1.0 - B + B * relative)
    }

    /// Returns the score of a sum of weighted [relative frequencies](Self::relative_frequency): 0
    /// to 2.2.
    pub fn saturate(frequency: f64) -> f64 {
        frequency * (K1 + 1.0) / (frequency + K1)
    }

    /// Returns the score of a term that occurs `frequency` times in a text of `length` terms, stop
    /// words excluded: 0 to 2.2.
    pub fn saturation(&self, frequency: u32, length: u32) -> f64 {
        let frequency = f64::from(frequency);
        let relative = f64::from(length) / self.mean_length;
        frequency * (K1 + 1.0) / (frequency + K1 * (1.0 - B + B * relative))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_match_the_formula() {
        let bm25 = Bm25::new(10, 8.0);
        assert_eq!(bm25.rarity(2), (1.0_f64 + 8.5 / 2.5).ln());
        assert_eq!(bm25.saturation(3, 8), 3.0 * 2.2 / 4.2);
        assert_eq!(bm25.saturation(0, 8), 0.0);
    }

    #[test]
    fn one_field_scores_alike_with_bm25_and_bm25f() {
        let bm25 = Bm25::new(10, 8.0);
        for (frequency, length) in [(1, 3), (3, 8), (7, 900)] {
            let among = Bm25::saturate(bm25.relative_frequency(frequency, length));
            assert!((among - bm25.saturation(frequency, length)).abs() < 1e-12);
        }
        assert_eq!(Bm25::saturate(0.0), 0.0);
    }

    #[test]
    fn rarity_of_a_term_in_all_texts_is_positive() {
        assert!(Bm25::new(10, 8.0).rarity(10) > 0.0);
    }

    #[test]
    fn a_mean_length_of_zero_gives_finite_scores() {
        assert_eq!(Bm25::new(1, 0.0).saturation(1, 0), 2.2 / (1.0 + 1.2 * 0.25));
    }
}
