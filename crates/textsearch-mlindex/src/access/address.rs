//! The address of a service, as a file gives it.

use std::fmt;

use url::{Host, Url};

/// A web address without user, password, query and fragment.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Address(Url);

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
        Ok(Self(url))
    }

    /// Replaces the port by the result of `port`.
    pub(super) fn with_port(&self, port: fn(Option<u16>) -> Option<u16>) -> Self {
        let mut url = self.0.clone();
        // A web address has a host, so this can't fail.
        let _set = url.set_port(port(url.port()));
        Self(url)
    }

    pub(super) fn has_origin_of(&self, other: &Self) -> bool {
        self.0.origin() == other.0.origin()
    }

    /// Returns whether the way to the service is encrypted, or stays on this machine.
    pub(super) fn keeps_secrets(&self) -> bool {
        self.0.scheme() == "https"
            || match self.0.host() {
                Some(Host::Domain(name)) => name == "localhost",
                Some(Host::Ipv4(address)) => address.is_loopback(),
                Some(Host::Ipv6(address)) => address.is_loopback(),
                None => false,
            }
    }

    pub(super) fn host(&self) -> Option<Host<&str>> {
        self.0.host()
    }

    pub(super) fn port(&self) -> Option<u16> {
        self.0.port_or_known_default()
    }

    /// Returns the whole address, without a slash at the end.
    pub(super) fn into_string(self) -> String {
        self.0.as_str().trim_end_matches('/').to_owned()
    }
}

/// Shows scheme, host and port.
impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.origin().ascii_serialization())
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
    fn loopback_is_recognized_in_every_spelling() {
        for loopback in ["http://localhost", "http://127.1", "http://0x7f.1:8080", "http://[::1]"] {
            assert!(Address::parse(loopback).unwrap().keeps_secrets(), "{loopback}");
        }
        for other in ["http://10.0.0.1", "http://localhost.evil.example", "http://[::2]"] {
            assert!(!Address::parse(other).unwrap().keeps_secrets(), "{other}");
        }
    }
}
