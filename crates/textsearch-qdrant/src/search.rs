//! Searches by one ranking.

use std::sync::Arc;

use qdrant_client::qdrant::{Condition, Filter, QueryBatchPoints, QueryPoints, ScoredPoint};
use textsearch_core::{
    Error, ErrorKind, Result, SearchResults,
    results::TotalCount,
    vector::{Scored, SearchInput, StoredRecord, VectorSearchOptions},
};

use crate::{
    CONNECTOR,
    handle::QdrantCollection,
    query::{Hit, Ranking, order},
};

/// Maximum number of records read to order equal scores, to count records above a threshold, and to
/// fuse two rankings.
pub(crate) const MAX_LOOKED_AT: usize = 10_000;

/// A text searches by words, because a plain collection has no embedding generator.
pub(crate) async fn by_input(
    collection: &QdrantCollection,
    input: &SearchInput,
    options: &VectorSearchOptions,
) -> Result<SearchResults<Scored<StoredRecord>>> {
    check_options(options)?;
    match input {
        SearchInput::Vector(vector) => {
            let ranking = Ranking::by_vector(collection, vector, options).await?;
            results(collection, ranking, options, None).await
        }
        SearchInput::Text(text) => {
            collection.definition.check_text_input(CONNECTOR)?;
            by_text(collection, text, options).await
        }
    }
}

pub(crate) async fn by_text(
    collection: &QdrantCollection,
    text: &str,
    options: &VectorSearchOptions,
) -> Result<SearchResults<Scored<StoredRecord>>> {
    check_options(options)?;
    match Ranking::by_words(collection, text, options).await? {
        Some(ranking) => results(collection, ranking, options, None).await,
        None => {
            collection.check_exists().await?;
            Ok(scored(collection, Vec::new(), options, TotalCount::Exact(0)))
        }
    }
}

pub(crate) async fn batch(
    collection: &QdrantCollection,
    inputs: &[SearchInput],
    options: &VectorSearchOptions,
) -> Result<Vec<SearchResults<Scored<StoredRecord>>>> {
    check_options(options)?;
    let mut rankings = Vec::with_capacity(inputs.len());
    for input in inputs {
        rankings.push(match input {
            SearchInput::Vector(vector) => {
                Some(Ranking::by_vector(collection, vector, options).await?)
            }
            SearchInput::Text(text) => {
                collection.definition.check_text_input(CONNECTOR)?;
                Ranking::by_words(collection, text, options).await?
            }
        });
    }
    let wanted = wanted(collection, options).await?;
    let requests = rankings.iter().flatten();
    let requests =
        requests.map(|one| one.request(collection, first_limit(wanted), options.include_vectors));
    let mut answers = query_batch(collection, requests.collect()).await?.into_iter();
    let mut found = Vec::with_capacity(inputs.len());
    for ranking in rankings {
        found.push(match ranking {
            Some(ranking) => results(collection, ranking, options, answers.next()).await?,
            None => scored(collection, Vec::new(), options, TotalCount::Exact(0)),
        });
    }
    Ok(found)
}

/// # Errors
/// Returns `Undecodable` if the response has a different number of rankings: it doesn't say which
/// one is missing.
pub(crate) async fn query_batch(
    collection: &QdrantCollection,
    requests: Vec<QueryPoints>,
) -> Result<Vec<Vec<ScoredPoint>>> {
    if requests.is_empty() {
        collection.check_exists().await?;
        return Ok(Vec::new());
    }
    let answered = collection.request(|client| {
        let request = QueryBatchPoints {
            collection_name: collection.name.clone(),
            query_points: requests.clone(),
            ..QueryBatchPoints::default()
        };
        async move { client.query_batch(request).await }
    });
    let (asked, found) = (requests.len(), answered.await?.result);
    if found.len() != asked {
        let message = format!(
            "the response to a batch of {asked} searches has the results of {} and does not say which",
            found.len()
        );
        return Err(Error::new(ErrorKind::Undecodable, CONNECTOR, message));
    }
    Ok(found.into_iter().map(|batch| batch.result).collect())
}

pub(crate) async fn query(
    collection: &QdrantCollection,
    request: QueryPoints,
) -> Result<Vec<ScoredPoint>> {
    let answered = collection.request(|client| {
        let request = request.clone();
        async move { client.query(request).await }
    });
    Ok(answered.await?.result)
}

pub(crate) fn check_options(options: &VectorSearchOptions) -> Result<()> {
    match options.score_threshold {
        Some(threshold) if threshold.is_nan() => {
            let found = "not a number";
            Err(Error::invalid_options(CONNECTOR, "score_threshold", found, "a number"))
        }
        _ => Ok(()),
    }
}

/// Returns at most the number of records, because the server allocates memory for the requested
/// number.
async fn wanted(collection: &QdrantCollection, options: &VectorSearchOptions) -> Result<usize> {
    let wanted = options.skip.saturating_add(options.top);
    if wanted <= MAX_LOOKED_AT {
        return Ok(wanted);
    }
    let all = collection.count(None).await?;
    Ok(wanted.min(usize::try_from(all).unwrap_or(usize::MAX)))
}

/// One more than wanted shows whether the last result has ties.
pub(crate) fn first_limit(wanted: usize) -> usize {
    wanted.saturating_add(1)
}

async fn results(
    collection: &QdrantCollection,
    ranking: Ranking,
    options: &VectorSearchOptions,
    answer: Option<Vec<ScoredPoint>>,
) -> Result<SearchResults<Scored<StoredRecord>>> {
    let ask = |limit| ranking.request(collection, limit, options.include_vectors);
    let wanted = wanted(collection, options).await?;
    let found = with_equals(collection, wanted, answer, ask).await?;
    let count = if options.include_total_count {
        count(collection, &ranking, options).await?
    } else {
        TotalCount::Estimated(0)
    };
    let hits = found.into_iter().map(|point| Hit::new(collection, point, ranking.distance));
    let mut hits = hits.collect::<Result<Vec<_>>>()?;
    let higher_better = ranking.distance.is_higher_better();
    order(&mut hits, higher_better, |hit| (hit.score, &hit.record.key));
    hits.retain(|hit| reaches(hit.score, options.score_threshold, higher_better));
    Ok(scored(collection, hits, options, count))
}

/// Returns the best points of a ranking, plus all that tie with the last wanted one; their keys
/// decide which of them are results.
pub(crate) async fn with_equals(
    collection: &QdrantCollection,
    wanted: usize,
    answer: Option<Vec<ScoredPoint>>,
    ask: impl Fn(usize) -> QueryPoints,
) -> Result<Vec<ScoredPoint>> {
    let mut limit = first_limit(wanted);
    let mut found = match answer {
        Some(found) => found,
        None => query(collection, ask(limit)).await?,
    };
    loop {
        let last_wanted = wanted.checked_sub(1).and_then(|place| found.get(place));
        let is_cut = match (last_wanted, found.last()) {
            (Some(wanted), Some(last)) => found.len() >= limit && wanted.score == last.score,
            _ => false,
        };
        let max = MAX_LOOKED_AT.max(wanted);
        if !is_cut || limit >= max {
            return Ok(found);
        }
        limit = limit.saturating_mul(4).max(64).min(max);
        found = query(collection, ask(limit)).await?;
    }
}

async fn count(
    collection: &QdrantCollection,
    ranking: &Ranking,
    options: &VectorSearchOptions,
) -> Result<TotalCount> {
    let has_vector = Condition::has_vector(ranking.using.clone());
    let mut conditions =
        ranking.filter.clone().map(Condition::from).into_iter().collect::<Vec<_>>();
    conditions.push(has_vector);
    let all = collection.count(Some(Filter::must(conditions))).await?;
    let is_by_words = ranking.using == crate::path::TERMS;
    if options.score_threshold.is_none() && !is_by_words {
        return Ok(TotalCount::Exact(all));
    }
    // The server can't count by score or by words, so rank the records.
    let mut request = ranking.request(collection, MAX_LOOKED_AT, false);
    request.with_payload = None;
    let found = query(collection, request).await?;
    if found.len() >= MAX_LOOKED_AT {
        return Ok(TotalCount::Estimated(all));
    }
    let distance = ranking.distance;
    let is_within = |point: &&ScoredPoint| {
        let score = crate::schema::score(distance, point.score);
        reaches(score, options.score_threshold, distance.is_higher_better())
    };
    Ok(TotalCount::Exact(found.iter().filter(is_within).count() as u64))
}

/// Compares within the precision of the server's scores.
pub(crate) fn reaches(score: f64, threshold: Option<f64>, higher_better: bool) -> bool {
    threshold.is_none_or(|threshold| {
        let (score, threshold) = (score as f32, threshold as f32);
        if higher_better { score >= threshold } else { score <= threshold }
    })
}

pub(crate) fn scored(
    collection: &QdrantCollection,
    hits: Vec<Hit>,
    options: &VectorSearchOptions,
    count: TotalCount,
) -> SearchResults<Scored<StoredRecord>> {
    let hits = hits.into_iter().skip(options.skip).take(options.top);
    let scored =
        hits.map(|hit| Scored::new(hit.record, hit.score, Arc::clone(&collection.definition)));
    let results = SearchResults::from_vec(scored.collect());
    if options.include_total_count { results.with_total_count(count) } else { results }
}
