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

use crate::{
    http_server::{self, Origins},
    server::handler::Handler,
};

/// How long a client may take to send its request, in addition to the time of the call.
const READING: Duration = Duration::from_secs(10);

type Mcp = StreamableHttpService<Handler, NeverSessionManager>;

type HttpResponse = Response<BoxBody<Bytes, Infallible>>;

/// Passes on the requests that may call.
#[derive(Clone)]
pub(super) struct Guarded {
    mcp: Mcp,
    token: Option<Secret>,
    hosts: Arc<[String]>,
    origins: Arc<Origins>,
    limit: Duration,
}

impl Guarded {
    pub(super) fn new(
        mcp: Mcp,
        token: Option<Secret>,
        hosts: Vec<String>,
        origins: Origins,
        call_timeout: Duration,
    ) -> Self {
        let limit = call_timeout.saturating_add(READING);
        Self { mcp, token, hosts: hosts.into(), origins: Arc::new(origins), limit }
    }

    fn refusal<B>(&self, request: &Request<B>) -> Option<HttpResponse> {
        let host = http_server::host(request.uri(), request.headers());
        if !host.is_some_and(|host| http_server::is_allowed(&host, &self.hosts)) {
            return Some(answer(StatusCode::FORBIDDEN, "the server does not serve this `Host`"));
        }
        // The server has no pages of its own.
        if !self.origins.may_call(request.headers(), None) {
            return Some(answer(StatusCode::FORBIDDEN, "this page may not call the server"));
        }
        (!self.admits(request.headers())).then(unauthorized)
    }

    fn admits(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else { return true };
        let sent = http_server::bearer_token(headers);
        sent.is_some_and(|sent| sent.ct_eq(token.expose().as_bytes()).into())
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
        if let Some(refusal) = self.refusal(&request) {
            return std::future::ready(Ok(refusal)).boxed();
        }
        let mcp = self.mcp.clone();
        let limit = self.limit;
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
