//! Faults in results.

use textsearch_conformance::core::{
    Filter, Result, SearchResults,
    results::{ExplanationStep, TotalCount},
    vector::{
        Fusion, RecordKey, ScanOptions, Scored, StoredRecord, VectorCollection, VectorSearchOptions,
    },
};

use super::{
    fault::Fault,
    queries::{Query, ScoredResults},
};

/// Returns the results with the fault, given the changed options and the caller's filter.
pub(super) async fn changed(
    fault: Fault,
    collection: &dyn VectorCollection,
    query: &Query,
    options: &VectorSearchOptions,
    filter: Option<&Filter>,
) -> Result<ScoredResults> {
    match fault {
        Fault::CutsFusion => cut_fusion(collection, query, options).await,
        Fault::RanksBackwards
        | Fault::BreaksTiesBackwards
        | Fault::BreaksTiesByText
        | Fault::NeedsEveryWord
        | Fault::FusesCommonRecords => reranked(fault, collection, query, options).await,
        _ => {
            let results = query.ask(collection, options).await?;
            let count = results.total_count();
            let mut records = results.into_vec().await?;
            if let (Fault::FiltersAfterTop, Some(filter)) = (fault, filter) {
                records.retain(|scored| filter.matches_object(&scored.record.data));
            }
            if let (Fault::ThresholdIsExclusive, Some(threshold)) = (fault, options.score_threshold)
            {
                records.retain(|scored| scored.score != threshold);
            }
            if fault == Fault::ScoresByRank {
                let places = records.iter_mut().zip(1_u32..);
                places.for_each(|(scored, place)| scored.score = 1.0 / f64::from(place));
            }
            if options.include_explanation {
                explain_badly(fault, &mut records);
            }
            let count = match fault {
                Fault::CountsTheWindow => count.map(|_| TotalCount::Exact(records.len() as u64)),
                Fault::CountsWithoutFilter if count.is_some() => {
                    collection.scan(&ScanOptions::default()).await?.total_count()
                }
                _ => count,
            };
            Ok(counted(records, count))
        }
    }
}

fn explain_badly(fault: Fault, records: &mut [Scored<StoredRecord>]) {
    match fault {
        Fault::MovesWhatItExplains => records.reverse(),
        Fault::ExplainsTheFusedRank => {
            for (scored, rank) in records.iter_mut().zip(1..) {
                if let Some(step) = scored.explanation.step_mut(ExplanationStep::VECTOR) {
                    step.rank = Some(rank);
                }
            }
        }
        _ => {}
    }
}

fn counted(records: Vec<Scored<StoredRecord>>, count: Option<TotalCount>) -> ScoredResults {
    let results = SearchResults::from_vec(records);
    match count {
        Some(count) => results.with_total_count(count),
        None => results,
    }
}

/// Changes the whole ranking, then takes the window.
async fn reranked(
    fault: Fault,
    collection: &dyn VectorCollection,
    query: &Query,
    options: &VectorSearchOptions,
) -> Result<ScoredResults> {
    let mut whole = options.clone();
    (whole.top, whole.skip) = (usize::MAX, 0);
    let results = query.ask(collection, &whole).await?;
    let count = results.total_count();
    let mut records = results.into_vec().await?;
    let text = |scored: &Scored<StoredRecord>| scored.record.key.to_string();
    match (fault, query) {
        (Fault::RanksBackwards, _) => records.reverse(),
        (Fault::BreaksTiesBackwards, _) => {
            sort_ties(&mut records, |left, right| right.record.key.cmp(&left.record.key));
        }
        (Fault::BreaksTiesByText, _) => {
            sort_ties(&mut records, |left, right| text(left).cmp(&text(right)));
        }
        (Fault::NeedsEveryWord, Query::Words(words)) => {
            for word in words.split_whitespace().take(9) {
                keep(
                    &mut records,
                    &keys(collection, &Query::Words(word.to_owned()), &whole).await?,
                );
            }
        }
        (Fault::FusesCommonRecords, Query::Hybrid(text, vector)) => {
            let mut rankings = vec![Query::Words(text.clone())];
            rankings.extend(vector.clone().map(|vector| Query::Input(vector.into())));
            for ranking in rankings {
                keep(&mut records, &keys(collection, &ranking, &whole).await?);
            }
        }
        _ => {}
    }
    let window = records.into_iter().skip(options.skip).take(options.top);
    Ok(counted(window.collect(), count))
}

/// Keeps the order of different scores.
fn sort_ties(
    records: &mut [Scored<StoredRecord>],
    compare: impl Fn(&Scored<StoredRecord>, &Scored<StoredRecord>) -> std::cmp::Ordering,
) {
    for ties in records.chunk_by_mut(|previous, next| previous.score == next.score) {
        ties.sort_by(&compare);
    }
}

fn keep(records: &mut Vec<Scored<StoredRecord>>, keys: &[RecordKey]) {
    records.retain(|scored| keys.contains(&scored.record.key));
}

async fn keys(
    collection: &dyn VectorCollection,
    query: &Query,
    options: &VectorSearchOptions,
) -> Result<Vec<RecordKey>> {
    let results = query.ask(collection, options).await?.into_vec().await?;
    Ok(results.into_iter().map(|scored| scored.record.key).collect())
}

/// Fuses ten records of each ranking for each result.
async fn cut_fusion(
    collection: &dyn VectorCollection,
    query: &Query,
    options: &VectorSearchOptions,
) -> Result<ScoredResults> {
    let Query::Hybrid(text, Some(vector)) = query else {
        return query.ask(collection, options).await;
    };
    let mut few = VectorSearchOptions::top(options.top.saturating_mul(10).max(10));
    few.filter.clone_from(&options.filter);
    let by_words = Query::Words(text.clone()).ask(collection, &few).await?.into_vec().await?;
    let by_vector = Query::Input(vector.clone().into()).ask(collection, &few).await?;
    let by_vector = by_vector.into_vec().await?;
    let keyed = |records: &[Scored<StoredRecord>]| -> Vec<(RecordKey, f64)> {
        records.iter().map(|scored| (scored.record.key.clone(), scored.score)).collect()
    };
    let scores = Fusion::fuse(&options.fusion, keyed(&by_vector), keyed(&by_words));
    let mut records = by_vector;
    records.extend(by_words);
    records.sort_by(|left, right| left.record.key.cmp(&right.record.key));
    records.dedup_by(|left, right| left.record.key == right.record.key);
    let fused = records.iter_mut();
    fused.for_each(|scored| {
        scored.score = scores.get(&scored.record.key).copied().unwrap_or_default();
    });
    records.sort_by(|left, right| right.score.total_cmp(&left.score));
    let window = records.into_iter().skip(options.skip).take(options.top);
    Ok(SearchResults::from_vec(window.collect()))
}
