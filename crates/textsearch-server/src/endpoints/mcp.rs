//! `/mcp`.

use std::sync::Arc;

use axum::{Extension, body::Body, extract::Request, response::Response};
use http::header;
use tower_service::Service as _;

use crate::tenant::Tenant;

/// Passes the request to the tenant's own MCP server.
pub(crate) async fn mcp(
    Extension(tenant): Extension<Arc<Tenant>>,
    mut request: Request,
) -> Response {
    // Checked before, by rules that let the server's own pages pass.
    request.headers_mut().remove(header::ORIGIN);
    let Ok(response) = tenant.mcp.clone().call(request).await;
    response.map(Body::new)
}
