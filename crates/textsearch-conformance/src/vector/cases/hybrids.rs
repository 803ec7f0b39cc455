//! Hybrid search.

use std::collections::BTreeMap;

use serde_json::json;
use textsearch_core::{
    Filter,
    vector::{Fusion, Scored, StoredRecord, VectorSearchOptions},
};

use crate::{
    report::skipped,
    vector::{
        VectorSubject,
        fixture::{TestCollection, all, definition, direction, keys, record, refused_option},
    },
};

/// If not, the store must reject one.
async fn has_hybrid(subject: &VectorSubject) -> bool {
    if subject.capabilities.hybrid {
        return true;
    }
    let docs = subject.collection(definition(subject)).await;
    let vector = Some(direction(0)[..].into());
    refused_option(docs.collection.hybrid_search("a", vector, &all()).await, "hybrid search");
    skipped("hybrid");
    false
}

/// Match by both, by words alone, by vector alone, and hardly; no two equally well.
async fn mixed(subject: &VectorSubject) -> TestCollection {
    let docs = subject.collection(definition(subject)).await;
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
    docs
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
    let (best, worst) = (end(ranking.first()), end(ranking.last()));
    if best == worst { 1.0 } else { (score - worst) / (best - worst) }
}

async fn check(subject: &VectorSubject, fusion: Fusion) {
    let docs = mixed(subject).await;
    let expected = expected(&docs, fusion).await;
    let found = docs.hybrid("river", &direction(0), &all().with_fusion(fusion)).await;
    let mut names = keys(&found);
    assert!(found.is_sorted_by(|one, next| one.score >= next.score), "not the best first");
    for scored in &found {
        let key = scored.record.key.to_string();
        let expected = expected.get(&key).copied().unwrap_or_default();
        let is_same = match fusion {
            // It uses ranks alone, so rounded scores don't matter.
            Fusion::ReciprocalRank { .. } => (scored.score - expected).abs() < 2e-7,
            _ => subject.capabilities.is_same_score(scored.score, expected),
        };
        assert!(is_same, "`{key}` by {fusion:?}: {} for {expected}", scored.score);
    }
    names.sort();
    assert_eq!(names, ["bare", "both", "far", "late", "vector", "words"]);
}

/// Each weight shares the dot product and the word score in the same way.
async fn check_sum(subject: &VectorSubject) {
    let docs = mixed(subject).await;
    let scores = async |weight| {
        let options = all().with_fusion(Fusion::weighted_scores(weight));
        let found = docs.hybrid("river", &direction(0), &options).await;
        assert!(found.is_sorted_by(|one, next| one.score >= next.score), "not the best first");
        let scores = found.iter().map(|one| (one.record.key.to_string(), one.score));
        scores.collect::<BTreeMap<_, _>>()
    };
    let (by_vector, by_words) = (scores(1.0).await, scores(0.0).await);
    assert!(by_vector.keys().eq(["both", "far", "late", "vector", "words"]), "{by_vector:?}");
    for scored in docs.nearest(&direction(0), &all()).await {
        let fused = by_vector.get(&scored.record.key.to_string()).copied().unwrap_or_default();
        assert!(subject.capabilities.is_same_score(fused, scored.score), "{scored:?} is {fused}");
    }
    for (key, score) in &by_words {
        let has_word = ["both", "late", "words"].contains(&key.as_str());
        assert!(has_word == (*score > 1e-6) && *score <= 1.0, "`{key}` scores {score} by words");
    }
    for weight in [0.25, 0.5, 0.9] {
        for (key, score) in scores(weight).await {
            let of = |scores: &BTreeMap<String, f64>| scores.get(&key).copied().unwrap_or_default();
            let expected = weight * of(&by_vector) + (1.0 - weight) * of(&by_words);
            let is_same = subject.capabilities.is_same_score(score, expected);
            assert!(is_same, "`{key}` by {weight}: {score} for {expected}");
        }
    }
}

/// 1 ÷ (rank + constant), over both rankings.
pub async fn reciprocal_ranks_are_added_up(subject: &VectorSubject) {
    if !has_hybrid(subject).await {
        return;
    }
    if subject.capabilities.own_fusion || subject.capabilities.weighted_sum {
        let docs = mixed(subject).await;
        let options = all().with_fusion(Fusion::reciprocal_rank(61));
        let vector = Some(direction(0)[..].into());
        let refused = docs.collection.hybrid_search("river", vector, &options).await;
        refused_option(refused, "a fusion that the backend doesn't apply");
        return skipped("own_fusion or weighted_sum");
    }
    for constant in [60, 1, 1_000] {
        check(subject, Fusion::reciprocal_rank(constant)).await;
    }
}

/// Scores are scaled between the worst and the best of a ranking.
pub async fn weighted_scores_are_added_up(subject: &VectorSubject) {
    if !has_hybrid(subject).await {
        return;
    }
    if !subject.capabilities.weighted_scores {
        let docs = mixed(subject).await;
        let options = all().with_fusion(Fusion::weighted_scores(0.5));
        let vector = Some(direction(0)[..].into());
        let refused = docs.collection.hybrid_search("river", vector, &options).await;
        refused_option(refused, "a fusion by weighted scores");
        return skipped("weighted_scores");
    }
    if subject.capabilities.weighted_sum {
        check_sum(subject).await;
        return skipped("weighted_sum");
    }
    for weight in [0.5, 0.9, 0.25] {
        check(subject, Fusion::weighted_scores(weight)).await;
    }
}

/// Such a record comes before the best of either ranking.
pub async fn what_fits_by_both_comes_first(subject: &VectorSubject) {
    if !has_hybrid(subject).await {
        return;
    }
    let docs = subject.collection(definition(subject)).await;
    let data = [("a", "desert", 0), ("b", "river", 1), ("c", "hill", 80), ("d", "field", 85)];
    let records = data.map(|(key, title, degrees)| {
        record(key, json!({ "title": title })).with_vector("embedding", direction(degrees))
    });
    docs.upsert(records.into()).await;
    let found = keys(&docs.hybrid("river", &direction(0), &VectorSearchOptions::top(1)).await);
    assert_eq!(found, ["b"]);
    let wordless = keys(&docs.hybrid("?", &direction(0), &all()).await);
    assert_eq!(wordless, ["a", "b", "c", "d"], "a text without words leaves the vectors");
}

/// A record far down in both rankings beats the best of one.
pub async fn a_hybrid_search_looks_deep_into_both_rankings(subject: &VectorSubject) {
    /// Within [`Fusion::DEPTH`].
    const BETTER: u16 = 900;

    if !has_hybrid(subject).await {
        return;
    }
    if subject.capabilities.own_fusion || subject.capabilities.weighted_sum {
        return skipped("own_fusion or weighted_sum");
    }
    let docs = subject.collection(definition(subject)).await;
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
pub async fn a_hybrid_search_goes_behind_the_filter(subject: &VectorSubject) {
    if !has_hybrid(subject).await {
        return;
    }
    let docs = mixed(subject).await;
    let options = all().with_filter(Filter::ge("year", 60)).with_total_count(true);
    let mut found = keys(&docs.hybrid("river", &direction(0), &options).await);
    found.sort();
    assert_eq!(found, ["far", "late", "words"]);
}

/// The threshold ignores the scores of the rankings.
pub async fn a_hybrid_threshold_is_of_the_fused_score(subject: &VectorSubject) {
    if !has_hybrid(subject).await {
        return;
    }
    if !subject.capabilities.score_thresholds {
        return skipped("score_thresholds");
    }
    let docs = mixed(subject).await;
    let whole = docs.hybrid("river", &direction(0), &all()).await;
    let mut pairs = whole.iter().zip(whole.iter().skip(1)).enumerate();
    let differing = pairs.find(|(_, (better, worse))| better.score > worse.score);
    let (last, (better, worse)) = differing.expect("records have different scores");
    let options = all().with_score_threshold((better.score + worse.score) / 2.0);
    let found = docs.hybrid("river", &direction(0), &options).await;
    let expected: Vec<_> = keys(&whole).into_iter().take(last + 1).collect();
    assert_eq!(keys(&found), expected, "records above the threshold");
}

/// The weight is out of range, or there is neither a vector nor an embedding generator.
pub async fn a_hybrid_search_that_makes_no_sense_is_refused(subject: &VectorSubject) {
    if !has_hybrid(subject).await {
        return;
    }
    let docs = mixed(subject).await;
    for weight in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        let options = all().with_fusion(Fusion::weighted_scores(weight));
        let vector = Some(direction(0)[..].into());
        let refused = docs.collection.hybrid_search("river", vector, &options).await;
        refused_option(refused, &format!("a weight of {weight}"));
    }
    let options = docs.fusible(&all());
    let refused = docs.collection.hybrid_search("river", None, &options).await;
    refused_option(refused, "a hybrid search without a vector");
    for vector in [vec![1.0], vec![f32::NAN, 0.0]] {
        let refused = docs.collection.hybrid_search("river", Some(vector.into()), &options).await;
        refused_option(refused, "a vector that does not fit");
    }
}
