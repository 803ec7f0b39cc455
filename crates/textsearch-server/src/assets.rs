//! Static files in the binary: pages in a browser that use the server's own API.

use axum::{Router, routing::get};
use http::{HeaderName, HeaderValue, header};

/// Pages load only the server's own files, run no inline script, and can't be framed.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// A file to serve to everyone, without a token.
pub(crate) struct Asset {
    /// Such as `/app.js`.
    pub(crate) path: &'static str,
    /// Such as `text/javascript; charset=utf-8`.
    pub(crate) content_type: &'static str,
    pub(crate) body: &'static [u8],
}

/// Add a file here to serve it.
const ASSETS: &[Asset] = &[];

pub(crate) fn router<S: Clone + Send + Sync + 'static>() -> Router<S> {
    ASSETS.iter().fold(Router::new(), |router, asset| {
        let headers: [(HeaderName, HeaderValue); 3] = [
            (header::CONTENT_TYPE, HeaderValue::from_static(asset.content_type)),
            (header::CONTENT_SECURITY_POLICY, POLICY),
            (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        ];
        router.route(asset.path, get(move || async move { (headers, asset.body) }))
    })
}
