//! The scores and order of every distance.

use textsearch_core::vector::{Distance, RecordDefinition};

use crate::{
    report::skipped,
    vector::{
        VectorSubject,
        fixture::{all, is_same_score, point},
    },
};

/// Of several lengths and signs. Some share elements with the query.
const VECTORS: [(&str, [f32; 4]); 8] = [
    ("same", [0.5, -1.0, 2.0, 0.25]),
    ("longer", [1.0, -2.0, 4.0, 0.5]),
    ("opposite", [-0.5, 1.0, -2.0, -0.25]),
    ("across", [1.0, 0.5, 0.0, 0.0]),
    ("small", [0.01, 0.02, 0.03, 0.05]),
    ("large", [100.0, -250.0, 75.0, 3.0]),
    ("one apart", [0.5, -1.0, 2.0, 1.5]),
    ("two apart", [0.5, 7.0, 2.0, -4.0]),
];

const QUERY: [f32; 4] = [0.5, -1.0, 2.0, 0.25];

macro_rules! cases {
    ($($name:ident: $distance:ident),* $(,)?) => {$(
        /// Best first.
        pub(crate) async fn $name(subject: &VectorSubject) {
            check(subject, Distance::$distance).await;
        }
    )*};
}

cases! {
    cosine_similarity_scores_as_it_is_defined: CosineSimilarity,
    cosine_distance_scores_as_it_is_defined: CosineDistance,
    dot_product_scores_as_it_is_defined: DotProduct,
    negative_dot_product_scores_as_it_is_defined: NegativeDotProduct,
    euclidean_scores_as_it_is_defined: Euclidean,
    squared_euclidean_scores_as_it_is_defined: EuclideanSquared,
    manhattan_scores_as_it_is_defined: Manhattan,
    hamming_scores_as_it_is_defined: Hamming,
    jaccard_scores_as_it_is_defined: Jaccard,
}

async fn check(subject: &VectorSubject, distance: Distance) {
    let field = subject.vector("embedding", QUERY.len()).with_distance(distance);
    let definition = RecordDefinition::new("id").with_vector(field);
    if !subject.capabilities.distances.contains(&distance) {
        subject.refuses(definition, "a distance").await;
        return skipped("distances");
    }
    let docs = subject.collection(definition).await;
    docs.upsert(VECTORS.map(|(key, vector)| point(key, &vector)).into()).await;
    let found = docs.nearest(&QUERY, &all()).await;
    assert_eq!(found.len(), VECTORS.len());
    let is_best_first = found.is_sorted_by(|first, second| {
        if distance.is_higher_better() {
            first.score >= second.score
        } else {
            first.score <= second.score
        }
    });
    assert!(is_best_first, "not the best first by {distance:?}: {found:?}");
    for scored in &found {
        let given = VECTORS.iter().find(|(key, _)| *key == scored.record.key.to_string());
        let (key, vector) = given.expect("a record that was stored");
        let expected = distance.score(&QUERY, vector);
        let is_same = is_same_score(scored.score, expected);
        assert!(is_same, "{distance:?} of `{key}`: {} for {expected}", scored.score);
    }
}
