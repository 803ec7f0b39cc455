//! Diversity by maximal marginal relevance.

use std::sync::Arc;

use super::Distance;

/// Returns the candidates' indices in the order that `VectorStoreTextSearch::with_diversity`
/// describes. The candidates must come best first, whether higher or lower `scores` are better.
pub(super) fn diversified(
    scores: &[f64],
    vectors: &[Option<Arc<[f32]>>],
    distance: Distance,
    lambda: f64,
) -> Vec<usize> {
    let scale = Scale::new(scores.last().copied(), scores.first().copied());
    let mut places = Vec::new();
    let mut relevance = Vec::new();
    let mut known = Vec::new();
    for ((place, score), vector) in scores.iter().enumerate().zip(vectors) {
        if let Some(vector) = vector {
            places.push(place);
            relevance.push(scale.apply(*score, 1.0));
            known.push(Arc::clone(vector));
        }
    }
    let order = by_marginal_relevance(&relevance, &Similarities::new(&known, distance), lambda);
    let mut order = order.into_iter().filter_map(|number| places.get(number).copied());
    let choose = |(place, vector): (usize, &Option<_>)| match vector {
        Some(_) => order.next(),
        None => Some(place),
    };
    vectors.iter().enumerate().filter_map(choose).collect()
}

struct Candidate {
    number: usize,
    relevance: f64,
    /// The highest similarity to any selected candidate.
    redundancy: f64,
}

impl Candidate {
    fn marginal_relevance(&self, lambda: f64) -> f64 {
        lambda * self.relevance - (1.0 - lambda) * self.redundancy
    }
}

fn by_marginal_relevance(
    relevance: &[f64],
    similarities: &Similarities,
    lambda: f64,
) -> Vec<usize> {
    let candidate = |(number, &relevance)| Candidate { number, relevance, redundancy: 0.0 };
    let mut remaining: Vec<Candidate> = relevance.iter().enumerate().map(candidate).collect();
    let mut order = Vec::with_capacity(remaining.len());
    while let Some(best) = best_of(&remaining, lambda) {
        let selected = remaining.remove(best);
        for candidate in &mut remaining {
            let similarity = similarities.between(selected.number, candidate.number);
            candidate.redundancy = candidate.redundancy.max(similarity);
        }
        order.push(selected.number);
    }
    order
}

fn best_of(remaining: &[Candidate], lambda: f64) -> Option<usize> {
    let values = remaining.iter().map(|candidate| candidate.marginal_relevance(lambda));
    // `max_by` returns the last of equal maxima, so iterate in reverse.
    let values = values.enumerate().rev();
    values.max_by(|(_, left), (_, right)| left.total_cmp(right)).map(|(place, _)| place)
}

/// Scaled: 1 for the most similar pair, 0 for the least similar.
struct Similarities {
    /// For each vector in turn, its similarities to the vectors before it.
    values: Vec<f64>,
    scale: Scale,
}

impl Similarities {
    fn new(vectors: &[Arc<[f32]>], distance: Distance) -> Self {
        // Normalise each vector once, not once per pair; the cosine is then a dot product.
        let units: Vec<Arc<[f32]>>;
        let (vectors, distance) = if distance.needs_direction() {
            units = vectors.iter().map(|vector| unit(vector)).collect();
            (units.as_slice(), Distance::DotProduct)
        } else {
            (vectors, distance)
        };
        let sign = if distance.is_higher_better() { 1.0 } else { -1.0 };
        let mut values = Vec::with_capacity(vectors.len() * vectors.len() / 2);
        for (number, vector) in vectors.iter().enumerate() {
            let before = vectors.iter().take(number);
            values.extend(before.map(|other| sign * distance.score(vector, other)));
        }
        let low = values.iter().copied().reduce(f64::min);
        let high = values.iter().copied().reduce(f64::max);
        Self { values, scale: Scale::new(low, high) }
    }

    fn between(&self, left: usize, right: usize) -> f64 {
        let first = left.min(right);
        let second = left.max(right);
        let place = second * second.saturating_sub(1) / 2 + first;
        self.values.get(place).map_or(0.0, |value| self.scale.apply(*value, 0.0))
    }
}

fn unit(vector: &[f32]) -> Arc<[f32]> {
    let length = Distance::DotProduct.score(vector, vector).sqrt();
    let scale = if length == 0.0 { 0.0 } else { length.recip() };
    vector.iter().map(|element| (f64::from(*element) * scale) as f32).collect()
}

struct Scale {
    zero: f64,
    span: f64,
}

impl Scale {
    fn new(low: Option<f64>, high: Option<f64>) -> Self {
        let low = low.unwrap_or_default();
        let high = high.unwrap_or_default();
        Self { zero: low, span: high - low }
    }

    fn apply(&self, value: f64, of_equals: f64) -> f64 {
        if self.span == 0.0 { of_equals } else { (value - self.zero) / self.span }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn order(
        scores: &[f64],
        vectors: &[Option<[f32; 2]>],
        distance: Distance,
        lambda: f64,
    ) -> Vec<usize> {
        let vectors: Vec<Option<Arc<[f32]>>> =
            vectors.iter().map(|vector| vector.map(|vector| vector.into())).collect();
        diversified(scores, &vectors, distance, lambda)
    }

    const TWINS: [Option<[f32; 2]>; 4] =
        [Some([1.0, 0.0]), Some([1.0, 0.01]), Some([0.0, 1.0]), Some([0.7, 0.7])];

    #[test]
    fn repeated_results_come_after_new_ones() {
        let scores = [0.9, 0.89, 0.6, 0.3];
        assert_eq!(order(&scores, &TWINS, Distance::CosineSimilarity, 0.5), [0, 2, 1, 3]);
        assert_eq!(order(&scores, &TWINS, Distance::CosineSimilarity, 1.0), [0, 1, 2, 3]);
        assert_eq!(order(&scores, &TWINS, Distance::CosineSimilarity, 0.0), [0, 2, 3, 1]);
    }

    #[test]
    fn order_matches_the_formula() {
        // Scaled relevance: 1, 0.75, 0. Scaled similarities: 1 (0, 1), 0 (0, 2), 0.5 (1, 2).
        let vectors = [Some([0.0, 0.0]), Some([1.0, 0.0]), Some([3.0, 0.0])];
        let scores = [10.0, 9.0, 6.0];
        // Candidates 1 and 2 are equal at 0.75 l - (1 - l) = 0: l = 4/7.
        assert_eq!(order(&scores, &vectors, Distance::Euclidean, 0.57), [0, 2, 1]);
        assert_eq!(order(&scores, &vectors, Distance::Euclidean, 0.58), [0, 1, 2]);
    }

    #[test]
    fn lower_is_better_scores_give_the_same_order() {
        for distance in Distance::ALL {
            let higher = order(&[3.0, 2.0, 1.0, 0.0], &TWINS, distance, 0.4);
            let lower = order(&[0.0, 1.0, 2.0, 3.0], &TWINS, distance, 0.4);
            assert_eq!(higher, lower, "{distance:?}");
        }
    }

    #[test]
    fn a_candidate_without_a_vector_keeps_its_place() {
        let vectors = [TWINS[0], None, TWINS[1], TWINS[2], None];
        let selected = order(&[1.0, 0.9, 0.8, 0.7, 0.6], &vectors, Distance::CosineSimilarity, 0.3);
        assert_eq!(selected, [0, 1, 3, 2, 4]);
        assert_eq!(order(&[1.0, 0.5], &[None, None], Distance::DotProduct, 0.0), [0, 1]);
    }

    #[test]
    fn accepts_zero_vectors_and_equal_scores() {
        let zeros = [Some([0.0, 0.0]); 3];
        assert_eq!(order(&[1.0, 1.0, 1.0], &zeros, Distance::CosineDistance, 0.5), [0, 1, 2]);
        assert_eq!(order(&[], &[], Distance::CosineDistance, 0.5), [0_usize; 0]);
    }

    fn by_the_book(scores: &[f64], vectors: &[Arc<[f32]>], lambda: f64) -> Vec<usize> {
        let all: Vec<usize> = (0..scores.len()).collect();
        let similarity = |i: usize, j: usize| Distance::DotProduct.score(&vectors[i], &vectors[j]);
        let pairs = all.iter().flat_map(|&i| all.iter().map(move |&j| (i, j)));
        let values: Vec<f64> =
            pairs.filter(|(i, j)| i != j).map(|(i, j)| similarity(i, j)).collect();
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let scaled = |i, j| if high > low { (similarity(i, j) - low) / (high - low) } else { 0.0 };
        let first = scores[0];
        let last = scores[scores.len() - 1];
        let relevance =
            |i: usize| if first == last { 1.0 } else { (scores[i] - last) / (first - last) };
        let mut selected: Vec<usize> = Vec::new();
        while selected.len() < scores.len() {
            let value = |i: usize| {
                let redundancy = selected.iter().map(|&j| scaled(i, j)).fold(0.0, f64::max);
                lambda * relevance(i) - (1.0 - lambda) * redundancy
            };
            let left = all.iter().copied().filter(|i| !selected.contains(i));
            let next = left.reduce(|best, i| if value(i) > value(best) { i } else { best });
            selected.extend(next);
        }
        selected
    }

    proptest! {
        #[test]
        fn any_ranking_matches_the_papers_formula(
            rows in prop::collection::vec((0_i8..20, prop::array::uniform3(-4_i8..4)), 1..20),
            lambda in 0.0_f64..=1.0,
        ) {
            let mut scores: Vec<f64> = rows.iter().map(|(score, _)| f64::from(*score)).collect();
            scores.sort_by(|left, right| right.total_cmp(left));
            let vectors: Vec<Arc<[f32]>> =
                rows.iter().map(|(_, vector)| vector.map(f32::from).into()).collect();
            let some: Vec<Option<Arc<[f32]>>> = vectors.iter().cloned().map(Some).collect();
            let selected = diversified(&scores, &some, Distance::DotProduct, lambda);
            prop_assert_eq!(selected, by_the_book(&scores, &vectors, lambda));
        }
    }
}
