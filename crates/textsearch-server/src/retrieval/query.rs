//! `POST /query`.

use std::sync::Arc;

use axum::{Extension, Json, extract::State};
use serde_json::{Map, Value};
use textsearch_core::{
    Filter, SearchOptions,
    filter::{Comparison, DateTime, FilterValue},
};
use textsearch_documents::fields;

use super::{
    TenantDocuments,
    wire::{
        AUTHOR, CREATED_AT, ChunkMetadata, MetadataFilter, Query, QueryRequest, QueryResponse,
        QueryResult, SOURCE, SOURCE_ID, ScoredChunk,
    },
};
use crate::{
    body::JsonBody,
    problem::{Answer, Problem},
    shared::Shared,
    tenant::Tenant,
};

const DEFAULT_TOP_K: usize = 3;

const MAX_QUERIES: usize = 32;

const SCORE: &str = "Score";

/// Searches the documents.
#[utoipa::path(
    post, path = "/query", operation_id = "query_query_post", tag = "retrieval-plugin",
    request_body = QueryRequest,
    responses((status = 200, description = "The results of each query", body = QueryResponse)),
)]
pub(crate) async fn query(
    State(shared): State<Arc<Shared>>,
    Extension(tenant): Extension<Arc<Tenant>>,
    JsonBody(request): JsonBody<QueryRequest>,
) -> Answer<Json<QueryResponse>> {
    let documents = tenant.documents()?;
    if request.queries.is_empty() || request.queries.len() > MAX_QUERIES {
        let detail = format!("there are {} queries", request.queries.len());
        return Err(Problem::invalid("queries", detail).with_allowed(["1 to 32"]));
    }
    let mut results = Vec::with_capacity(request.queries.len());
    for query in request.queries {
        results.push(documents.find(query, shared.config.max_top).await?);
    }
    Ok(Json(QueryResponse { results }))
}

impl TenantDocuments {
    async fn find(&self, query: Query, max: usize) -> Answer<QueryResult> {
        let Query { query, filter, top_k } = query;
        let top = top_k.unwrap_or(DEFAULT_TOP_K.min(max));
        if top > max {
            let allowed = format!("0 to {max}");
            return Err(Problem::invalid("top_k", "too many results").with_allowed([allowed]));
        }
        let mut options = SearchOptions::top(top);
        if let Some(filter) = self.filter_of(filter.unwrap_or_default())? {
            options = options.with_filter(filter);
        }
        let results = self.search.search_values(&query, &options).await?;
        let records = results.window(0, top).into_vec().await?;
        let results = records.into_iter().map(|record| self.chunk(record)).collect();
        Ok(QueryResult { query, results })
    }

    /// Returns `None` without conditions.
    pub(super) fn filter_of(&self, filter: MetadataFilter) -> Answer<Option<Filter>> {
        let MetadataFilter { document_id, source, source_id, author, start_date, end_date } =
            filter;
        let mut conditions = Vec::new();
        conditions.extend(document_id.map(|id| self.with_ids(vec![id])));
        for (field, value) in [(SOURCE, source), (SOURCE_ID, source_id), (AUTHOR, author)] {
            conditions.extend(value.map(|value| Filter::eq(field, value)));
        }
        let dates =
            [("start_date", Comparison::Ge, start_date), ("end_date", Comparison::Le, end_date)];
        for (member, comparison, date) in dates {
            let Some(date) = date else { continue };
            let date = DateTime::parse(&date)
                .map_err(|error| Problem::invalid(member, error.to_string()))?;
            let date = FilterValue::DateTime(date);
            conditions.push(Filter::compare(CREATED_AT, comparison, date));
        }
        Ok((!conditions.is_empty()).then_some(Filter::And(conditions)))
    }

    fn chunk(&self, record: Value) -> ScoredChunk {
        let mut other = match record {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        let score = other.remove(SCORE).and_then(|score| score.as_f64()).unwrap_or_default();
        let mut take = |field: &str| match other.remove(field) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let id = take(fields::KEY).unwrap_or_default();
        let document_id = take(fields::DOCUMENT_ID).unwrap_or_default();
        let text = take(fields::TEXT).unwrap_or_default();
        let url = take(fields::LINK);
        take(fields::NAME);
        other.retain(|field, _| !is_internal(field));
        let document_id = self.written_id(&document_id).to_owned();
        let metadata = ChunkMetadata { document_id, url, other };
        ScoredChunk { id: self.written_id(&id).to_owned(), text, metadata, embedding: None, score }
    }
}

/// Fields that a store keeps for its own use.
fn is_internal(field: &str) -> bool {
    matches!(
        field,
        "document_name" | "headings" | "chunk" | "chunks" | "start" | "end" | "fingerprint"
    )
}
