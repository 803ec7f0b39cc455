//! A store on a Qdrant server: `qdrant://HOST:PORT/COLLECTION`, or `qdrants://` with TLS.

use std::fmt;

use anyhow::Result;
use textsearch_core::{
    async_trait,
    secret::{Secret, variable},
};
use textsearch_documents::ingest::DocumentIndex;
use textsearch_qdrant::{QDRANT_API_KEY, QdrantConfig, QdrantStore};

use super::{address::Address, server::ServerLocation};
use crate::errors::usage;

/// Default port of the gRPC interface.
const PORT: u16 = 6334;

#[derive(Debug)]
struct QdrantLocation {
    scheme: &'static str,
    address: Address,
}

/// Parses server and collection from `rest`, the text after `//`.
pub(super) fn parse(scheme: &'static str, rest: &str) -> Result<Box<dyn ServerLocation>> {
    let address = Address::parse(scheme, rest, QDRANT_API_KEY);
    let address =
        address.map_err(|refused| usage(format!("{refused}: try qdrant://localhost:6334/docs")))?;
    Ok(Box::new(QdrantLocation { scheme, address }))
}

#[async_trait]
impl ServerLocation for QdrantLocation {
    /// Sends no request. The key is in `QDRANT_API_KEY`.
    async fn open(&self) -> Result<DocumentIndex> {
        let mut config = QdrantConfig::new(self.url());
        config.api_key = variable("qdrant", QDRANT_API_KEY)?.map(Secret::from);
        Ok(DocumentIndex::new(QdrantStore::new(config)?, &self.address.collection))
    }
}

impl QdrantLocation {
    fn url(&self) -> String {
        self.address.url(if self.scheme == "qdrants" { "https" } else { "http" }, PORT)
    }
}

impl fmt::Display for QdrantLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}://{}", self.scheme, self.address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheme_decides_on_encryption() {
        for (scheme, url) in
            [("qdrant", "http://q.example:6334"), ("qdrants", "https://q.example:6334")]
        {
            let address = Address::parse(scheme, "q.example/docs", QDRANT_API_KEY).unwrap();
            let location = QdrantLocation { scheme, address };
            assert_eq!(location.url(), url);
            assert_eq!(location.to_string(), format!("{scheme}://q.example/docs"));
        }
    }

    #[test]
    fn a_refusal_shows_an_example_and_no_key() {
        let error = parse("qdrant", "localhost/docs?key=sesame").unwrap_err().to_string();
        assert!(error.contains(QDRANT_API_KEY) && !error.contains("sesame"), "{error}");
        assert!(error.ends_with(": try qdrant://localhost:6334/docs"), "{error}");
    }
}
