//! Which request reaches which endpoint, through which checks.

use std::sync::Arc;

use axum::{
    Router,
    extract::DefaultBodyLimit,
    middleware::{from_fn, from_fn_with_state},
    routing::{MethodRouter, any, delete, get, post},
};
use tower_http::catch_panic::CatchPanicLayer;

use crate::{
    Right, assets, endpoints,
    layers::{self, Rules},
    retrieval,
    shared::Shared,
};

pub(crate) fn router(shared: &Arc<Shared>, has_writer: bool) -> Router {
    let public = Router::new()
        .route("/health", get(endpoints::health))
        .route("/openapi.json", get(endpoints::openapi))
        .route("/.well-known/oauth-protected-resource", get(endpoints::resource))
        .route("/.well-known/oauth-protected-resource/mcp", get(endpoints::resource_of_mcp))
        .merge(assets::router());
    let router = private_routes(shared, has_writer)
        .merge(public)
        .fallback(endpoints::not_found)
        .method_not_allowed_fallback(endpoints::method_not_allowed);
    // One layer for the router, which would box each.
    let enter = from_fn_with_state(Arc::clone(shared), layers::enter);
    let inner = (
        CatchPanicLayer::custom(layers::panicked),
        // `admit` limits the bodies that it reads. No other is read.
        DefaultBodyLimit::disable(),
    );
    let router = match shared.config.allowed_origins.as_slice() {
        [] => router.layer((enter, inner)),
        _ => router.layer((enter, layers::cors(&shared.origins), inner)),
    };
    router.with_state(Arc::clone(shared))
}

fn private_routes(shared: &Arc<Shared>, has_writer: bool) -> Router<Arc<Shared>> {
    let timed = |right, route| guarded(shared, Rules { right, is_timed: true }, route);
    let needs = |right, route| timed(Some(right), route);
    // It limits the time of calls itself, and says so in MCP's terms.
    let of_mcp = Rules { right: Some(Right::Search), is_timed: false };
    let of_gemini = needs(Right::Search, post(endpoints::grounding));
    let routes = Router::new()
        .route("/v1/search", needs(Right::Search, post(endpoints::search)))
        .route("/v1/grounding", of_gemini.layer(from_fn(layers::query_key)))
        .route("/v1/documents", needs(Right::Search, get(endpoints::documents)))
        .route("/v1/documents/{id}", needs(Right::Search, get(endpoints::document)))
        .route("/v1/capabilities", timed(None, get(endpoints::capabilities)))
        .route("/v1/prompt", needs(Right::Prompt, post(endpoints::prompt)))
        .route("/metrics", needs(Right::Metrics, get(endpoints::metrics)))
        // Until the stream begins.
        .route("/v1/answer", needs(Right::Answer, post(endpoints::answer)))
        .route("/mcp", guarded(shared, of_mcp, any(endpoints::mcp)));
    // Only holders of tokens may use it.
    if !has_writer || !shared.config.needs_token() {
        return routes;
    }
    routes
        .route("/query", needs(Right::Search, post(retrieval::query)))
        .route("/upsert", needs(Right::Upsert, post(retrieval::upsert)))
        .route("/upsert-file", needs(Right::Upsert, post(retrieval::upsert_file)))
        .route("/delete", needs(Right::Upsert, delete(retrieval::delete)))
}

fn guarded(
    shared: &Arc<Shared>,
    rules: Rules,
    route: MethodRouter<Arc<Shared>>,
) -> MethodRouter<Arc<Shared>> {
    route.layer(from_fn_with_state((Arc::clone(shared), rules), layers::admit))
}
