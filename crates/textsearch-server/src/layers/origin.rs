//! Refuses requests of web pages and for other hosts, as a page that rebinds its DNS name sends.

use axum::extract::Request;
use http::{HeaderMap, HeaderValue, Method, Uri, header, uri::Authority};
use textsearch_mcp::http_server::Origins;
use tower_http::cors::CorsLayer;

use crate::{
    problem::{Answer, Kind, Problem},
    shared::Shared,
};

pub(super) fn check_host_and_origin(shared: &Shared, request: &Request) -> Answer<()> {
    let host = host(request);
    let hosts = &shared.config.allowed_hosts;
    if !host.as_ref().is_some_and(|host| is_allowed(host, hosts)) {
        let detail = "the server does not serve this `Host`";
        return Err(Problem::new(Kind::Forbidden, detail));
    }
    if let Some(origin) = request.headers().get(header::ORIGIN) {
        // Its own pages may call the server.
        let is_own = origin_host(origin) == host;
        if !is_own && !shared.origins.contains(origin) {
            let detail = "web pages of this origin may not call the server";
            return Err(Problem::new(Kind::Forbidden, detail));
        }
    }
    Ok(())
}

/// Lets the listed pages read responses.
pub(crate) fn cors(origins: &Origins) -> CorsLayer {
    origins
        .cors()
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
