//! `DELETE /delete`.

use std::sync::Arc;

use axum::{Extension, Json};
use textsearch_core::Filter;

use super::{
    TenantDocuments, ids,
    wire::{DeleteRequest, DeleteResponse},
};
use crate::{
    body::JsonBody,
    capacity::Permit,
    problem::{Answer, Problem},
    tenant::Tenant,
};

/// Deletes documents by id or by filter, or all that the caller sees.
#[utoipa::path(
    delete, path = "/delete", operation_id = "delete_delete_delete", tag = "retrieval-plugin",
    request_body = DeleteRequest,
    responses((
        status = 200, description = "Whether documents were deleted",
        body = DeleteResponse,
    )),
)]
pub(crate) async fn delete(
    Extension(tenant): Extension<Arc<Tenant>>,
    Extension(permit): Extension<Permit>,
    JsonBody(request): JsonBody<DeleteRequest>,
) -> Answer<Json<DeleteResponse>> {
    let documents = tenant.documents()?;
    let deleted = documents.seen(documents.deleted(request)?);
    let write = documents
        .writer
        .write(permit, |store| async move { store.collection().delete_matching(&deleted).await });
    write.await?;
    Ok(Json(DeleteResponse { success: true }))
}

impl TenantDocuments {
    fn deleted(&self, request: DeleteRequest) -> Answer<Filter> {
        let DeleteRequest { ids, filter, delete_all } = request;
        if delete_all == Some(true) {
            return Ok(Filter::all([]));
        }
        let ids = ids.unwrap_or_default();
        ids::check_count("ids", ids.len())?;
        let by_id = (!ids.is_empty()).then(|| self.with_ids(ids));
        let by_filter = filter.map(|filter| self.filter_of(filter)).transpose()?.flatten();
        let conditions: Vec<Filter> = by_id.into_iter().chain(by_filter).collect();
        if conditions.is_empty() {
            let detail = "the request names no documents: expected `ids`, `filter` or `delete_all`";
            return Err(Problem::invalid("ids", detail));
        }
        Ok(Filter::any(conditions))
    }
}
