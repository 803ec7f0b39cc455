//! Queries by vector, by words, and hybrid.

use qdrant_client::qdrant::{
    Fusion, PrefetchQuery, Query, QueryPoints, ScoredPoint, SearchParams, VectorInput, query,
    vector_input,
};
use qdrant_edge::{
    Fusion as EngineFusion, NamedQuery, Prefetch, QueryEnum, QueryRequest, ScoringQuery,
    VectorInternal, external::ordered_float::OrderedFloat,
};
use serde_json::json;
use tonic::Status;

use crate::convert;

const DEFAULT_LIMIT: u64 = 10;

/// Of reciprocal rank fusion.
const DEFAULT_RANK_CONSTANT: u32 = 2;

pub(crate) fn request(request: QueryPoints) -> Result<QueryRequest, Status> {
    Ok(QueryRequest {
        prefetches: prefetches(request.prefetch)?,
        query: scoring(request.query, request.using)?,
        filter: convert::filter(request.filter)?,
        score_threshold: request.score_threshold.map(OrderedFloat),
        limit: request.limit.unwrap_or(DEFAULT_LIMIT) as usize,
        offset: request.offset.unwrap_or_default() as usize,
        params: params(request.params)?,
        with_vector: convert::read(convert::with_vectors(request.with_vectors))?,
        with_payload: convert::read(convert::with_payload(request.with_payload)?)?,
    })
}

fn prefetches(prefetches: Vec<PrefetchQuery>) -> Result<Vec<Prefetch>, Status> {
    let one = |one: PrefetchQuery| {
        Ok(Prefetch {
            prefetches: self::prefetches(one.prefetch)?,
            query: scoring(one.query, one.using)?,
            limit: one.limit.unwrap_or(DEFAULT_LIMIT) as usize,
            params: params(one.params)?,
            filter: convert::filter(one.filter)?,
            score_threshold: one.score_threshold.map(OrderedFloat),
        })
    };
    prefetches.into_iter().map(one).collect()
}

fn scoring(query: Option<Query>, using: Option<String>) -> Result<Option<ScoringQuery>, Status> {
    let Some(variant) = query.and_then(|query| query.variant) else { return Ok(None) };
    Ok(Some(match variant {
        query::Variant::Nearest(input) => {
            let query = NamedQuery { query: vector(input)?, using: using.map(Into::into) };
            ScoringQuery::Vector(QueryEnum::Nearest(query))
        }
        query::Variant::Rrf(rrf) => rank_fusion(rrf.k.unwrap_or(DEFAULT_RANK_CONSTANT)),
        query::Variant::Fusion(fusion) if fusion == Fusion::Rrf as i32 => {
            rank_fusion(DEFAULT_RANK_CONSTANT)
        }
        _ => return Err(Status::unimplemented("a query of this kind")),
    }))
}

fn rank_fusion(rank_constant: u32) -> ScoringQuery {
    ScoringQuery::Fusion(EngineFusion::Rrf { k: rank_constant as usize, weights: None })
}

fn vector(input: VectorInput) -> Result<VectorInternal, Status> {
    match input.variant {
        Some(vector_input::Variant::Dense(dense)) => Ok(VectorInternal::Dense(dense.data)),
        Some(vector_input::Variant::Sparse(sparse)) => {
            convert::sparse(sparse.indices, sparse.values)
        }
        _ => Err(Status::unimplemented("a vector of this kind")),
    }
}

fn params(params: Option<SearchParams>) -> Result<Option<qdrant_edge::SearchParams>, Status> {
    let Some(params) = params else { return Ok(None) };
    let exact = params.exact.unwrap_or_default();
    convert::read(json!({ "hnsw_ef": params.hnsw_ef, "exact": exact })).map(Some)
}

pub(crate) fn scored(point: qdrant_edge::ScoredPoint) -> ScoredPoint {
    ScoredPoint {
        id: Some(convert::id_message(point.id)),
        payload: convert::payload_message(point.payload),
        score: point.score,
        version: point.version,
        vectors: convert::vectors_message(point.vector),
        ..ScoredPoint::default()
    }
}
