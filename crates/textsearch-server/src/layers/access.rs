//! Authentication and rights.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use http::{HeaderMap, header};

use crate::{
    Right,
    problem::{Answer, Kind, Problem},
    server::Shared,
    tenant::Tenant,
};

const SCHEME: &[u8] = b"Bearer ";

/// Adds the tenant to the request, or refuses it.
pub(crate) async fn authenticate(
    State(shared): State<Arc<Shared>>,
    mut request: Request,
    next: Next,
) -> Answer<Response> {
    let Some(tenant) = shared.tenants.find(token(request.headers())) else {
        let detail = "send a token of the server as `Authorization: Bearer`";
        return Err(Problem::new(Kind::Unauthorized, detail));
    };
    tracing::Span::current().record("textsearch.tenant", tenant.name.as_str());
    request.extensions_mut().insert(Arc::clone(tenant));
    Ok(next.run(request).await)
}

fn token(headers: &HeaderMap) -> Option<&[u8]> {
    let sent = headers.get(header::AUTHORIZATION)?.as_bytes();
    let (scheme, token) = sent.split_at_checked(SCHEME.len())?;
    scheme.eq_ignore_ascii_case(SCHEME).then_some(token)
}

/// Refuses a request whose tenant lacks the right.
pub(crate) async fn require(right: Right, request: Request, next: Next) -> Answer<Response> {
    let tenant = request.extensions().get::<Arc<Tenant>>();
    if tenant.is_some_and(|tenant| tenant.may(right)) {
        return Ok(next.run(request).await);
    }
    Err(Problem::new(Kind::Forbidden, format!("the caller lacks the right `{right}`")))
}
