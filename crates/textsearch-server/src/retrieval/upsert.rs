//! `POST /upsert`.

use std::sync::Arc;

use axum::{Extension, Json};
use textsearch_documents::Document;
use uuid::Uuid;

use super::wire::{UpsertRequest, UpsertResponse, WrittenDocument};
use crate::{
    body::JsonBody,
    problem::{Answer, Problem},
    tenant::Tenant,
};

/// Stores documents. The response means that they survive the end of the server.
#[utoipa::path(
    post, path = "/upsert", operation_id = "upsert_upsert_post", tag = "retrieval-plugin",
    request_body = UpsertRequest, responses((status = 200, body = UpsertResponse)),
)]
pub(crate) async fn upsert(
    Extension(tenant): Extension<Arc<Tenant>>,
    JsonBody(request): JsonBody<UpsertRequest>,
) -> Answer<Json<UpsertResponse>> {
    let documents = tenant.documents()?;
    let mut ids = Vec::with_capacity(request.documents.len());
    let mut owned = Vec::with_capacity(request.documents.len());
    for written in request.documents {
        let document = document(written)?;
        ids.push(document.id.clone());
        owned.push(documents.owned(document)?);
    }
    documents.writer.write(|store| async move { store.upsert(owned).await }).await?;
    Ok(Json(UpsertResponse { ids }))
}

fn document(written: WrittenDocument) -> Answer<Document> {
    let WrittenDocument { id, text, metadata } = written;
    let id = id.unwrap_or_else(|| Uuid::new_v4().to_string());
    if id.is_empty() || text.trim().is_empty() {
        let field = if id.is_empty() { "id" } else { "text" };
        return Err(Problem::invalid(field, "a document needs an id and a text"));
    }
    let mut document = Document::plain_text(id, text);
    if let Some(metadata) = metadata {
        if let Some(url) = metadata.url {
            document = document.with_link(url);
        }
        // The original sends null for missing metadata.
        document.metadata = metadata.other;
        document.metadata.retain(|_, value| !value.is_null());
    }
    Ok(document)
}
