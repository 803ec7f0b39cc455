//! The address of a service, as a file gives it.

use std::fmt;

use url::{Host, Url};

/// A web address without user, password, query and fragment.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Address {
    url: Url,
    /// As the text names it. A `Url` drops the port of its scheme.
    named_port: Option<u16>,
}

impl Address {
    pub(crate) const ALLOWED: &str = "an address such as https://example.com, without a key in it";

    /// Returns the fault, without the text: it may hold a key.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let url = Url::parse(text.trim()).map_err(|_| "no address")?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err("neither http nor https");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("an address with a user or a password");
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err("an address with a query or a fragment");
        }
        let authority = text.split_once("://").map(|(_, rest)| rest.split('/').next());
        let port = authority.flatten().and_then(|authority| authority.trim().rsplit_once(':'));
        Ok(Self { url, named_port: port.and_then(|(_, port)| port.parse().ok()) })
    }

    /// Replaces the port by the result of `port`.
    pub(super) fn with_port(&self, port: fn(Option<u16>) -> Option<u16>) -> Self {
        let mut address = self.clone();
        // A web address has a host, so this can't fail.
        let _set = address.url.set_port(port(self.named_port));
        address
    }

    pub(super) fn has_origin_of(&self, other: &Self) -> bool {
        self.url.origin() == other.url.origin()
    }

    /// Returns whether the way to the service is encrypted, or stays on this machine.
    pub(super) fn keeps_secrets(&self) -> bool {
        self.url.scheme() == "https"
            || match self.url.host() {
                Some(Host::Domain(name)) => name == "localhost",
                Some(Host::Ipv4(address)) => address.is_loopback(),
                Some(Host::Ipv6(address)) => address.is_loopback(),
                None => false,
            }
    }

    pub(super) fn host(&self) -> Option<Host<&str>> {
        self.url.host()
    }

    pub(super) fn port(&self) -> Option<u16> {
        self.url.port_or_known_default()
    }

    /// Returns the whole address, without a slash at the end.
    pub(super) fn into_string(self) -> String {
        self.url.as_str().trim_end_matches('/').to_owned()
    }
}

/// Shows scheme, host and port.
impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.url.origin().ascii_serialization())
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Address({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_origin_are_equal() {
        let own = Address::parse("https://api.example.com/v1").unwrap();
        for same in ["https://API.example.com:443", "https://api.example.com/other"] {
            assert!(own.has_origin_of(&Address::parse(same).unwrap()), "{same}");
        }
        for other in [
            "http://api.example.com",
            "https://api.example.com:444",
            "https://api.example.com.",
            "https://api.example.com.evil.example",
            "https://аpi.example.com",
        ] {
            assert!(!own.has_origin_of(&Address::parse(other).unwrap()), "{other}");
        }
    }

    #[test]
    fn a_named_port_stays_even_if_it_is_the_default() {
        for (text, expected) in [
            ("https://example.com:443", "https://example.com"),
            ("https://example.com", "https://example.com:6334"),
            ("http://[::1]", "http://[::1]:6334"),
            ("http://[::1]:80/a", "http://[::1]/a"),
            ("http://localhost:7000", "http://localhost:7000"),
        ] {
            let address = Address::parse(text).unwrap().with_port(|port| port.or(Some(6334)));
            assert_eq!(address.into_string(), expected, "{text}");
        }
    }

    #[test]
    fn loopback_is_recognized_in_every_spelling() {
        for loopback in ["http://localhost", "http://127.1", "http://0x7f.1:8080", "http://[::1]"] {
            assert!(Address::parse(loopback).unwrap().keeps_secrets(), "{loopback}");
        }
        for other in ["http://10.0.0.1", "http://localhost.evil.example", "http://[::2]"] {
            assert!(!Address::parse(other).unwrap().keeps_secrets(), "{other}");
        }
    }
}
