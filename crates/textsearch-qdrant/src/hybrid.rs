//! Hybrid search: a ranking by vector and one by words, fused.

use std::collections::HashMap;

use qdrant_client::qdrant::{Query, QueryPoints, Rrf, ScoredPoint, query};
use textsearch_core::{
    Error, Result, SearchResults, TotalCount,
    vector::{Distance, Fusion, RecordKey, Scored, StoredRecord, VectorSearchOptions},
};

use crate::{
    CONNECTOR,
    collection::{QdrantCollection, payload_fields, whole_payload},
    path, point,
    query::{Hit, Ranking, order},
    schema,
    search::{check_options, query_batch, reaches, scored, wanted, with_equals},
};

/// The least number of records of each ranking that are fused.
const LEAST_DEPTH: usize = 1000;

/// How many times the wanted number of records are fused, where that is more.
const DEPTH_FACTOR: usize = 10;

/// The records that fit best by words and by vector.
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
    let rankings = [
        Some(Ranking::by_vector(collection, vector, options).await?),
        Ranking::by_words(collection, text, options).await?,
    ];
    let wanted = wanted(collection, options).await?;
    let depth = wanted.saturating_mul(DEPTH_FACTOR).max(LEAST_DEPTH);
    match options.fusion {
        Fusion::ReciprocalRank { rank_constant } => {
            let fused = Fused { collection, rankings, wanted, depth, rank_constant };
            fused.search(options).await
        }
        Fusion::WeightedScores { vector_weight } if (0.0..=1.0).contains(&vector_weight) => {
            weighted(collection, rankings, depth, vector_weight, options).await
        }
        Fusion::WeightedScores { vector_weight } => {
            let found = format_args!("a vector weight of {vector_weight}");
            Err(Error::invalid_options(CONNECTOR, "fusion", found, "a weight from 0 to 1"))
        }
        other => {
            let allowed = "ReciprocalRank or WeightedScores";
            Err(Error::invalid_options(CONNECTOR, "fusion", format_args!("{other:?}"), allowed))
        }
    }
}

/// Rankings that the server fuses by their places.
struct Fused<'a> {
    collection: &'a QdrantCollection,
    rankings: [Option<Ranking>; 2],
    wanted: usize,
    depth: usize,
    rank_constant: u32,
}

impl Fused<'_> {
    async fn search(
        &self,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        let collection = self.collection;
        let ask = |limit| QueryPoints {
            with_payload: Some(whole_payload()),
            with_vectors: collection.vectors(options.include_vectors),
            ..self.request(limit)
        };
        let found = with_equals(collection, self.wanted, None, ask).await?;
        let count = self.count(options).await?;
        let hits = found.into_iter().map(|point| Hit::new(collection, point, Distance::DotProduct));
        let mut hits = hits.collect::<Result<Vec<_>>>()?;
        order(&mut hits, true, |hit| (hit.score, &hit.record.key));
        hits.retain(|hit| reaches(hit.score, options.score_threshold, true));
        Ok(scored(collection, hits, options, count))
    }

    fn request(&self, limit: usize) -> QueryPoints {
        let rankings = self.rankings.iter().flatten().cloned();
        // The server's places begin at 0, and it adds none of its own.
        let fusion = Rrf { k: Some(self.rank_constant.saturating_add(1)), weights: Vec::new() };
        QueryPoints {
            collection_name: self.collection.name.clone(),
            prefetch: rankings.map(|ranking| ranking.prefetch(self.depth)).collect(),
            query: Some(Query { variant: Some(query::Variant::Rrf(fusion)) }),
            limit: Some(limit as u64),
            ..QueryPoints::default()
        }
    }

    /// The number of records in either ranking, where neither is longer than what is fused.
    async fn count(&self, options: &VectorSearchOptions) -> Result<TotalCount> {
        if !options.include_total_count {
            return Ok(TotalCount::Estimated(0));
        }
        let all = crate::search::query(self.collection, self.request(2 * self.depth)).await?;
        let within = all
            .iter()
            .filter(|point| reaches(f64::from(point.score), options.score_threshold, true));
        let count = within.count() as u64;
        let is_whole = all.len() < self.depth;
        Ok(if is_whole { TotalCount::Exact(count) } else { TotalCount::Estimated(count) })
    }
}

/// Rankings that are fused here, since a server does not scale scores like this.
async fn weighted(
    collection: &QdrantCollection,
    rankings: [Option<Ranking>; 2],
    depth: usize,
    vector_weight: f64,
    options: &VectorSearchOptions,
) -> Result<SearchResults<Scored<StoredRecord>>> {
    let weights = [vector_weight, 1.0 - vector_weight];
    let asked: Vec<_> = rankings.into_iter().zip(weights).collect();
    let asked: Vec<(Ranking, f64)> =
        asked.into_iter().filter_map(|(ranking, weight)| Some((ranking?, weight))).collect();
    let requests = asked.iter().map(|(ranking, _)| {
        let mut request = ranking.request(collection, depth, false);
        request.with_payload = Some(keys_alone(collection));
        request
    });
    let answers = query_batch(collection, requests.collect()).await?;
    let is_whole = answers.iter().all(|answer| answer.len() < depth);
    let mut scores: HashMap<RecordKey, f64> = HashMap::new();
    for ((ranking, weight), answer) in asked.iter().zip(answers) {
        for (key, score) in scaled(collection, answer, ranking.distance)? {
            *scores.entry(key).or_default() += weight * score;
        }
    }
    let mut ranked: Vec<(RecordKey, f64)> = scores.into_iter().collect();
    ranked.retain(|(_, score)| reaches(*score, options.score_threshold, true));
    order(&mut ranked, true, |(key, score)| (*score, key));
    let count = ranked.len() as u64;
    let count = if is_whole { TotalCount::Exact(count) } else { TotalCount::Estimated(count) };
    let hits = with_records(collection, ranked, options).await?;
    // What was to be skipped is left out already.
    let options = options.clone().with_skip(0);
    Ok(scored(collection, hits, &options, count))
}

/// The fields by which a point is known to be of a key.
pub(crate) fn keys_alone(
    collection: &QdrantCollection,
) -> qdrant_client::qdrant::WithPayloadSelector {
    let moved = format!("{}.{}", path::RESERVED, path::MOVED);
    payload_fields(vec![path::native(&collection.definition.key.name), moved])
}

/// The keys of a ranking with their scores from 0 for the worst to 1 for the best; 1 for all where they are equal.
fn scaled(
    collection: &QdrantCollection,
    points: Vec<ScoredPoint>,
    distance: Distance,
) -> Result<Vec<(RecordKey, f64)>> {
    let score = |point: Option<&ScoredPoint>| {
        point.map_or(0.0, |point| schema::score(distance, point.score))
    };
    let (best, worst) = (score(points.first()), score(points.last()));
    let keyed = points.into_iter().map(|found| {
        let score = schema::score(distance, found.score);
        let scaled = if best == worst { 1.0 } else { (score - worst) / (best - worst) };
        Ok((point::key(&collection.definition, found.id, found.payload)?, scaled))
    });
    keyed.collect()
}

async fn with_records(
    collection: &QdrantCollection,
    ranked: Vec<(RecordKey, f64)>,
    options: &VectorSearchOptions,
) -> Result<Vec<Hit>> {
    let window: Vec<_> = ranked.into_iter().skip(options.skip).take(options.top).collect();
    if window.is_empty() {
        return Ok(Vec::new());
    }
    let kind = collection.definition.key.kind;
    let ids = window.iter().map(|(key, _)| crate::id::point_id(kind, key)).collect();
    let mut records = collection.records(ids, options.include_vectors).await?;
    // A record that was deleted meanwhile is no hit.
    let hits = window
        .into_iter()
        .filter_map(|(key, score)| Some(Hit { record: records.remove(&key)?, score }));
    Ok(hits.collect())
}
