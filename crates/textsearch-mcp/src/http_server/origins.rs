//! Which web pages may call a server.

use http::{HeaderMap, HeaderValue, header, uri::Authority};
use textsearch_core::http::Url;
use tower_http::cors::{AllowOrigin, CorsLayer};

use super::headers::only;

/// The origins of the web pages that may call a server.
#[derive(Debug, Clone, Default)]
pub struct Origins(Vec<String>);

impl Origins {
    /// Reads origins such as `https://app.example`.
    ///
    /// # Errors
    ///
    /// Names the first text that isn't an origin, worded for an invalid setting.
    pub fn parse(origins: &[String]) -> Result<Self, String> {
        let read = |origin: &String| {
            let invalid = || format!("has `{origin}`; expected one such as https://app.example");
            normalized(origin).ok_or_else(invalid)
        };
        Ok(Self(origins.iter().map(read).collect::<Result<_, _>>()?))
    }

    /// Returns whether a request with these headers may call the server: it comes from no page, from
    /// a listed page, or from a page of the server itself at `own_host`.
    pub fn may_call(&self, headers: &HeaderMap, own_host: Option<&Authority>) -> bool {
        match only(headers, &header::ORIGIN) {
            Ok(None) => true,
            Ok(Some(origin)) => {
                self.contains(origin) || own_host.is_some_and(|host| is_at(origin, host))
            }
            Err(_) => false,
        }
    }

    fn contains(&self, origin: &HeaderValue) -> bool {
        let origin = origin.to_str().ok().and_then(normalized);
        origin.is_some_and(|origin| self.0.contains(&origin))
    }

    /// Returns a layer that lets these pages read responses. Its `Access-Control-Allow-Headers` and
    /// `-Methods` are still to be set.
    pub fn cors(&self) -> CorsLayer {
        let origins = self.clone();
        let allowed = AllowOrigin::predicate(move |origin, _| origins.contains(origin));
        CorsLayer::new().allow_origin(allowed).vary([header::ORIGIN])
    }
}

/// A proxy may add TLS, so a page of the server may have either scheme.
fn is_at(origin: &HeaderValue, host: &Authority) -> bool {
    let origin = origin.to_str().ok().and_then(normalized);
    let is_with = |scheme| normalized(&format!("{scheme}://{host}")) == origin;
    origin.is_some() && ["http", "https"].into_iter().any(is_with)
}

/// Returns the form that browsers send.
fn normalized(origin: &str) -> Option<String> {
    let url = Url::parse(origin).ok()?;
    let is_origin = matches!(url.scheme(), "http" | "https")
        && url.path() == "/"
        && url.query().or(url.fragment()).is_none()
        && url.username().is_empty()
        && url.password().is_none();
    is_origin.then(|| url.origin().ascii_serialization())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(listed: &str, origin: &'static str) -> bool {
        let origins = Origins::parse(&[listed.to_owned()]).unwrap();
        origins.contains(&HeaderValue::from_static(origin))
    }

    #[test]
    fn default_ports_and_case_make_no_difference() {
        assert!(allows("https://app.example:443", "https://app.example"));
        assert!(allows("https://App.example/", "https://app.example:443"));
        assert!(allows("http://[::1]:80", "http://[::1]"));
    }

    #[test]
    fn other_schemes_ports_and_hosts_are_other_origins() {
        for origin in [
            "http://app.example",
            "https://app.example:8443",
            "https://app.example.evil.example",
            "https://evil.example/https://app.example",
            "https://app.example@evil.example",
            "https://evil.example@app.example",
            "https://app.example, https://evil.example",
            "null",
            "",
        ] {
            assert!(!allows("https://app.example", origin), "{origin}");
        }
    }

    #[test]
    fn own_pages_have_the_servers_host_and_a_web_scheme() {
        let host = Authority::from_static("localhost:8723");
        let may_call = |origins: &[&'static str]| {
            let values = origins.iter().map(|origin| HeaderValue::from_static(origin));
            let headers = values.map(|value| (header::ORIGIN, value)).collect();
            Origins::default().may_call(&headers, Some(&host))
        };
        assert!(may_call(&[]));
        assert!(may_call(&["http://localhost:8723"]));
        assert!(may_call(&["https://localhost:8723"]));
        for origins in [
            &["localhost:8723"][..],
            &["//localhost:8723"],
            &["ftp://localhost:8723"],
            &["chrome-extension://localhost:8723"],
            &["http://localhost:8723/page"],
            &["http://user@localhost:8723"],
            &["http://localhost"],
            &["null"],
            &["http://localhost:8723", "http://localhost:8723"],
            &["http://localhost:8723", "https://evil.example"],
        ] {
            assert!(!may_call(origins), "{origins:?}");
        }
    }

    #[test]
    fn what_is_no_origin_is_named() {
        for invalid in ["app.example", "https://app.example/path", "file:///x", "*", "null"] {
            let message = Origins::parse(&[invalid.to_owned()]).unwrap_err();
            assert!(message.starts_with(&format!("has `{invalid}`")), "{message}");
        }
    }
}
