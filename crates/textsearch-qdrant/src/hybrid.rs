//! Hybrid search: fuses a ranking by vector with a ranking by words.

use std::collections::HashMap;

use qdrant_client::qdrant::{self, QueryPoints, ScoredPoint, WithPayloadSelector};
use textsearch_core::{
    Error, Result, SearchResults,
    results::TotalCount,
    vector::{Fusion, KeyKind, RecordKey, Scored, StoredRecord, VectorSearchOptions},
};

use crate::{
    CONNECTOR,
    handle::{QdrantCollection, no_payload, payload_fields},
    path, point,
    query::{Hit, Ranking, order},
    schema,
    search::{
        MAX_LOOKED_AT, check_options, first_limit, query_batch, reaches, scored, with_equals,
    },
};

/// Best first.
type Candidates = Vec<(RecordKey, f64)>;

/// Fuses the rankings here: the server orders records of equal score arbitrarily, so ranks, and
/// with them results, would differ from every other store.
pub(crate) async fn hybrid(
    collection: &QdrantCollection,
    text: &str,
    vector: Option<&[f32]>,
    options: &VectorSearchOptions,
) -> Result<SearchResults<Scored<StoredRecord>>> {
    let Some(vector) = vector else {
        let allowed = "a vector to search with, or a store with an embedding generator, \
                       see `VectorStoreExt::with_embedding_generator`";
        return Err(Error::invalid_options(CONNECTOR, "vector", "not given", allowed));
    };
    check_options(options)?;
    options.fusion.check(CONNECTOR)?;
    let depth = depth(options)?;
    let by_vector = Ranking::by_vector(collection, vector, options).await?;
    let by_words = Ranking::by_words(collection, text, options).await?;
    let filter = by_vector.filter.clone();
    let (by_vector, by_words) =
        candidates(collection, &by_vector, by_words.as_ref(), depth).await?;
    let is_whole = by_vector.len() < depth && by_words.len() < depth;
    let scores: HashMap<RecordKey, f64> = options.fusion.fuse(by_vector, by_words);
    let mut ranked: Candidates = scores.into_iter().collect();
    ranked.retain(|(_, score)| reaches(*score, options.score_threshold, true));
    order(&mut ranked, true, |(key, score)| (*score, key));
    let count = ranked.len() as u64;
    let count = if is_whole { TotalCount::Exact(count) } else { TotalCount::Estimated(count) };
    let hits = with_records(collection, ranked, filter.as_ref(), options).await?;
    // `with_records` has already skipped these.
    let options = options.clone().with_skip(0);
    Ok(scored(collection, hits, &options, count))
}

/// Returns how many records of each ranking to fuse. Results beyond this depth are missing, as in a
/// smaller collection. The in-memory store instead fuses all records beyond the first step; a
/// server would have to return them in one response.
///
/// # Errors
/// Returns `InvalidOptions` if all requested results lie beyond the second step.
fn depth(options: &VectorSearchOptions) -> Result<usize> {
    let wanted = options.skip.saturating_add(options.top);
    match Fusion::depth(wanted) {
        Some(depth) => Ok(depth),
        None if options.skip < MAX_LOOKED_AT => Ok(MAX_LOOKED_AT),
        None => {
            let allowed = format!(
                "less than {MAX_LOOKED_AT} for a hybrid search, which ranks no more; a search by vector or by words \
                 alone has no such limit"
            );
            Err(Error::invalid_options(CONNECTOR, "skip", options.skip, allowed))
        }
    }
}

/// One request fetches both rankings; further ones fetch records that tie with the last one.
async fn candidates(
    collection: &QdrantCollection,
    by_vector: &Ranking,
    by_words: Option<&Ranking>,
    depth: usize,
) -> Result<(Candidates, Candidates)> {
    let ask = |ranking: &Ranking, limit| QueryPoints {
        with_payload: Some(keys_alone(collection)),
        ..ranking.request(collection, limit, false)
    };
    let rankings = std::iter::once(by_vector).chain(by_words);
    let requests = rankings.clone().map(|ranking| ask(ranking, first_limit(depth)));
    let answers = query_batch(collection, requests.collect()).await?;
    let mut found = Vec::with_capacity(2);
    for (ranking, answer) in rankings.zip(answers) {
        let answer = with_equals(collection, depth, Some(answer), |limit| ask(ranking, limit));
        found.push(ordered(collection, ranking, answer.await?, depth)?);
    }
    let mut found = found.into_iter();
    Ok((found.next().unwrap_or_default(), found.next().unwrap_or_default()))
}

pub(crate) fn keys_alone(collection: &QdrantCollection) -> WithPayloadSelector {
    let key = &collection.definition.key;
    if key.kind != KeyKind::String {
        return no_payload();
    }
    let moved = format!("{}.{}", path::RESERVED, path::MOVED);
    payload_fields(vec![path::native(&key.name), moved])
}

fn ordered(
    collection: &QdrantCollection,
    ranking: &Ranking,
    points: Vec<ScoredPoint>,
    depth: usize,
) -> Result<Candidates> {
    let keyed = points.into_iter().map(|found| {
        let score = schema::score(ranking.distance, found.score);
        Ok((point::key(&collection.definition, found.id, found.payload)?, score))
    });
    let mut keyed = keyed.collect::<Result<Candidates>>()?;
    order(&mut keyed, ranking.distance.is_higher_better(), |(key, score)| (*score, key));
    keyed.truncate(depth);
    Ok(keyed)
}

async fn with_records(
    collection: &QdrantCollection,
    ranked: Candidates,
    filter: Option<&qdrant::Filter>,
    options: &VectorSearchOptions,
) -> Result<Vec<Hit>> {
    let window = ranked.into_iter().skip(options.skip).take(options.top);
    let (keys, scores): (Vec<RecordKey>, Vec<f64>) = window.unzip();
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let mut records = collection.still_matching(&keys, filter, options.include_vectors).await?;
    let hits = keys.iter().zip(scores);
    let hits = hits.filter_map(|(key, score)| Some(Hit { record: records.remove(key)?, score }));
    Ok(hits.collect())
}
