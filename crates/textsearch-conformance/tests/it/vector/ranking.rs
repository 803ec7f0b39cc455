//! Rankings by vector, by words and by both.

use std::collections::BTreeMap;

use serde_json::Value;
use textsearch_conformance::core::{
    Result, SearchResults,
    results::TotalCount,
    vector::{
        DataField, Fusion, RecordKey, Scored, StoredRecord, VectorCollection as _,
        VectorSearchOptions,
    },
};

use super::{
    collection::{ListCollection, is_comparable},
    store::{Mistake, refused},
};

/// Best first.
pub(super) type Ranking = Vec<(StoredRecord, f64)>;

pub(super) fn by_vector(
    list: &ListCollection,
    query: &[f32],
    options: &VectorSearchOptions,
) -> Result<Ranking> {
    check_threshold(list, options)?;
    let field = list.definition().vector_field(options.vector_field.as_deref(), "lists")?;
    if !is_comparable(query, field) {
        return Err(refused("vector", format_args!("{query:?}"), "one that fits"));
    }
    let candidates = list.matching(options.filter.as_ref())?;
    let candidates =
        if list.has(Mistake::FiltersAfterTop) { list.matching(None)? } else { candidates };
    let scored = candidates.into_iter().filter_map(|record| {
        let score = field.distance.score(query, record.vectors.get(&field.name)?);
        Some((record, score))
    });
    let is_higher_better = field.distance.is_higher_better() != list.has(Mistake::RanksBackwards);
    let ranked = sorted(list, scored.collect(), is_higher_better);
    Ok(reaching(list, ranked, options.score_threshold, field.distance.is_higher_better()))
}

pub(super) fn by_words(
    list: &ListCollection,
    text: &str,
    options: &VectorSearchOptions,
) -> Result<Ranking> {
    check_threshold(list, options)?;
    let fields: Vec<(&str, f64)> = list
        .definition()
        .full_text_fields()
        .map(|field| (field.name.as_str(), weight(list, field)))
        .collect();
    let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let unknown = options.full_text_fields.iter().find(|name| !names.contains(&name.as_str()));
    if names.is_empty() || unknown.is_some() {
        return Err(refused("full_text_fields", format_args!("{unknown:?}"), &names.join(", ")));
    }
    let is_read = |name: &str| {
        options.full_text_fields.is_empty()
            || options.full_text_fields.iter().any(|one| one == name)
    };
    let query = words(text);
    let score = |record: &StoredRecord| -> f64 {
        let read = fields.iter().filter(|(name, _)| is_read(name));
        let scores = read.filter_map(|(name, weight)| {
            let text = record.data.get(*name).and_then(Value::as_str)?;
            Some(weight * overlap(&query, &words(text)))
        });
        scores.sum()
    };
    let found = list.matching(options.filter.as_ref())?.into_iter();
    let scored = found.map(|record| (score(&record), record)).filter(|(score, _)| *score > 0.0);
    let ranked = sorted(list, scored.map(|(score, record)| (record, score)).collect(), true);
    Ok(reaching(list, ranked, options.score_threshold, true))
}

fn weight(list: &ListCollection, field: &DataField) -> f64 {
    match &field.full_text {
        Some(full_text) if !list.has(Mistake::IgnoresWeights) => full_text.weight_or_default(),
        _ => 1.0,
    }
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// A repeated query word counts once.
fn overlap(query: &[String], text: &[String]) -> f64 {
    let mut query = query.to_vec();
    query.sort();
    query.dedup();
    let hits = query.iter().map(|word| {
        let times = text.iter().filter(|one| *one == word).count() as f64;
        times / (times + text.len() as f64 + 1.0)
    });
    hits.sum()
}

pub(super) fn fused(
    list: &ListCollection,
    text: &str,
    vector: &[f32],
    options: &VectorSearchOptions,
) -> Result<Ranking> {
    if let Fusion::WeightedScores { vector_weight } = options.fusion
        && !(0.0..=1.0).contains(&vector_weight)
    {
        return Err(refused("fusion", vector_weight, "0 to 1"));
    }
    let mut whole = options.clone();
    whole.score_threshold = None;
    let rankings = [by_vector(list, vector, &whole)?, by_words(list, text, &whole)?];
    let mut scores: BTreeMap<RecordKey, (StoredRecord, f64)> = BTreeMap::new();
    for (ranking, is_by_vector) in rankings.into_iter().zip([true, false]) {
        let ends = (ranking.first().map(|one| one.1), ranking.last().map(|one| one.1));
        let (best, worst) = (ends.0.unwrap_or_default(), ends.1.unwrap_or_default());
        for (place, (record, score)) in (1_u32..).zip(ranking) {
            let points = match options.fusion {
                Fusion::ReciprocalRank { rank_constant } => {
                    let ignores = list.has(Mistake::IgnoresTheRankConstant);
                    1.0 / f64::from(place + if ignores { 60 } else { rank_constant })
                }
                Fusion::WeightedScores { vector_weight } => {
                    let weight = if is_by_vector { vector_weight } else { 1.0 - vector_weight };
                    let scaled = if best == worst { 1.0 } else { (score - worst) / (best - worst) };
                    weight * scaled
                }
                other => {
                    return Err(refused("fusion", format_args!("{other:?}"), "ranks or scores"));
                }
            };
            scores.entry(record.key.clone()).or_insert((record, 0.0)).1 += points;
        }
    }
    let ranked = sorted(list, scores.into_values().collect(), true);
    Ok(reaching(list, ranked, options.score_threshold, true))
}

fn check_threshold(list: &ListCollection, options: &VectorSearchOptions) -> Result<()> {
    match options.score_threshold {
        Some(threshold) if threshold.is_nan() || list.has(Mistake::DoesLess) => {
            Err(refused("score_threshold", threshold, "none"))
        }
        _ => Ok(()),
    }
}

fn sorted(list: &ListCollection, mut ranked: Ranking, is_higher_better: bool) -> Ranking {
    ranked.sort_by(|one, other| {
        let by_score = one.1.total_cmp(&other.1);
        let by_score = if is_higher_better { by_score.reverse() } else { by_score };
        let by_key = one.0.key.cmp(&other.0.key);
        by_score.then(if list.has(Mistake::BreaksTiesBackwards) {
            by_key.reverse()
        } else {
            by_key
        })
    });
    ranked
}

fn reaching(
    list: &ListCollection,
    mut ranked: Ranking,
    threshold: Option<f64>,
    is_higher_better: bool,
) -> Ranking {
    if let Some(threshold) = threshold {
        let is_exclusive = list.has(Mistake::TakesThresholdsAsExclusive);
        ranked.retain(|(_, score)| {
            let is_better = if is_higher_better { *score > threshold } else { *score < threshold };
            is_better || (*score == threshold && !is_exclusive)
        });
    }
    ranked
}

pub(super) fn window(
    list: &ListCollection,
    ranked: Ranking,
    options: &VectorSearchOptions,
) -> SearchResults<Scored<StoredRecord>> {
    let count = ranked.len();
    let skip =
        if list.has(Mistake::SkipsTwice) { options.skip.saturating_mul(2) } else { options.skip };
    let mut found: Vec<_> = ranked.into_iter().skip(skip).take(options.top).collect();
    if let (true, Some(filter)) = (list.has(Mistake::FiltersAfterTop), &options.filter) {
        found.retain(|(record, _)| filter.matches_object(&record.data));
    }
    let count = if list.has(Mistake::CountsTheWindow) { found.len() } else { count };
    let found = found.into_iter().map(|(record, score)| {
        let record = list.finish(record, options.include_vectors);
        Scored::new(record, score, std::sync::Arc::clone(list.definition()))
    });
    let results = SearchResults::from_vec(found.collect());
    if options.include_total_count {
        results.with_total_count(TotalCount::Exact(count as u64))
    } else {
        results
    }
}
