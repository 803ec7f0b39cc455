//! Which request reaches which endpoint, through which checks.

use std::sync::Arc;

use axum::{
    Router,
    extract::DefaultBodyLimit,
    middleware::{from_fn, from_fn_with_state},
    routing::{MethodRouter, any, delete, get, post},
};
use tower_http::catch_panic::CatchPanicLayer;

use crate::{Right, assets, endpoints, layers, retrieval, server::Shared};

pub(crate) fn router(shared: &Arc<Shared>, has_writer: bool) -> Router {
    let timed = timed_routes(shared, has_writer)
        .route_layer(from_fn_with_state(Arc::clone(shared), layers::limit_time));
    // It limits the time of calls itself, and says so in MCP's terms.
    let mcp = Router::new().route("/mcp", needs(Right::Search, any(endpoints::mcp)));
    let private = timed
        .merge(mcp)
        .route_layer(from_fn_with_state(Arc::clone(shared), layers::limit_concurrency))
        .route_layer(from_fn_with_state(Arc::clone(shared), layers::authenticate));
    let public = Router::new()
        .route("/health", get(endpoints::health))
        .route("/openapi.json", get(endpoints::openapi))
        .merge(assets::router());
    private
        .merge(public)
        .fallback(endpoints::not_found)
        .method_not_allowed_fallback(endpoints::method_not_allowed)
        .layer(DefaultBodyLimit::max(shared.config.max_body_bytes))
        .layer(CatchPanicLayer::custom(layers::panicked))
        .layer(layers::cors(&shared.config))
        .layer(from_fn_with_state(Arc::clone(shared), layers::check_host_and_origin))
        .layer(from_fn(layers::secure_headers))
        .layer(from_fn_with_state(Arc::clone(shared), layers::observe))
        .with_state(Arc::clone(shared))
}

fn timed_routes(shared: &Arc<Shared>, has_writer: bool) -> Router<Arc<Shared>> {
    let routes = Router::new()
        .route("/v1/search", needs(Right::Search, post(endpoints::search)))
        .route("/v1/capabilities", get(endpoints::capabilities))
        .route("/v1/prompt", needs(Right::Prompt, post(endpoints::prompt)))
        .route("/metrics", needs(Right::Metrics, get(endpoints::metrics)));
    let routes = match shared.has_model {
        // Until the stream begins.
        true => routes.route("/v1/answer", needs(Right::Answer, post(endpoints::answer))),
        false => routes,
    };
    // Only holders of tokens may use it.
    if !has_writer || shared.config.tokens.is_empty() {
        return routes;
    }
    routes
        .route("/query", needs(Right::Search, post(retrieval::query)))
        .route("/upsert", needs(Right::Upsert, post(retrieval::upsert)))
        .route("/delete", needs(Right::Upsert, delete(retrieval::delete)))
}

fn needs(right: Right, route: MethodRouter<Arc<Shared>>) -> MethodRouter<Arc<Shared>> {
    route.layer(from_fn(move |request, next| layers::require(right, request, next)))
}
