//! A store on a Qdrant server: `qdrant://HOST:PORT/COLLECTION`, or `qdrants://` for an encrypted connection.

use std::{fmt, sync::Arc};

use anyhow::Result;
use textsearch_core::secret::{Secret, variable};
use textsearch_qdrant::{QDRANT_API_KEY, QdrantConfig, QdrantStore};

use super::OpenStore;
use crate::errors::usage;

/// The port of the gRPC interface.
const PORT: u16 = 6334;

/// What follows the name of the collection in that of its catalog.
const CATALOG: &str = "-catalog";

const EXAMPLE: &str = "try qdrant://localhost:6334/docs";

/// A collection on a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QdrantLocation {
    scheme: &'static str,
    /// The host, with its port if one was given.
    host: String,
    collection: String,
}

impl QdrantLocation {
    /// The collection that `rest`, after the two slashes, names; `None` for another scheme.
    ///
    /// # Errors
    ///
    /// Wrong use, where the host or the collection is missing, or there is more than the two.
    pub(super) fn from_uri(scheme: &str, rest: &str) -> Option<Result<Self>> {
        let scheme = match scheme {
            "qdrant" => "qdrant",
            "qdrants" => "qdrants",
            _ => return None,
        };
        Some(Self::read(scheme, rest))
    }

    fn read(scheme: &'static str, rest: &str) -> Result<Self> {
        let (host, collection) = rest.split_once('/').unwrap_or((rest, ""));
        // What stands before an @ may be a secret: it is neither taken nor repeated.
        let refused = if host.contains('@') {
            format!("--store takes no user and no key, which goes into {QDRANT_API_KEY}")
        } else if host.is_empty() || host.contains(char::is_whitespace) {
            "--store names no server".to_owned()
        } else if collection.is_empty() || collection.contains(['/', '?', '#']) {
            format!("`{scheme}://{host}` needs one collection after it")
        } else {
            return Ok(Self { scheme, host: host.to_owned(), collection: collection.to_owned() });
        };
        Err(usage(format!("{refused}: {EXAMPLE}")))
    }

    /// The two collections on the server, which need not be there yet. The key is in `QDRANT_API_KEY`.
    ///
    /// # Errors
    ///
    /// Where the address makes no sense.
    pub(super) fn open(&self) -> Result<OpenStore> {
        let mut config = QdrantConfig::new(self.url());
        config.api_key = variable("qdrant", QDRANT_API_KEY)?.map(Secret::from);
        Ok(OpenStore {
            store: Arc::new(QdrantStore::new(config)?),
            documents: self.collection.clone(),
            catalog: format!("{}{CATALOG}", self.collection),
            location: self.to_string(),
            is_on_server: true,
        })
    }

    fn url(&self) -> String {
        let scheme = if self.scheme == "qdrants" { "https" } else { "http" };
        // The last colon of an IPv6 address stands inside the brackets.
        let has_port =
            self.host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        if has_port {
            format!("{scheme}://{}", self.host)
        } else {
            format!("{scheme}://{}:{PORT}", self.host)
        }
    }
}

impl fmt::Display for QdrantLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}://{}/{}", self.scheme, self.host, self.collection)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(rest: &str) -> Result<QdrantLocation> {
        QdrantLocation::from_uri("qdrant", rest).unwrap()
    }

    #[test]
    fn a_server_has_its_usual_port_unless_another_is_named() {
        for (rest, url) in [
            ("localhost/docs", "http://localhost:6334"),
            ("10.0.0.1:7000/docs", "http://10.0.0.1:7000"),
            ("[::1]/docs", "http://[::1]:6334"),
            ("[::1]:7000/docs", "http://[::1]:7000"),
        ] {
            assert_eq!(read(rest).unwrap().url(), url);
        }
        let encrypted = QdrantLocation::from_uri("qdrants", "q.example/docs").unwrap().unwrap();
        assert_eq!(encrypted.url(), "https://q.example:6334");
        assert_eq!(encrypted.to_string(), "qdrants://q.example/docs");
    }

    #[test]
    fn what_is_no_server_and_one_collection_is_refused() {
        for rest in ["", "/docs", "localhost", "localhost/", "localhost/a/b", "local host/a"] {
            let error = read(rest).unwrap_err().to_string();
            assert!(error.ends_with(EXAMPLE), "{rest}: {error}");
        }
        assert!(QdrantLocation::from_uri("redis", "localhost/docs").is_none());
    }

    #[test]
    fn a_key_in_the_address_is_refused_and_not_repeated() {
        let error = read("user:sesame@localhost/docs").unwrap_err().to_string();
        assert!(error.contains("QDRANT_API_KEY") && !error.contains("sesame"), "{error}");
    }
}
