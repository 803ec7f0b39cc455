//! `POST /upsert`.

use std::sync::Arc;

use axum::{Extension, Json};
use serde_json::Value;
use textsearch_documents::Document;
use uuid::Uuid;

use super::{
    TenantDocuments, ids,
    wire::{SOURCE_ID, UpsertRequest, UpsertResponse, WrittenDocument, WrittenMetadata},
};
use crate::{
    body::JsonBody,
    capacity::Permit,
    problem::{Answer, Problem},
    tenant::Tenant,
};

/// Stores documents. The response means that they survive the end of the server.
#[utoipa::path(
    post, path = "/upsert", operation_id = "upsert_upsert_post", tag = "retrieval-plugin",
    request_body = UpsertRequest,
    responses((
        status = 200, description = "The ids of the stored documents",
        body = UpsertResponse,
    )),
)]
pub(crate) async fn upsert(
    Extension(tenant): Extension<Arc<Tenant>>,
    Extension(permit): Extension<Permit>,
    JsonBody(request): JsonBody<UpsertRequest>,
) -> Answer<Json<UpsertResponse>> {
    ids::check_count("documents", request.documents.len())?;
    let written = request.documents.into_iter().map(document);
    let ids = tenant.documents()?.upsert(written.collect::<Answer<_>>()?, permit).await?;
    Ok(Json(UpsertResponse { ids }))
}

impl TenantDocuments {
    /// Returns the ids of the documents, as the tenant wrote them.
    pub(super) async fn upsert(
        &self,
        documents: Vec<Document>,
        permit: Permit,
    ) -> Answer<Vec<String>> {
        for document in &documents {
            let id = document.metadata.get(SOURCE_ID).and_then(Value::as_str);
            id.filter(|id| !id.is_empty()).map_or(Ok(()), |id| ids::check(SOURCE_ID, id))?;
        }
        let ids = documents.iter().map(|document| document.id.clone()).collect();
        let owned = documents.into_iter().map(|document| self.owned(document));
        let owned = owned.collect::<Answer<Vec<_>>>()?;
        self.writer.write(permit, |store| async move { store.upsert(owned).await }).await?;
        Ok(ids)
    }
}

fn document(written: WrittenDocument) -> Answer<Document> {
    let WrittenDocument { id, text, metadata } = written;
    let id = id.unwrap_or_else(|| Uuid::new_v4().to_string());
    ids::check("id", &id)?;
    if text.trim().is_empty() {
        return Err(Problem::invalid("text", "a document needs a text"));
    }
    // Otherwise the id in the store would be the name, with the tenant's prefix.
    let document = Document::plain_text(id.as_str(), text).with_name(id);
    Ok(with_metadata(document, metadata))
}

pub(super) fn with_metadata(mut document: Document, metadata: Option<WrittenMetadata>) -> Document {
    let Some(WrittenMetadata { url, other }) = metadata else { return document };
    if let Some(url) = url {
        document = document.with_link(url);
    }
    // The original sends null for missing metadata.
    document.metadata = other;
    document.metadata.retain(|_, value| !value.is_null());
    document
}
