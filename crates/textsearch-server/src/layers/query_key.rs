//! Reads the token of services that send it in the URL.

use axum::{
    extract::{Query, Request},
    middleware::Next,
    response::Response,
};
use http::{HeaderValue, header};
use serde::Deserialize;

/// Marks a request whose token was in the URL, where proxies log it.
#[derive(Clone, Copy)]
pub(crate) struct TokenInUrl;

#[derive(Deserialize)]
struct Parameters {
    key: String,
}

/// Moves the parameter `key` into the header that the other layers read, and removes the URL's query,
/// so that nothing behind can log it.
pub(crate) async fn query_key(mut request: Request, next: Next) -> Response {
    let parameters = Query::<Parameters>::try_from_uri(request.uri());
    let path = request.uri().path().parse();
    let bearer = |key: &str| HeaderValue::from_str(&format!("Bearer {key}"));
    if let (Ok(Query(Parameters { key })), Ok(path)) = (parameters, path)
        && let Ok(mut token) = bearer(&key)
    {
        token.set_sensitive(true);
        *request.uri_mut() = path;
        request.headers_mut().entry(header::AUTHORIZATION).or_insert(token);
        request.extensions_mut().insert(TokenInUrl);
    }
    next.run(request).await
}
