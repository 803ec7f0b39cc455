//! Health, metrics, the API description, and responses for unknown paths.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use http::header;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    metrics,
    problem::{Kind, Problem},
    shared::Shared,
};

/// The server runs.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    status: &'static str,
}

/// Responds while the server runs.
#[utoipa::path(
    get, path = "/health", operation_id = "health", tag = "server",
    responses((status = 200, description = "The server runs", body = Health)), security(()),
)]
pub(crate) async fn health() -> Json<Health> {
    Json(Health { status: "ok" })
}

/// Returns counts and durations of requests.
#[utoipa::path(
    get, path = "/metrics", operation_id = "metrics", tag = "server",
    responses((
        status = 200, description = "The metrics",
        body = String, content_type = "application/openmetrics-text",
    )),
)]
pub(crate) async fn metrics(State(shared): State<Arc<Shared>>) -> Response {
    ([(header::CONTENT_TYPE, metrics::CONTENT_TYPE)], shared.metrics.print()).into_response()
}

pub(crate) async fn openapi(State(shared): State<Arc<Shared>>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], shared.openapi.clone()).into_response()
}

pub(crate) async fn not_found() -> Problem {
    Problem::new(Kind::NotFound, "the server has no such path; `/openapi.json` lists them")
}

pub(crate) async fn method_not_allowed() -> Problem {
    let detail = "the path takes another method; `/openapi.json` lists them";
    Problem::new(Kind::MethodNotAllowed, detail)
}
