//! Stores at `HOST:PORT/COLLECTION`, with a second scheme for TLS.

use std::fmt;

use anyhow::Result;
use textsearch_core::async_trait;
use textsearch_documents::ingest::DocumentIndex;

use super::{address::Address, server_location::ServerLocation};
use crate::errors::usage;

/// A kind of server.
#[derive(Debug)]
pub(super) struct HostKind {
    /// The scheme of encrypted connections.
    pub(super) tls_scheme: &'static str,
    pub(super) default_port: u16,
    /// The environment variable of the key.
    pub(super) key: &'static str,
    pub(super) example: &'static str,
    /// Opens a collection at a URL. Sends no request.
    pub(super) open: fn(url: String, collection: &str) -> Result<DocumentIndex>,
}

#[derive(Debug)]
struct HostLocation {
    kind: &'static HostKind,
    scheme: &'static str,
    address: Address,
}

impl HostKind {
    /// Parses server and collection from `rest`, the text after `//`.
    pub(super) fn parse(
        &'static self,
        scheme: &'static str,
        rest: &str,
    ) -> Result<Box<dyn ServerLocation>> {
        let address = Address::parse(scheme, rest, self.key);
        let address =
            address.map_err(|refused| usage(format!("{refused}: try {}", self.example)))?;
        Ok(Box::new(HostLocation { kind: self, scheme, address }))
    }
}

#[async_trait]
impl ServerLocation for HostLocation {
    async fn open(&self) -> Result<DocumentIndex> {
        (self.kind.open)(self.url(), &self.address.collection)
    }
}

impl HostLocation {
    fn url(&self) -> String {
        let scheme = if self.scheme == self.kind.tls_scheme { "https" } else { "http" };
        self.address.url(scheme, self.kind.default_port)
    }
}

impl fmt::Display for HostLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}://{}", self.scheme, self.address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACME: HostKind = HostKind {
        tls_scheme: "acmes",
        default_port: 7000,
        key: "ACME_KEY",
        example: "acme://localhost:7000/docs",
        open: |_, collection| anyhow::bail!("no collection {collection}"),
    };

    #[test]
    fn the_scheme_decides_on_encryption() {
        for (scheme, url) in
            [("acme", "http://a.example:7000"), ("acmes", "https://a.example:7000")]
        {
            let address = Address::parse(scheme, "a.example/docs", ACME.key).unwrap();
            let location = HostLocation { kind: &ACME, scheme, address };
            assert_eq!(location.url(), url);
            assert_eq!(location.to_string(), format!("{scheme}://a.example/docs"));
        }
    }

    #[test]
    fn a_refusal_shows_an_example_and_no_key() {
        let error = ACME.parse("acme", "localhost/docs?key=sesame").unwrap_err().to_string();
        assert!(error.contains("ACME_KEY") && !error.contains("sesame"), "{error}");
        assert!(error.ends_with(": try acme://localhost:7000/docs"), "{error}");
    }
}
