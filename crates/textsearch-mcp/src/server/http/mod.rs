//! The server over streamable HTTP.

mod guard;

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
use http::{HeaderName, Method, Request, Response, header, uri::Authority};
use http_body_util::combinators::BoxBody;
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};
use textsearch_core::secret::Secret;
use tokio::net::TcpListener;
use tower_http::cors::Cors;
use tower_layer::Layer as _;
use tower_service::Service;

use self::guard::Guarded;
use super::McpServer;
use crate::{
    McpError, Result,
    http_server::{self, Origins},
};

/// For running calls, after the shutdown began. A connection that sends nothing would hold the server
/// forever.
const DRAIN: Duration = Duration::from_secs(10);

/// The headers that web pages may send.
const HEADERS: [HeaderName; 8] = [
    header::ACCEPT,
    header::AUTHORIZATION,
    header::CONTENT_TYPE,
    HeaderName::from_static("last-event-id"),
    HeaderName::from_static("mcp-method"),
    HeaderName::from_static("mcp-name"),
    HeaderName::from_static("mcp-protocol-version"),
    HeaderName::from_static("mcp-session-id"),
];

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
            !token.is_empty() && token.expose().bytes().all(|byte| byte.is_ascii_graphic())
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
/// call. A client that takes longer than a call may to send its request gets the status 408.
#[derive(Clone)]
pub struct McpHttpService {
    inner: Cors<Guarded>,
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
        let origins = Origins::parse(&config.allowed_origins)
            .map_err(|message| McpError::invalid_setting("allowed_origins", message))?;
        let settings = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            // `Guarded` checks the host, more strictly.
            .disable_allowed_hosts()
            .with_max_request_body_bytes(config.max_body_bytes);
        let handler = self.handler.clone();
        let call_timeout = handler.call_timeout();
        let mcp = StreamableHttpService::new(
            move || Ok(handler.clone()),
            Arc::new(NeverSessionManager::default()),
            settings,
        );
        let cors = origins.cors().allow_methods([Method::POST]).allow_headers(HEADERS);
        let guarded =
            Guarded::new(mcp, config.bearer_token, config.allowed_hosts, origins, call_timeout);
        Ok(McpHttpService { inner: cors.layer(guarded) })
    }

    /// Serves `/mcp` on `listener` until `shutdown` ends, then gives running calls ten seconds to
    /// finish.
    ///
    /// A connection ends if its client sends no complete head of a request for 30 s, or takes no
    /// byte of a response for 30 s.
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
    /// Returns the errors of [`http_service`](Self::http_service).
    pub async fn serve_http(
        &self,
        listener: TcpListener,
        config: McpHttpConfig,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> Result<()> {
        let router = Router::new().route_service("/mcp", self.http_service(config)?);
        http_server::serve(listener, router, shutdown, DRAIN).await;
        Ok(())
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
        self.inner.call(request).boxed()
    }
}

impl fmt::Debug for McpHttpService {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("McpHttpService").finish_non_exhaustive()
    }
}
