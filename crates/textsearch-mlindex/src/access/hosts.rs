//! Hosts that the caller allows.

use textsearch_core::{Error, Result};
use url::{Host, Url};

use super::Address;
use crate::CONNECTOR;

#[derive(Debug, Clone, Default)]
pub(crate) struct AllowedHosts(Vec<AllowedHost>);

#[derive(Debug, Clone)]
struct AllowedHost {
    host: Host<String>,
    /// `None` allows any port.
    port: Option<u16>,
}

impl AllowedHosts {
    pub(crate) fn add(&mut self, text: &str) -> Result<()> {
        let parsed = AllowedHost::parse(text).ok_or_else(|| {
            let allowed = "a host with or without a port, such as `qdrant.example:6334`";
            Error::invalid_options(CONNECTOR, "allowed host", format_args!("`{text}`"), allowed)
        })?;
        self.0.push(parsed);
        Ok(())
    }

    pub(super) fn contain(&self, address: &Address) -> bool {
        let host = address.host().map(|host| host.to_owned());
        self.0.iter().any(|allowed| {
            Some(&allowed.host) == host.as_ref()
                && (allowed.port.is_none() || allowed.port == address.port())
        })
    }
}

impl AllowedHost {
    /// Parses the host as an address does, so that both have one spelling.
    fn parse(text: &str) -> Option<Self> {
        if text.contains(['/', '\\', '?', '#', '@']) || text.ends_with(':') {
            return None;
        }
        // An address drops the default port of its scheme.
        let [http, https] =
            ["http", "https"].map(|scheme| Url::parse(&format!("{scheme}://{text}")));
        let http = http.ok()?;
        let https = https.ok()?;
        Some(Self { host: http.host()?.to_owned(), port: http.port().or(https.port()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(allowed: &str, address: &str) -> bool {
        let mut hosts = AllowedHosts::default();
        hosts.add(allowed).unwrap();
        hosts.contain(&Address::parse(address).unwrap())
    }

    #[test]
    fn hosts_are_compared_whole_and_ports_if_given() {
        assert!(allows("Qdrant.example", "https://qdrant.example:6334"));
        assert!(allows("qdrant.example:443", "https://qdrant.example"));
        assert!(allows("[::1]:6334", "http://[0:0::1]:6334"));
        assert!(!allows("qdrant.example:6334", "https://qdrant.example"));
        assert!(!allows("example.com", "https://evil.example.com"));
        assert!(!allows("example.com", "https://example.com.evil.example"));
    }

    #[test]
    fn only_hosts_are_allowed_hosts() {
        for text in ["", "https://a.example", "a.example/x", "me@a.example", "a.example:", "a b"] {
            assert!(AllowedHosts::default().add(text).is_err(), "{text}");
        }
    }
}
