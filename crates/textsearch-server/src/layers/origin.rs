//! Refuses requests of web pages and for other hosts, as a page that rebinds its DNS name sends.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use http::{HeaderMap, HeaderValue, Method, Uri, header, uri::Authority};
use tower_http::cors::{AllowOrigin, CorsLayer};

use crate::{
    ServerConfig,
    problem::{Answer, Kind, Problem},
    server::Shared,
};

pub(crate) async fn check_host_and_origin(
    State(shared): State<Arc<Shared>>,
    request: Request,
    next: Next,
) -> Answer<Response> {
    let config = &shared.config;
    let host = host(&request);
    if !host.as_ref().is_some_and(|host| is_allowed(host, &config.allowed_hosts)) {
        let detail = "the server does not serve this `Host`";
        return Err(Problem::new(Kind::Forbidden, detail));
    }
    if let Some(origin) = request.headers().get(header::ORIGIN) {
        // Its own pages may call the server.
        let is_own = origin_host(origin) == host;
        if !is_own && !is_listed(origin, &config.allowed_origins) {
            let detail = "web pages of this origin may not call the server";
            return Err(Problem::new(Kind::Forbidden, detail));
        }
    }
    Ok(next.run(request).await)
}

/// Lets the listed pages read responses.
pub(crate) fn cors(config: &ServerConfig) -> CorsLayer {
    let origins = config.allowed_origins.iter().filter_map(|origin| origin.parse().ok());
    let origins: Vec<HeaderValue> = origins.collect();
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins))
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        .allow_headers([header::AUTHORIZATION, header::CONTENT_TYPE])
}

fn host(request: &Request) -> Option<Authority> {
    let one = |headers: &HeaderMap| {
        let mut hosts = headers.get_all(header::HOST).iter();
        hosts.next().filter(|_| hosts.next().is_none()).cloned()
    };
    match request.uri().authority() {
        Some(authority) => Some(authority.clone()),
        None => one(request.headers())?.to_str().ok()?.parse().ok(),
    }
}

fn is_allowed(host: &Authority, allowed: &[String]) -> bool {
    let name = without_brackets(host.host());
    allowed.iter().any(|allowed| {
        allowed.eq_ignore_ascii_case(host.as_str())
            || without_brackets(allowed).eq_ignore_ascii_case(name)
    })
}

fn without_brackets(host: &str) -> &str {
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
}

fn origin_host(origin: &HeaderValue) -> Option<Authority> {
    let uri: Uri = origin.to_str().ok()?.parse().ok()?;
    uri.authority().cloned()
}

fn is_listed(origin: &HeaderValue, allowed: &[String]) -> bool {
    let (Ok(origin), Some(host)) = (origin.to_str(), origin_host(origin)) else { return false };
    allowed.iter().any(|allowed| {
        let same_scheme = allowed.split("://").next() == origin.split("://").next();
        let listed = allowed.parse::<Uri>().ok().and_then(|uri| uri.authority().cloned());
        same_scheme
            && listed.is_some_and(|listed| {
                port_of(&listed, allowed) == port_of(&host, origin)
                    && listed.host().eq_ignore_ascii_case(host.host())
            })
    })
}

fn port_of(host: &Authority, origin: &str) -> u16 {
    let default = if origin.starts_with("https://") { 443 } else { 80 };
    host.port_u16().unwrap_or(default)
}
