//! The server: from services and settings to HTTP.

use std::{
    convert::Infallible,
    fmt,
    sync::Arc,
    task::{Context, Poll},
};

use axum::{Router, body::Body};
use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt as _};
use http::{Request, Response};
use http_body_util::{BodyExt as _, combinators::UnsyncBoxBody};
use textsearch_core::BoxError;
use textsearch_mcp::http_server::{self, Origins};
use tokio::net::TcpListener;
use tower_service::Service;

use crate::{
    Result, ServerConfig, ServerError, Services, capacity::Capacity, metrics::Metrics,
    oauth::Resource, openapi, router, shared::Shared, tenant::Directory,
};

/// Offers searches over HTTP: results, prompts, answers, MCP and the retrieval-plugin interface.
///
/// | Request | Right | |
/// |---|---|---|
/// | `POST /v1/search` | search | results of a source |
/// | `GET /v1/documents`, `GET /v1/documents/{id}` | search | lists and reads the documents of a source that [has some](crate::SearchSource::document_store) |
/// | `GET /v1/capabilities` | any | the sources, their fields, and the caller's rights |
/// | `POST /v1/prompt` | prompt | renders a template |
/// | `POST /v1/answer` | answer | asks the model and streams events |
/// | `POST /query`, `POST /upsert`, `POST /upsert-file`, `DELETE /delete` | search, upsert | the retrieval-plugin interface, with a [`DocumentWriter`](crate::DocumentWriter) |
/// | `/mcp` | search | an MCP server |
/// | `GET /metrics` | metrics | Prometheus's text format |
/// | `GET /health`, `GET /openapi.json` | none | |
/// | `GET /.well-known/oauth-protected-resource`, and the same with `/mcp` | none | where clients get tokens, with [`OAuthConfig`](crate::OAuthConfig) |
/// | `GET /` | none | a page that tries searches and templates |
///
/// The [filter](crate::AccessToken::fixed_filter) of a token keeps tenants apart: no request with
/// the token finds, counts, writes or deletes documents that the filter hides.
///
/// Cheap to clone.
#[derive(Clone)]
pub struct Server {
    shared: Arc<Shared>,
    router: Router,
}

/// A server as a [`tower_service::Service`], to mount in an HTTP server of the caller, at its root.
#[derive(Clone)]
pub struct ServerService {
    router: Router,
}

impl Server {
    /// Creates a server.
    ///
    /// # Errors
    ///
    /// - [`InvalidSetting`](ServerError::InvalidSetting) if a limit is 0, an origin isn't one, a
    ///   token is short or repeated, a source has no mode, or documents written by a tenant can't
    ///   be kept apart from others.
    /// - [`UnsupportedFilter`](ServerError::UnsupportedFilter) if a source can't apply a fixed
    ///   filter.
    /// - [`Kernel`](ServerError::Kernel) if two sources share a name, or one is invalid.
    pub fn new(services: Services, config: ServerConfig) -> Result<Self> {
        config.check()?;
        if services.sources.is_empty() && services.document_writer.is_none() {
            let message = "are empty: add a source to search";
            return Err(ServerError::setting("sources", message));
        }
        let origins = Origins::parse(&config.allowed_origins)
            .map_err(|message| ServerError::setting("allowed_origins", message))?;
        let shared = Arc::new(Shared {
            origins,
            tenants: Directory::new(&services, &config)?,
            resource: config.oauth.as_ref().map(|oauth| {
                let answers = services.chat_completion.is_some();
                Resource::new(oauth, answers)
            }),
            metrics: Metrics::new(),
            capacity: Capacity::of_server(&config),
            openapi: openapi::document(&services, &config),
            model: services.chat_completion.clone(),
            config,
        });
        let router = router::router(&shared, services.document_writer.is_some());
        Ok(Self { shared, router })
    }

    /// Serves `listener` until `shutdown` ends. Then finishes running requests, for at most
    /// [`shutdown_timeout`](ServerConfig::shutdown_timeout).
    ///
    /// A connection ends if its client sends no complete head of a request for 30 s, or takes no
    /// byte of a response for 30 s.
    pub async fn serve(&self, listener: TcpListener, shutdown: impl Future<Output = ()>) {
        let patience = self.shared.config.shutdown_timeout;
        http_server::serve(listener, self.router.clone(), shutdown, patience).await;
    }

    /// Returns the server as a service for the root of an HTTP server.
    pub fn service(&self) -> ServerService {
        ServerService { router: self.router.clone() }
    }
}

impl<B> Service<Request<B>> for ServerService
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = Response<UnsyncBoxBody<Bytes, BoxError>>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let mut router = self.router.clone();
        async move {
            let response = Service::<Request<Body>>::call(&mut router, request.map(Body::new));
            Ok(response.await?.map(|body| body.map_err(BoxError::from).boxed_unsync()))
        }
        .boxed()
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Server")
            .field("config", &self.shared.config)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for ServerService {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ServerService").finish_non_exhaustive()
    }
}
