//! Authentication, rights, and limits on bodies, time and requests at once.

use std::{sync::Arc, time::Duration};

use axum::{
    body::{Body, HttpBody as _},
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use bytes::{Bytes, BytesMut};
use http::header;
use http_body_util::BodyExt as _;
use textsearch_mcp::http_server;
use tokio::time;

use crate::{
    Right,
    capacity::{Admission, Permit},
    layers::TokenInUrl,
    problem::{Answer, Kind, Problem},
    shared::Shared,
    tenant::Caller,
};

/// What an endpoint demands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    /// `None` for an endpoint that every caller may use.
    pub(crate) right: Option<Right>,
    /// Whether the time of a request is limited. Otherwise the endpoint limits it, once the body is
    /// read.
    pub(crate) is_timed: bool,
}

/// Reads the body, and adds the tenant and a permit to the request, or refuses it.
pub(crate) async fn admit(
    State((shared, rules)): State<(Arc<Shared>, Rules)>,
    request: Request,
    next: Next,
) -> Answer<Response> {
    let token = http_server::bearer_token(request.headers());
    let path = request.uri().path();
    let challenged = |problem: Problem, error| {
        let mut response = problem.into_response();
        let resource = shared.resource.as_ref();
        if let Some(challenge) = resource.and_then(|it| it.challenge(path, rules.right, error)) {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
        }
        Ok(response)
    };
    let limit = shared.config.request_timeout;
    let is_in_url = request.extensions().get::<TokenInUrl>().is_some();
    let caller = match within(limit, shared.tenants.caller(token, is_in_url)).await {
        Ok(caller) => caller,
        Err(problem) if problem.kind() == Kind::Unauthorized => {
            return challenged(problem, token.map(|_| "invalid_token"));
        }
        Err(problem) => return Err(problem),
    };
    tracing::Span::current().record("textsearch.tenant", caller.tenant.name.as_str());
    if let Some(right) = rules.right.filter(|right| !caller.may(*right)) {
        let detail = format!("the caller lacks the right `{right}`");
        return challenged(Problem::new(Kind::Forbidden, detail), Some("insufficient_scope"));
    }
    if rules.is_timed {
        let responding = async {
            let (request, _permit) = admitted(&shared, caller, request).await?;
            Ok(next.run(request).await)
        };
        return within(limit, responding).await;
    }
    let (request, _permit) = within(limit, admitted(&shared, caller, request)).await?;
    Ok(next.run(request).await)
}

/// A slow client holds no place while it sends its body, only the memory of what it sent.
async fn admitted(shared: &Shared, caller: Caller, request: Request) -> Answer<(Request, Permit)> {
    let mut admission = Admission::new(&shared.capacity, caller.tenant.capacity.as_ref());
    let (parts, body) = request.into_parts();
    let body = if body.is_end_stream() {
        Body::empty()
    } else {
        read(body, shared.config.max_body_bytes, &mut admission).await?.into()
    };
    let permit = admission.admit()?;
    let mut request = Request::from_parts(parts, body);
    request.extensions_mut().insert(Arc::clone(&caller.tenant));
    request.extensions_mut().insert(caller);
    request.extensions_mut().insert(permit.clone());
    Ok((request, permit))
}

async fn read(mut body: Body, max: usize, admission: &mut Admission<'_>) -> Answer<Bytes> {
    let too_large = || Problem::new(Kind::TooLarge, "the body is larger than the server accepts");
    if body.size_hint().lower() > max as u64 {
        return Err(too_large());
    }
    let mut read = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let broken =
            |_| Problem::new(Kind::InvalidRequest, "the body could not be read to its end");
        let Ok(data) = frame.map_err(broken)?.into_data() else { continue };
        if data.len() > max.saturating_sub(read.len()) {
            return Err(too_large());
        }
        admission.add_body(data.len())?;
        if read.is_empty() && body.is_end_stream() {
            return Ok(data);
        }
        read.extend_from_slice(&data);
    }
    Ok(read.freeze())
}

async fn within<T>(limit: Duration, work: impl Future<Output = Answer<T>>) -> Answer<T> {
    time::timeout(limit, work).await.unwrap_or_else(|_| {
        let seconds = limit.as_secs_f64();
        let detail = format!("the request took longer than {seconds} s and was stopped");
        Err(Problem::new(Kind::Timeout, detail))
    })
}
