//! Refuses requests of web pages and for other hosts, as a page that rebinds its DNS name sends.

use axum::extract::Request;
use http::{Method, header};
use textsearch_mcp::http_server::{self, Origins};
use tower_http::cors::CorsLayer;

use crate::{
    problem::{Answer, Kind, Problem},
    shared::Shared,
};

pub(super) fn check_host_and_origin(shared: &Shared, request: &Request) -> Answer<()> {
    let host = http_server::host(request.uri(), request.headers());
    let hosts = &shared.config.allowed_hosts;
    let Some(host) = host.filter(|host| http_server::is_allowed(host, hosts)) else {
        let detail = "the server does not serve this `Host`";
        return Err(Problem::new(Kind::Forbidden, detail));
    };
    if !shared.origins.may_call(request.headers(), Some(&host)) {
        let detail = "web pages of this origin may not call the server";
        return Err(Problem::new(Kind::Forbidden, detail));
    }
    Ok(())
}

/// Lets the listed pages read responses.
pub(crate) fn cors(origins: &Origins) -> CorsLayer {
    origins
        .cors()
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        .allow_headers([header::AUTHORIZATION, header::CONTENT_TYPE])
        .expose_headers([header::WWW_AUTHENTICATE])
}
