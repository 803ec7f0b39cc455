//! The server over streamable HTTP.

use std::{
    convert::Infallible,
    fmt,
    sync::Arc,
    task::{Context, Poll},
};

use axum::Router;
use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt as _};
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full, combinators::BoxBody};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};
use subtle::ConstantTimeEq as _;
use textsearch_core::secret::Secret;
use tokio::net::TcpListener;
use tower_service::Service;

use super::{McpServer, handler::Handler};
use crate::{McpError, Result};

/// Who may reach a server over HTTP.
///
/// The defaults suit a server on the same machine: requests for another `Host`, and requests from
/// any web page, are refused. So a page in the user's browser can't reach the server, not even by
/// DNS rebinding.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct McpHttpConfig {
    /// The accepted values of `Host`, with or without a port: `localhost`, `127.0.0.1` and `::1`.
    pub allowed_hosts: Vec<String>,
    /// The web pages that may call the server, as origins such as `https://app.example:443`; none.
    pub allowed_origins: Vec<String>,
    /// The token that each request must send as `Authorization: Bearer`; none.
    pub bearer_token: Option<Secret>,
    /// The maximum size of a request: 1 MiB.
    pub max_body_bytes: usize,
}

impl McpHttpConfig {
    /// Creates the settings of a server for programs on the same machine.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the accepted values of `Host`, for a server that other machines reach by name.
    #[must_use]
    pub fn with_allowed_hosts(
        mut self,
        hosts: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.allowed_hosts = hosts.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the origins of the web pages that may call the server.
    #[must_use]
    pub fn with_allowed_origins(
        mut self,
        origins: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.allowed_origins = origins.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the token that each request must send.
    #[must_use]
    pub fn with_bearer_token(mut self, token: impl Into<Secret>) -> Self {
        self.bearer_token = Some(token.into());
        self
    }

    /// Sets the maximum size of a request in bytes.
    #[must_use]
    pub fn with_max_body_bytes(mut self, bytes: usize) -> Self {
        self.max_body_bytes = bytes;
        self
    }
}

impl Default for McpHttpConfig {
    fn default() -> Self {
        Self {
            allowed_hosts: ["localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec(),
            allowed_origins: Vec::new(),
            bearer_token: None,
            max_body_bytes: 1024 * 1024,
        }
    }
}

/// An MCP server as a [`tower_service::Service`], to mount in an HTTP server of the caller.
///
/// It keeps no sessions, so several processes can share the load. Closing a request cancels its
/// call.
#[derive(Clone)]
pub struct McpHttpService {
    inner: StreamableHttpService<Handler, NeverSessionManager>,
    token: Option<Secret>,
}

impl McpServer {
    /// Returns the server as a service for one path of an HTTP server.
    pub fn http_service(&self, config: McpHttpConfig) -> McpHttpService {
        let settings = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_allowed_hosts(config.allowed_hosts)
            .with_allowed_origins(config.allowed_origins)
            .enforce_origin_validation()
            .with_max_request_body_bytes(config.max_body_bytes);
        let handler = self.handler.clone();
        let inner = StreamableHttpService::new(
            move || Ok(handler.clone()),
            Arc::new(NeverSessionManager::default()),
            settings,
        );
        McpHttpService { inner, token: config.bearer_token }
    }

    /// Serves `/mcp` on `listener` until `shutdown` ends, then lets running calls finish.
    ///
    /// ```no_run
    /// # use textsearch_kernel::Kernel;
    /// # use textsearch_mcp::{McpHttpConfig, McpServer, McpServerConfig};
    /// # async fn serve(kernel: Kernel) -> Result<(), Box<dyn std::error::Error>> {
    /// let listener = tokio::net::TcpListener::bind("127.0.0.1:8722").await?;
    /// let server = McpServer::new(kernel, McpServerConfig::new("docs"))?;
    /// server.serve_http(listener, McpHttpConfig::new(), std::future::pending()).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`McpError::Transport`] if the listener fails.
    pub async fn serve_http(
        &self,
        listener: TcpListener,
        config: McpHttpConfig,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> Result<()> {
        let router = Router::new().route_service("/mcp", self.http_service(config));
        let serving = axum::serve(listener, router).with_graceful_shutdown(shutdown);
        serving.await.map_err(|error| McpError::transport("the listener failed", error))
    }
}

impl<B> Service<Request<B>> for McpHttpService
where
    B: http_body::Body + Send + 'static,
    B::Data: Send,
    B::Error: fmt::Display,
{
    type Response = Response<BoxBody<Bytes, Infallible>>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        if !self.admits(request.headers()) {
            return std::future::ready(Ok(unauthorized())).boxed();
        }
        let inner = self.inner.clone();
        async move { Ok(inner.handle(request).await) }.boxed()
    }
}

impl McpHttpService {
    fn admits(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else { return true };
        let sent = headers.get(header::AUTHORIZATION).map(HeaderValue::as_bytes);
        let sent = sent.and_then(|value| value.split_at_checked("Bearer ".len()));
        sent.is_some_and(|(scheme, sent)| {
            scheme.eq_ignore_ascii_case(b"Bearer ") && sent.ct_eq(token.expose().as_bytes()).into()
        })
    }
}

fn unauthorized() -> Response<BoxBody<Bytes, Infallible>> {
    let body = Full::new(Bytes::from_static(b"send the server's token as `Authorization: Bearer`"));
    let mut response = Response::new(body.boxed());
    *response.status_mut() = StatusCode::UNAUTHORIZED;
    let challenge = HeaderValue::from_static("Bearer");
    response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    response
}

impl fmt::Debug for McpHttpService {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("McpHttpService").field("token", &self.token).finish_non_exhaustive()
    }
}
