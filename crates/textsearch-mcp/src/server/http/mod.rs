//! The server over streamable HTTP.

mod origin;

use std::{
    convert::Infallible,
    fmt,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use axum::Router;
use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt as _};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header, uri::Authority};
use http_body_util::{BodyExt as _, Full, combinators::BoxBody};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};
use subtle::ConstantTimeEq as _;
use textsearch_core::secret::Secret;
use tokio::{net::TcpListener, sync::oneshot, time};
use tower_service::Service;

use self::origin::Origins;
use super::{McpServer, handler::Handler};
use crate::{McpError, Result};

/// For running calls, after the shutdown began. A connection that sends nothing would hold the server
/// forever.
const DRAIN: Duration = Duration::from_secs(10);

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
    /// The web pages that may call the server, as origins such as `https://app.example`; none.
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

impl McpHttpConfig {
    fn check(&self) -> Result<()> {
        if self.allowed_hosts.is_empty() {
            let message = "is empty, so no request could match: name a host";
            return Err(McpError::invalid_setting("allowed_hosts", message));
        }
        let is_authority = |host: &&String| {
            // An IPv6 address has brackets only in a URL.
            host.parse::<Authority>().is_ok() || host.parse::<std::net::Ipv6Addr>().is_ok()
        };
        if let Some(host) = self.allowed_hosts.iter().find(|host| !is_authority(host)) {
            let message = format!("has `{host}`; expected a host name, with or without a port");
            return Err(McpError::invalid_setting("allowed_hosts", message));
        }
        let is_token = |token: &Secret| {
            !token.is_empty() && token.expose().bytes().all(|one| one.is_ascii_graphic())
        };
        if self.bearer_token.as_ref().is_some_and(|token| !is_token(token)) {
            let message = "is empty or has characters that no header can carry";
            return Err(McpError::invalid_setting("bearer_token", message));
        }
        Ok(())
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
    origins: Arc<Origins>,
}

impl McpServer {
    /// Returns the server as a service for one path of an HTTP server.
    ///
    /// # Errors
    ///
    /// Returns [`McpError::InvalidSetting`] if there is no allowed host, a host or origin can't
    /// match any request, or the token can't be a header's value.
    pub fn http_service(&self, config: McpHttpConfig) -> Result<McpHttpService> {
        config.check()?;
        let origins = Origins::parse(&config.allowed_origins)?;
        let settings = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_allowed_hosts(config.allowed_hosts)
            .with_max_request_body_bytes(config.max_body_bytes);
        let handler = self.handler.clone();
        let inner = StreamableHttpService::new(
            move || Ok(handler.clone()),
            Arc::new(NeverSessionManager::default()),
            settings,
        );
        Ok(McpHttpService { inner, token: config.bearer_token, origins: Arc::new(origins) })
    }

    /// Serves `/mcp` on `listener` until `shutdown` ends, then gives running calls ten seconds to
    /// finish.
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
    /// Returns [`McpError::Transport`] if the listener fails, or the errors of
    /// [`http_service`](Self::http_service).
    pub async fn serve_http(
        &self,
        listener: TcpListener,
        config: McpHttpConfig,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> Result<()> {
        let router = Router::new().route_service("/mcp", self.http_service(config)?);
        let (begun, begins) = oneshot::channel::<()>();
        let shutdown = async move {
            shutdown.await;
            drop(begun);
        };
        let serving = axum::serve(listener, router).with_graceful_shutdown(shutdown);
        let drained = async {
            // Ends when the sender is dropped.
            let _ = begins.await;
            time::sleep(DRAIN).await;
        };
        tokio::select! {
            served = serving => {
                served.map_err(|error| McpError::transport("the listener failed", error))
            }
            () = drained => Ok(()),
        }
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
        let origin = match self.origins.admit(request.headers()) {
            Ok(origin) => origin,
            Err(refused) => return std::future::ready(Ok(refused.into())).boxed(),
        };
        // A browser asks first, without the token.
        if let (Some(origin), &Method::OPTIONS) = (&origin, request.method()) {
            return std::future::ready(Ok(origin::preflight(origin))).boxed();
        }
        if !self.admits(request.headers()) {
            return std::future::ready(Ok(origin::shared_with(origin, unauthorized()))).boxed();
        }
        let inner = self.inner.clone();
        async move { Ok(origin::shared_with(origin, inner.handle(request).await)) }.boxed()
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

fn answer(status: StatusCode, text: &'static str) -> Response<BoxBody<Bytes, Infallible>> {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *response.status_mut() = status;
    response
}

fn unauthorized() -> Response<BoxBody<Bytes, Infallible>> {
    let text = "send the server's token as `Authorization: Bearer`";
    let mut response = answer(StatusCode::UNAUTHORIZED, text);
    let challenge = HeaderValue::from_static("Bearer");
    response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    response
}

impl fmt::Debug for McpHttpService {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("McpHttpService").field("token", &self.token).finish_non_exhaustive()
    }
}
