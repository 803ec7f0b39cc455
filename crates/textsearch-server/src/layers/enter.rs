//! The outermost layer.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use tracing::Instrument as _;

use super::{observe::Observed, origin::check_host_and_origin, secure_headers::secure};
use crate::shared::Shared;

/// Refuses requests for other hosts and from other pages, secures the headers of every response,
/// and observes it all.
pub(crate) async fn enter(
    State(shared): State<Arc<Shared>>,
    request: Request,
    next: Next,
) -> Response {
    let observed = Observed::begin(&shared.metrics, &request);
    let responding = async {
        match check_host_and_origin(&shared, &request) {
            Ok(()) => next.run(request).await,
            Err(problem) => problem.into_response(),
        }
    };
    let mut response = responding.instrument(observed.span()).await;
    secure(response.headers_mut());
    observed.end(&shared.metrics, response.status());
    response
}
