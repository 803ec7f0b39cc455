//! `/mcp`.

use std::{sync::Arc, time::Duration};

use axum::{
    Extension,
    body::Body,
    extract::{Request, State},
    response::{IntoResponse as _, Response},
};
use http::header;
use tokio::time::timeout;
use tower_service::Service as _;

use crate::{
    problem::{Kind, Problem},
    server::Shared,
    tenant::Tenant,
};

/// How long a client may take to send its request, in addition to the time of the call.
const READING: Duration = Duration::from_secs(10);

/// Passes the request to the tenant's own MCP server.
pub(crate) async fn mcp(
    State(shared): State<Arc<Shared>>,
    Extension(tenant): Extension<Arc<Tenant>>,
    mut request: Request,
) -> Response {
    // Checked before, by rules that let the server's own pages pass.
    request.headers_mut().remove(header::ORIGIN);
    let answered = tenant.mcp.clone().call(request);
    let limit = shared.config.request_timeout + READING;
    match timeout(limit, answered).await {
        Ok(Ok(response)) => response.map(Body::new).into_response(),
        Ok(Err(never)) => match never {},
        Err(_) => Problem::new(Kind::Timeout, "the request took too long").into_response(),
    }
}
