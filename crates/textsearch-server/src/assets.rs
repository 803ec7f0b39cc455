//! Static files in the binary: pages in a browser that use the server's own API.

use axum::{Router, routing::get};
use http::{HeaderName, HeaderValue, header};

/// Pages load only the server's own files, run no inline script, turn no text into markup or script,
/// and can't be framed.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
     require-trusted-types-for 'script'; trusted-types 'none'",
);

/// A file to serve to everyone, without a token.
pub(crate) struct Asset {
    /// Such as `/app.js`.
    pub(crate) path: &'static str,
    /// Such as `text/javascript; charset=utf-8`.
    pub(crate) content_type: &'static str,
    pub(crate) body: &'static [u8],
}

const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! asset {
    ($path:literal, $file:literal, $content_type:expr) => {
        Asset {
            path: $path,
            content_type: $content_type,
            body: include_bytes!(concat!("../assets/playground/", $file)),
        }
    };
}

/// Add a file here to serve it.
const ASSETS: &[Asset] = &[
    asset!("/", "index.html", "text/html; charset=utf-8"),
    asset!("/playground/api.js", "api.js", JAVASCRIPT),
    asset!("/playground/conversation.js", "conversation.js", JAVASCRIPT),
    asset!("/playground/explain.js", "explain.js", JAVASCRIPT),
    asset!("/playground/filter.js", "filter.js", JAVASCRIPT),
    asset!("/playground/icon.svg", "icon.svg", "image/svg+xml"),
    asset!("/playground/main.js", "main.js", JAVASCRIPT),
    asset!("/playground/playground.css", "playground.css", "text/css; charset=utf-8"),
    asset!("/playground/prompt.js", "prompt.js", JAVASCRIPT),
    asset!("/playground/reader.js", "reader.js", JAVASCRIPT),
    asset!("/playground/search.js", "search.js", JAVASCRIPT),
    asset!("/playground/state.js", "state.js", JAVASCRIPT),
    asset!("/playground/text.js", "text.js", JAVASCRIPT),
];

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
