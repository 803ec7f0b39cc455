//! `POST /upsert-file`.

use std::sync::Arc;

use axum::{Extension, Json, extract::State};
use textsearch_documents::{Chunker, Document, ReadLimits};
use uuid::Uuid;

use super::{
    form::{FileForm, WrittenFile, unsupported},
    upsert::with_metadata,
    wire::UpsertResponse,
};
use crate::{
    capacity::Permit,
    problem::{Answer, Problem},
    shared::Shared,
    tenant::Tenant,
};

/// Stores a file as a document. The response means that it survives the end of the server.
#[utoipa::path(
    post, path = "/upsert-file", operation_id = "upsert_file_upsert_file_post",
    tag = "retrieval-plugin",
    request_body(content = FileForm, content_type = "multipart/form-data"),
    responses((status = 200, description = "The id of the stored document", body = UpsertResponse)),
)]
pub(crate) async fn upsert_file(
    State(shared): State<Arc<Shared>>,
    Extension(tenant): Extension<Arc<Tenant>>,
    Extension(permit): Extension<Permit>,
    form: FileForm,
) -> Answer<Json<UpsertResponse>> {
    let documents = tenant.documents()?;
    let FileForm { file, metadata } = form;
    // A large page takes long to read. Meanwhile other requests continue.
    let read = move || document(file, &shared.config.read_limits);
    let document = permit.run_blocking(read).await??;
    let ids = documents.upsert(vec![with_metadata(document, metadata)], permit).await?;
    Ok(Json(UpsertResponse { ids }))
}

/// The name is the document's own title, or else the file's name.
fn document(file: WrittenFile, limits: &ReadLimits) -> Answer<Document> {
    let id = Uuid::new_v4().to_string();
    let document = Document::from_file(id, &file.file_name(), file.bytes.into(), limits);
    let document = document.map_err(|error| {
        let detail = format!("the file cannot be read: {error}");
        if error.is_unsupported_format() {
            unsupported(detail)
        } else {
            Problem::invalid("file", detail)
        }
    })?;
    let chunked = Chunker::default().chunk(&document);
    let chunked = chunked.map_err(|error| Problem::invalid("file", error.message().to_owned()))?;
    if chunked.chunks.is_empty() {
        return Err(Problem::invalid("file", "the file has no text"));
    }
    Ok(match (chunked.name, file.name) {
        (None, Some(name)) => document.with_name(name),
        _ => document,
    })
}
