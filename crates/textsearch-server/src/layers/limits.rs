//! Limits on time and on requests at once.

use std::{any::Any, sync::Arc, time::Duration};

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use tokio::{sync::OwnedSemaphorePermit, time};

use crate::{
    problem::{Answer, Kind, Problem},
    server::Shared,
};

/// The right to run, until the last clone is dropped. A stream keeps one until its end.
#[derive(Clone)]
pub(crate) struct Permit {
    _permit: Arc<OwnedSemaphorePermit>,
}

pub(crate) async fn limit_concurrency(
    State(shared): State<Arc<Shared>>,
    mut request: Request,
    next: Next,
) -> Answer<Response> {
    let Ok(permit) = Arc::clone(&shared.permits).try_acquire_owned() else {
        let detail = "the server runs as many requests as it may; try again later";
        let problem = Problem::new(Kind::Overloaded, detail);
        return Err(problem.with_retry_after(Some(Duration::from_secs(1))));
    };
    let permit = Permit { _permit: Arc::new(permit) };
    request.extensions_mut().insert(permit.clone());
    let response = next.run(request).await;
    drop(permit);
    Ok(response)
}

pub(crate) async fn limit_time(
    State(shared): State<Arc<Shared>>,
    request: Request,
    next: Next,
) -> Answer<Response> {
    let limit = shared.config.request_timeout;
    time::timeout(limit, next.run(request)).await.map_err(|_| {
        let seconds = limit.as_secs_f64();
        let detail = format!("the request took longer than {seconds} s and was stopped");
        Problem::new(Kind::Timeout, detail)
    })
}

pub(crate) fn panicked(_: Box<dyn Any + Send>) -> Response {
    tracing::error!("a request panicked");
    Problem::new(Kind::Internal, "the server failed; its log has the cause").into_response()
}
