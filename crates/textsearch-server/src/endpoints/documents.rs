//! `GET /v1/documents` and `GET /v1/documents/{id}`.

use std::sync::Arc;

use axum::{
    Extension, Json,
    extract::{
        Path, Query, State,
        rejection::{PathRejection, QueryRejection},
    },
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use textsearch_core::{
    SearchOptions,
    document::{DocumentInfo, DocumentPage, ReadOptions},
    results::TotalCount,
};
use utoipa::{IntoParams, ToSchema};

use super::search::{checked_filter, hide_errors};
use crate::{
    problem::{Answer, Kind, Problem},
    schemas::{document_schema, documents_schema},
    shared::Shared,
    tenant::Tenant,
};

const DEFAULT_DOCUMENTS: usize = 20;

/// Which documents to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListRequest {
    /// The source; the first by default.
    source: Option<String>,
    /// The maximum number of documents: 20 by default.
    top: Option<usize>,
    /// The number of documents to leave out.
    #[serde(default)]
    #[param(default = 0)]
    skip: usize,
    /// Which documents may be listed, such as `year >= 2020`.
    filter: Option<String>,
}

/// Which part of a document to read.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageRequest {
    /// The source; the first by default.
    source: Option<String>,
    /// 0, or the `NextOffset` of the page before.
    #[serde(default)]
    #[param(default = 0)]
    offset: u64,
}

/// The documents of a source.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DocumentsResponse {
    /// The documents, without their texts.
    #[schema(schema_with = documents_schema)]
    documents: Vec<DocumentInfo>,
    /// The number of all documents that match: `{"exact": 12}`. Null if the source doesn't report it.
    #[schema(value_type = Option<Value>)]
    total_count: Option<TotalCount>,
    /// The source that was listed.
    source: String,
}

/// A page of a document.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DocumentResponse {
    /// The part of the document.
    #[schema(schema_with = document_schema)]
    document: DocumentPage,
    /// The source of the document.
    source: String,
}

/// Lists the documents of a source.
#[utoipa::path(
    get, path = "/v1/documents", operation_id = "documents", tag = "documents",
    params(ListRequest),
    responses((status = 200, description = "The documents", body = DocumentsResponse)),
)]
pub(crate) async fn documents(
    State(shared): State<Arc<Shared>>,
    Extension(tenant): Extension<Arc<Tenant>>,
    request: Result<Query<ListRequest>, QueryRejection>,
) -> Answer<Json<DocumentsResponse>> {
    let ListRequest { source, top, skip, filter } = read_query(request)?;
    let source = tenant.source(source.as_deref())?;
    let reader = source.documents()?;
    let max_top = shared.config.max_top;
    let top = top.unwrap_or(DEFAULT_DOCUMENTS.min(max_top));
    for (field, value, max) in [("top", top, max_top), ("skip", skip, shared.config.max_skip)] {
        if value > max {
            let problem = Problem::invalid(field, format!("`{field}` is {value}"));
            return Err(problem.with_allowed([format!("0 to {max}")]));
        }
    }
    let mut options = SearchOptions::top(top).with_skip(skip);
    if let Some(filter) = filter {
        let filter = checked_filter(&Value::from(filter))?;
        source.check_filter(&filter)?;
        options = options.with_filter(filter);
    }
    let documents = reader.list(&options).await?;
    let total_count = documents.total_count();
    let mut documents = documents.window(0, top).into_vec().await?;
    documents.iter_mut().for_each(|document| hide_errors(&mut document.metadata));
    Ok(Json(DocumentsResponse { documents, total_count, source: source.name.clone() }))
}

/// Reads a page of a document: up to 64 KiB of text. The id is that of a listed document, or of a search
/// result.
#[utoipa::path(
    get, path = "/v1/documents/{id}", operation_id = "document", tag = "documents",
    params(("id" = String, Path, description = "The id, percent-encoded"), PageRequest),
    responses((status = 200, description = "The page", body = DocumentResponse)),
)]
pub(crate) async fn document(
    State(shared): State<Arc<Shared>>,
    Extension(tenant): Extension<Arc<Tenant>>,
    id: Result<Path<String>, PathRejection>,
    request: Result<Query<PageRequest>, QueryRejection>,
) -> Answer<Json<DocumentResponse>> {
    let PageRequest { source, offset } = read_query(request)?;
    let invalid = |_| Problem::invalid("id", "the id isn't percent-encoded UTF-8");
    let Path(id) = id.map_err(invalid)?;
    let source = tenant.source(source.as_deref())?;
    let options = ReadOptions::default().with_offset(offset);
    let options = options.with_max_bytes(shared.config.max_response_bytes);
    let page = source.documents()?.read(&id, &options).await?;
    let missing = || Problem::new(Kind::NotFound, "there is no such document, or it ends earlier");
    let mut document = page.ok_or_else(missing)?;
    hide_errors(&mut document.document.metadata);
    Ok(Json(DocumentResponse { document, source: source.name.clone() }))
}

fn read_query<T>(request: Result<Query<T>, QueryRejection>) -> Answer<T> {
    let Query(request) =
        request.map_err(|error| Problem::new(Kind::InvalidRequest, error.body_text()))?;
    Ok(request)
}
