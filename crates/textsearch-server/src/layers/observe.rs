//! The span and the metrics of each request.

use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use http::{Method, StatusCode};
use tracing::{Span, field};

use crate::metrics::{Metrics, Running};

/// A request that runs.
pub(super) struct Observed {
    span: Span,
    method: &'static str,
    route: String,
    begun: Instant,
    _running: Running,
}

impl Observed {
    /// The span has the attributes of OpenTelemetry's conventions for HTTP servers, without query,
    /// headers and body.
    pub(super) fn begin(metrics: &Metrics, request: &Request) -> Self {
        let method = name_of(request.method());
        let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
        let route = route.unwrap_or_else(|| "none".to_owned());
        let span = tracing::info_span!(
            "request",
            otel.name = format!("{method} {route}"),
            otel.kind = "server",
            http.request.method = method,
            http.route = route,
            http.response.status_code = field::Empty,
            textsearch.tenant = field::Empty,
        );
        Self { span, method, route, begun: Instant::now(), _running: metrics.start() }
    }

    pub(super) fn span(&self) -> Span {
        self.span.clone()
    }

    pub(super) fn end(self, metrics: &Metrics, status: StatusCode) {
        let status = status.as_u16();
        self.span.record("http.response.status_code", status);
        metrics.finish(self.route, self.method, status, self.begun.elapsed());
    }
}

/// A caller can invent methods, but no names of them.
fn name_of(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::DELETE => "DELETE",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        _ => "_OTHER",
    }
}
