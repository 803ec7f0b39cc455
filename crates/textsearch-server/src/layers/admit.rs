//! Authentication, rights, and limits on time and on requests at once.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use http::{HeaderMap, header};
use tokio::{sync::OwnedSemaphorePermit, time};

use crate::{
    Right,
    problem::{Answer, Kind, Problem},
    shared::Shared,
};

const SCHEME: &[u8] = b"Bearer ";

/// What an endpoint demands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    /// `None` for an endpoint that every caller may use.
    pub(crate) right: Option<Right>,
    /// Whether the time of a request is limited. Otherwise the endpoint limits it.
    pub(crate) is_timed: bool,
}

/// The right to run, until the last clone is dropped. A stream keeps one until its end.
#[derive(Clone)]
pub(crate) struct Permit {
    _permit: Arc<OwnedSemaphorePermit>,
}

/// Adds the tenant and a permit to the request, or refuses it.
pub(crate) async fn admit(
    State((shared, rules)): State<(Arc<Shared>, Rules)>,
    mut request: Request,
    next: Next,
) -> Answer<Response> {
    let Some(tenant) = shared.tenants.find(token(request.headers())) else {
        let detail = "send a token of the server as `Authorization: Bearer`";
        return Err(Problem::new(Kind::Unauthorized, detail));
    };
    tracing::Span::current().record("textsearch.tenant", tenant.name.as_str());
    if let Some(right) = rules.right.filter(|right| !tenant.may(*right)) {
        return Err(Problem::new(Kind::Forbidden, format!("the caller lacks the right `{right}`")));
    }
    let permit = permit(&shared)?;
    request.extensions_mut().insert(Arc::clone(tenant));
    request.extensions_mut().insert(permit.clone());
    let responding = next.run(request);
    let response = match rules.is_timed {
        true => within(shared.config.request_timeout, responding).await?,
        false => responding.await,
    };
    drop(permit);
    Ok(response)
}

fn token(headers: &HeaderMap) -> Option<&[u8]> {
    let sent = headers.get(header::AUTHORIZATION)?.as_bytes();
    let (scheme, token) = sent.split_at_checked(SCHEME.len())?;
    scheme.eq_ignore_ascii_case(SCHEME).then_some(token)
}

fn permit(shared: &Shared) -> Answer<Permit> {
    let Ok(permit) = Arc::clone(&shared.permits).try_acquire_owned() else {
        let detail = "the server runs as many requests as it may; try again later";
        let problem = Problem::new(Kind::Overloaded, detail);
        return Err(problem.with_retry_after(Some(Duration::from_secs(1))));
    };
    Ok(Permit { _permit: Arc::new(permit) })
}

async fn within(limit: Duration, responding: impl Future<Output = Response>) -> Answer<Response> {
    time::timeout(limit, responding).await.map_err(|_| {
        let seconds = limit.as_secs_f64();
        let detail = format!("the request took longer than {seconds} s and was stopped");
        Problem::new(Kind::Timeout, detail)
    })
}
