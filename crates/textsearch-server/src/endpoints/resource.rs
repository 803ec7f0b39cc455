//! `GET /.well-known/oauth-protected-resource`, for the whole server and for `/mcp`.

use std::sync::Arc;

use axum::{Json, extract::State};
use serde_json::Value;

use super::not_found;
use crate::{problem::Answer, shared::Shared};

pub(crate) async fn resource(State(shared): State<Arc<Shared>>) -> Answer<Json<Value>> {
    metadata(&shared, "").await
}

pub(crate) async fn resource_of_mcp(State(shared): State<Arc<Shared>>) -> Answer<Json<Value>> {
    metadata(&shared, "/mcp").await
}

async fn metadata(shared: &Shared, path: &str) -> Answer<Json<Value>> {
    match &shared.resource {
        Some(resource) => Ok(Json(resource.metadata(path))),
        None => Err(not_found().await),
    }
}
