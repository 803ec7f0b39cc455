//! A store on a Qdrant server: `qdrant://HOST:PORT/COLLECTION`, or `qdrants://` with TLS.

use std::{fmt, net::Ipv6Addr, num::NonZeroU16};

use anyhow::Result;
use textsearch_core::secret::{Secret, variable};
use textsearch_documents::ingest::DocumentIndex;
use textsearch_qdrant::{QDRANT_API_KEY, QdrantConfig, QdrantStore};

use crate::errors::usage;

/// Default port of the gRPC interface.
const PORT: u16 = 6334;

const EXAMPLE: &str = "try qdrant://localhost:6334/docs";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QdrantLocation {
    scheme: &'static str,
    /// Host name or IP address; IPv6 in brackets.
    host: String,
    port: Option<NonZeroU16>,
    collection: String,
}

impl QdrantLocation {
    /// Parses server and collection from `rest`, the text after `//`. Returns `None` for another
    /// scheme, and a usage error if anything but one server and one collection is given.
    pub(super) fn from_uri(scheme: &str, rest: &str) -> Option<Result<Self>> {
        let scheme = match scheme {
            "qdrant" => "qdrant",
            "qdrants" => "qdrants",
            _ => return None,
        };
        Some(Self::read(scheme, rest))
    }

    fn read(scheme: &'static str, rest: &str) -> Result<Self> {
        Self::parse(scheme, rest).map_err(|refused| usage(format!("{refused}: {EXAMPLE}")))
    }

    fn parse(scheme: &'static str, rest: &str) -> Result<Self, String> {
        // A key may precede `@`, even with slashes in it, or follow `?` or `#`: never repeat it.
        if rest.contains(['@', '?', '#']) {
            return Err(format!(
                "--store takes no `@`, `?` or `#`, since a key goes into {QDRANT_API_KEY}"
            ));
        }
        let (server, collection) = rest.split_once('/').unwrap_or((rest, ""));
        let (host, port) = host_and_port(server)?;
        if collection.is_empty() || collection.contains('/') {
            return Err(format!("`{scheme}://{server}` needs one collection after it"));
        }
        Ok(Self { scheme, host: host.to_owned(), port, collection: collection.to_owned() })
    }

    /// Opens the collections without asking the server. The key is in `QDRANT_API_KEY`.
    pub(super) fn open(&self) -> Result<DocumentIndex> {
        let mut config = QdrantConfig::new(self.url());
        config.api_key = variable("qdrant", QDRANT_API_KEY)?.map(Secret::from);
        Ok(DocumentIndex::new(QdrantStore::new(config)?, &self.collection))
    }

    fn url(&self) -> String {
        let scheme = if self.scheme == "qdrants" { "https" } else { "http" };
        let port = self.port.map_or(PORT, NonZeroU16::get);
        format!("{scheme}://{}:{port}", self.host)
    }
}

impl fmt::Display for QdrantLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scheme, host, port, collection } = self;
        write!(formatter, "{scheme}://{host}")?;
        if let Some(port) = port {
            write!(formatter, ":{port}")?;
        }
        write!(formatter, "/{collection}")
    }
}

fn host_and_port(server: &str) -> Result<(&str, Option<NonZeroU16>), String> {
    let (host, port) = match server.rsplit_once(':') {
        // The last colon of an IPv6 address is inside the brackets.
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (server, None),
    };
    if host.is_empty() || host.contains(char::is_whitespace) {
        return Err("--store names no server".to_owned());
    }
    let address = host.strip_prefix('[').and_then(|address| address.strip_suffix(']'));
    let is_ipv6 = address.is_some_and(|address| address.parse::<Ipv6Addr>().is_ok());
    if !is_ipv6 && host.contains([':', '[', ']']) {
        return Err("the server of --store is neither HOST:PORT nor [IPV6]:PORT".to_owned());
    }
    Ok((host, port.map(port_number).transpose()?))
}

fn port_number(port: &str) -> Result<NonZeroU16, String> {
    const EXPECTED: &str = "expected is a number from 1 to 65535";

    // Other text than a number may be a key, so don't repeat it.
    if port.is_empty() || !port.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("what follows the server of --store isn't a port: {EXPECTED}"));
    }
    port.parse().map_err(|_| format!("the port of --store is `{port}`: {EXPECTED}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(rest: &str) -> Result<QdrantLocation> {
        QdrantLocation::from_uri("qdrant", rest).unwrap()
    }

    #[test]
    fn the_port_has_a_default() {
        for (rest, url) in [
            ("localhost/docs", "http://localhost:6334"),
            ("10.0.0.1:7000/docs", "http://10.0.0.1:7000"),
            ("[::1]/docs", "http://[::1]:6334"),
            ("[::1]:7000/docs", "http://[::1]:7000"),
        ] {
            let location = read(rest).unwrap();
            assert_eq!(location.url(), url);
            assert_eq!(location.to_string(), format!("qdrant://{rest}"));
        }
        let encrypted = QdrantLocation::from_uri("qdrants", "q.example/docs").unwrap().unwrap();
        assert_eq!(encrypted.url(), "https://q.example:6334");
        assert_eq!(encrypted.to_string(), "qdrants://q.example/docs");
    }

    fn refusal(rest: &str) -> String {
        let error = read(rest).unwrap_err().to_string();
        assert!(error.ends_with(EXAMPLE), "{rest}: {error}");
        error
    }

    #[test]
    fn all_but_one_server_and_one_collection_is_refused() {
        for rest in ["", "/docs", "local host/a", ":6334/docs"] {
            assert!(refusal(rest).starts_with("--store names no server"), "{rest}");
        }
        for rest in ["localhost", "localhost/", "localhost/a/b"] {
            assert!(
                refusal(rest).starts_with("`qdrant://localhost` needs one collection"),
                "{rest}"
            );
        }
        assert!(QdrantLocation::from_uri("redis", "localhost/docs").is_none());
    }

    #[test]
    fn invalid_ports_are_refused() {
        for port in ["0", "65536", "99999"] {
            let error = refusal(&format!("localhost:{port}/docs"));
            let expected =
                format!("the port of --store is `{port}`: expected is a number from 1 to 65535");
            assert!(error.starts_with(&expected), "{error}");
        }
        for rest in ["localhost:/docs", "localhost:+80/docs", "[::1]:http/docs"] {
            let error = refusal(rest);
            assert!(
                error.starts_with("what follows the server of --store isn't a port"),
                "{error}"
            );
        }
    }

    #[test]
    fn an_ipv6_address_without_brackets_is_refused() {
        for rest in ["::1/docs", "fe80::a/docs", "::1:6334/docs", "[::1/docs", "[docs]:6334/docs"] {
            let error = refusal(rest);
            assert!(error.contains("neither HOST:PORT nor [IPV6]:PORT"), "{rest}: {error}");
        }
    }

    #[test]
    fn a_key_in_the_address_is_refused_and_not_repeated() {
        for rest in [
            "user:sesame@localhost/docs",
            "user:ses/ame@localhost/docs",
            "localhost:6334?api_key=sesame",
            "localhost:6334/docs?api_key=sesame",
            "localhost:6334/docs#sesame",
            "localhost#sesame/docs",
            "localhost/docs@sesame",
        ] {
            let error = refusal(rest);
            assert!(error.contains("QDRANT_API_KEY") && !error.contains("ses"), "{rest}: {error}");
        }
    }

    #[test]
    fn a_key_in_place_of_the_port_is_hidden() {
        for rest in ["localhost:sesame/docs", "localhost:6334:sesame/docs", "[::1]:sesame/docs"] {
            let error = refusal(rest);
            assert!(!error.contains("sesame"), "{error}");
        }
    }
}
