//! Hybrid search.

use std::collections::BTreeMap;

use serde_json::json;
use textsearch_core::{
    Filter,
    results::ExplanationStep,
    vector::{Fusion, Scored, StoredRecord, VectorSearchOptions},
};

use crate::{
    case::skipped,
    vector::{
        VectorSubject,
        fixture::{
            TestCollection, all, direction, is_same_score, keys, record, refused_option,
            sorted_keys,
        },
    },
};

/// `None` if the store declares that it lacks hybrid search. Then it must reject one.
async fn fusing(subject: &VectorSubject) -> Option<TestCollection> {
    let docs = subject.collection(subject.definition()).await;
    if subject.capabilities.has_hybrid() {
        return Some(docs);
    }
    assert_refused(&docs, &all(), "hybrid search").await;
    skipped("hybrid");
    None
}

async fn assert_refused(docs: &TestCollection, options: &VectorSearchOptions, what: &str) {
    let vector = Some(direction(0)[..].into());
    refused_option(docs.collection.hybrid_search("river", vector, options).await, what);
}

/// Match by both, by words alone, by vector alone, and hardly; no two equally well.
async fn mixed(subject: &VectorSubject) -> Option<TestCollection> {
    let docs = fusing(subject).await?;
    let data = [
        ("both", "river", 3),
        ("words", "river river river bank", 80),
        ("vector", "mountain", 0),
        ("late", "a long text that has the river somewhere beside much else", 60),
        ("far", "desert", 70),
    ];
    let records = data.map(|(key, title, degrees)| {
        let data = json!({ "title": title, "year": degrees });
        record(key, data).with_vector("embedding", direction(degrees))
    });
    docs.upsert(records.into()).await;
    docs.upsert(vec![record("bare", json!({ "title": "river of some length" }))]).await;
    Some(docs)
}

/// From the store's own two rankings.
async fn expected(docs: &TestCollection, fusion: Fusion) -> BTreeMap<String, f64> {
    let by_vector = docs.nearest(&direction(0), &all()).await;
    let by_words = docs.worded("river", &all()).await;
    let mut scores = BTreeMap::new();
    for (ranking, is_by_vector) in [(by_vector, true), (by_words, false)] {
        for (place, scored) in (1_u32..).zip(&ranking) {
            let points = match fusion {
                Fusion::ReciprocalRank { rank_constant } => 1.0 / f64::from(rank_constant + place),
                Fusion::WeightedScores { vector_weight } => {
                    let weight = if is_by_vector { vector_weight } else { 1.0 - vector_weight };
                    weight * scaled(&ranking, scored.score)
                }
                other => panic!("the suite does not know {other:?}"),
            };
            *scores.entry(scored.record.key.to_string()).or_default() += points;
        }
    }
    scores
}

/// 0 for the worst of a ranking and 1 for the best.
fn scaled(ranking: &[Scored<StoredRecord>], score: f64) -> f64 {
    let end = |scored: Option<&Scored<StoredRecord>>| scored.map_or(0.0, |scored| scored.score);
    let best = end(ranking.first());
    let worst = end(ranking.last());
    if best == worst { 1.0 } else { (score - worst) / (best - worst) }
}

async fn check(docs: &TestCollection, fusion: Fusion) {
    let expected = expected(docs, fusion).await;
    let results = docs.hybrid("river", &direction(0), &all().with_fusion(fusion)).await;
    assert!(
        results.is_sorted_by(|previous, next| previous.score >= next.score),
        "not the best first"
    );
    for scored in &results {
        let key = scored.record.key.to_string();
        let expected = expected.get(&key).copied().unwrap_or_default();
        let is_same = match fusion {
            // It uses ranks alone, so rounded scores don't matter.
            Fusion::ReciprocalRank { .. } => (scored.score - expected).abs() < 2e-7,
            _ => is_same_score(scored.score, expected),
        };
        assert!(is_same, "`{key}` by {fusion:?}: {} for {expected}", scored.score);
    }
    assert_eq!(sorted_keys(&results), ["bare", "both", "far", "late", "vector", "words"]);
}

/// 1 ÷ (rank + constant), over both rankings.
pub(crate) async fn reciprocal_ranks_are_added_up(subject: &VectorSubject) {
    let Some(docs) = mixed(subject).await else { return };
    if subject.capabilities.own_fusion || subject.capabilities.weighted_sum {
        let options = all().with_fusion(Fusion::reciprocal_rank(61));
        assert_refused(&docs, &options, "a fusion that the backend doesn't apply").await;
        return skipped("own_fusion or weighted_sum");
    }
    for constant in [60, 1, 1_000] {
        check(&docs, Fusion::reciprocal_rank(constant)).await;
    }
}

/// Scores are scaled between the worst and the best of a ranking.
pub(crate) async fn weighted_scores_are_added_up(subject: &VectorSubject) {
    let Some(docs) = mixed(subject).await else { return };
    if subject.capabilities.own_fusion {
        let options = all().with_fusion(Fusion::weighted_scores(0.5));
        assert_refused(&docs, &options, "a fusion by weighted scores").await;
        return skipped("weighted scores");
    }
    if subject.capabilities.weighted_sum {
        return skipped("scores of the fused ranking: the backend's word scores aren't known");
    }
    for weight in [0.5, 0.9, 0.25] {
        check(&docs, Fusion::weighted_scores(weight)).await;
    }
}

/// Such a record comes before the best of either ranking.
pub(crate) async fn what_fits_by_both_comes_first(subject: &VectorSubject) {
    let Some(docs) = fusing(subject).await else { return };
    let data = [("a", "desert", 0), ("b", "river", 1), ("c", "hill", 80), ("d", "field", 85)];
    let records = data.map(|(key, title, degrees)| {
        record(key, json!({ "title": title })).with_vector("embedding", direction(degrees))
    });
    docs.upsert(records.into()).await;
    let first = keys(&docs.hybrid("river", &direction(0), &VectorSearchOptions::top(1)).await);
    assert_eq!(first, ["b"]);
    let wordless = keys(&docs.hybrid("?", &direction(0), &all()).await);
    assert_eq!(wordless, ["a", "b", "c", "d"], "a text without words leaves the vectors");
}

/// A record far down in both rankings beats the best of one.
pub(crate) async fn a_hybrid_search_looks_deep_into_both_rankings(subject: &VectorSubject) {
    /// Within [`Fusion::DEPTH`].
    const BETTER: u16 = 900;

    let Some(docs) = fusing(subject).await else { return };
    if subject.capabilities.own_fusion || subject.capabilities.weighted_sum {
        return skipped("own_fusion or weighted_sum");
    }
    let by_words =
        (0..BETTER).map(|place| record(&format!("w{place:03}"), json!({ "title": "river" })));
    let by_vector = (0..BETTER).map(|place| {
        let vector = [1.0, f32::from(place) / 1_000.0];
        record(&format!("v{place:03}"), json!({})).with_vector("embedding", vector)
    });
    let both = record("both", json!({ "title": "a river beside a road" }));
    let both = both.with_vector("embedding", direction(80));
    docs.upsert(by_words.chain(by_vector).chain([both]).collect()).await;
    // So large that being in both rankings is worth more than any rank.
    let options = VectorSearchOptions::top(1).with_fusion(Fusion::reciprocal_rank(100_000));
    assert_eq!(keys(&docs.hybrid("river", &direction(0), &options).await), ["both"]);
}

/// The filter applies to both rankings.
pub(crate) async fn a_hybrid_search_goes_behind_the_filter(subject: &VectorSubject) {
    let Some(docs) = mixed(subject).await else { return };
    let options = all().with_filter(Filter::ge("year", 60)).with_total_count(true);
    let results = docs.hybrid("river", &direction(0), &options).await;
    assert_eq!(sorted_keys(&results), ["far", "late", "words"]);
}

/// The threshold ignores the scores of the rankings.
pub(crate) async fn a_hybrid_threshold_is_of_the_fused_score(subject: &VectorSubject) {
    let Some(docs) = mixed(subject).await else { return };
    let whole = docs.hybrid("river", &direction(0), &all()).await;
    let mut pairs = whole.iter().zip(whole.iter().skip(1)).enumerate();
    let differing = pairs.find(|(_, (better, worse))| better.score > worse.score);
    let (last, (better, worse)) = differing.expect("records have different scores");
    let options = all().with_score_threshold((better.score + worse.score) / 2.0);
    let results = docs.hybrid("river", &direction(0), &options).await;
    let expected: Vec<_> = keys(&whole).into_iter().take(last + 1).collect();
    assert_eq!(keys(&results), expected, "records above the threshold");
}

/// Neither records nor scores.
pub(crate) async fn an_explanation_changes_no_result(subject: &VectorSubject) {
    let Some(docs) = mixed(subject).await else { return };
    let plain = docs.hybrid("river", &direction(0), &all()).await;
    let explained = docs.hybrid("river", &direction(0), &all().with_explanation(true)).await;
    let pairs = |results: &[Scored<StoredRecord>]| -> Vec<(String, f64)> {
        keys(results).into_iter().zip(results.iter().map(|scored| scored.score)).collect()
    };
    assert_eq!(pairs(&explained), pairs(&plain));
}

/// As far as the store explains a ranking.
pub(crate) async fn explained_ranks_are_those_of_the_rankings(subject: &VectorSubject) {
    let Some(docs) = mixed(subject).await else { return };
    if subject.capabilities.own_fusion || subject.capabilities.weighted_sum {
        return skipped("own_fusion or weighted_sum");
    }
    let explained = docs.hybrid("river", &direction(0), &all().with_explanation(true)).await;
    let by_vector = docs.nearest(&direction(0), &all()).await;
    let by_words = docs.worded("river", &all()).await;
    let rankings = [(ExplanationStep::VECTOR, by_vector), (ExplanationStep::FULL_TEXT, by_words)];
    for (name, ranking) in rankings {
        for scored in &explained {
            let Some(step) = scored.explanation.step(name) else { continue };
            let key = &scored.record.key;
            let place = ranking.iter().position(|other| other.record.key == *key);
            assert_eq!(step.rank, place.map(|place| place + 1), "the {name} rank of {key}");
            let score = place.and_then(|place| ranking.get(place)).map(|other| other.score);
            let is_same = is_same_score(step.score.unwrap_or(f64::NAN), score.unwrap_or(f64::NAN));
            assert!(is_same, "the {name} score of {key} is {score:?}, explained as {step:?}");
        }
    }
}

/// The weight is out of range, or there is neither a vector nor an embedding generator.
pub(crate) async fn a_hybrid_search_that_makes_no_sense_is_refused(subject: &VectorSubject) {
    let Some(docs) = mixed(subject).await else { return };
    for weight in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        let options = all().with_fusion(Fusion::weighted_scores(weight));
        assert_refused(&docs, &options, &format!("a weight of {weight}")).await;
    }
    let options = docs.fusible(&all());
    let refused = docs.collection.hybrid_search("river", None, &options).await;
    refused_option(refused, "a hybrid search without a vector");
    for vector in [vec![1.0], vec![f32::NAN, 0.0]] {
        let refused = docs.collection.hybrid_search("river", Some(vector.into()), &options).await;
        refused_option(refused, "a vector that does not fit");
    }
}
