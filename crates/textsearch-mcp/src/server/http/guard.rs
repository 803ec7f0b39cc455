//! Who may call, and for how long.

use std::{
    convert::Infallible,
    fmt,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt as _};
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full, combinators::BoxBody};
use rmcp::transport::streamable_http_server::{
    StreamableHttpService, session::never::NeverSessionManager,
};
use subtle::ConstantTimeEq as _;
use textsearch_core::secret::Secret;
use tokio::time;
use tower_service::Service;

use crate::{http_server::Origins, server::handler::Handler};

/// How long a client may take to send its request, in addition to the time of the call.
const READING: Duration = Duration::from_secs(10);

const SCHEME: &[u8] = b"Bearer ";

type Mcp = StreamableHttpService<Handler, NeverSessionManager>;

type HttpResponse = Response<BoxBody<Bytes, Infallible>>;

/// Passes on the requests that may call.
#[derive(Clone)]
pub(super) struct Guarded {
    mcp: Mcp,
    token: Option<Secret>,
    origins: Arc<Origins>,
    limit: Duration,
}

impl Guarded {
    pub(super) fn new(
        mcp: Mcp,
        token: Option<Secret>,
        origins: Origins,
        call_timeout: Duration,
    ) -> Self {
        let limit = call_timeout.saturating_add(READING);
        Self { mcp, token, origins: Arc::new(origins), limit }
    }

    fn refusal(&self, headers: &HeaderMap) -> Option<HttpResponse> {
        if headers.get(header::ORIGIN).is_some_and(|origin| !self.origins.contains(origin)) {
            return Some(answer(StatusCode::FORBIDDEN, "this page may not call the server"));
        }
        (!self.admits(headers)).then(unauthorized)
    }

    fn admits(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else { return true };
        let sent = headers.get(header::AUTHORIZATION).map(HeaderValue::as_bytes);
        let sent = sent.and_then(|value| value.split_at_checked(SCHEME.len()));
        sent.is_some_and(|(scheme, sent)| {
            scheme.eq_ignore_ascii_case(SCHEME) && sent.ct_eq(token.expose().as_bytes()).into()
        })
    }
}

impl<B> Service<Request<B>> for Guarded
where
    B: http_body::Body + Send + 'static,
    B::Data: Send,
    B::Error: fmt::Display,
{
    type Response = HttpResponse;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<HttpResponse, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        if let Some(refusal) = self.refusal(request.headers()) {
            return std::future::ready(Ok(refusal)).boxed();
        }
        let (mcp, limit) = (self.mcp.clone(), self.limit);
        async move {
            let answered = time::timeout(limit, mcp.handle(request)).await;
            let too_slow = |_| answer(StatusCode::REQUEST_TIMEOUT, "the request took too long");
            Ok(answered.unwrap_or_else(too_slow))
        }
        .boxed()
    }
}

fn answer(status: StatusCode, text: &'static str) -> HttpResponse {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *response.status_mut() = status;
    response
}

fn unauthorized() -> HttpResponse {
    let text = "send the server's token as `Authorization: Bearer`";
    let mut response = answer(StatusCode::UNAUTHORIZED, text);
    let challenge = HeaderValue::from_static("Bearer");
    response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    response
}
