//! A store on a Chroma server: `chroma://HOST:PORT/COLLECTION`, or `chromas://` with TLS.

use std::fmt;

use anyhow::Result;
use textsearch_chroma::{CHROMA_API_KEY, ChromaConfig, ChromaStore};
use textsearch_core::{async_trait, vector::IndexKind};
use textsearch_documents::ingest::DocumentIndex;

use super::{address::Address, server::ServerLocation};
use crate::errors::usage;

/// Default port of `chroma run`.
const PORT: u16 = 8000;

#[derive(Debug)]
struct ChromaLocation {
    scheme: &'static str,
    address: Address,
}

/// Parses server and collection from `rest`, the text after `//`.
pub(super) fn parse(scheme: &'static str, rest: &str) -> Result<Box<dyn ServerLocation>> {
    let address = Address::parse(scheme, rest, CHROMA_API_KEY);
    let address =
        address.map_err(|refused| usage(format!("{refused}: try chroma://localhost:8000/docs")))?;
    Ok(Box::new(ChromaLocation { scheme, address }))
}

#[async_trait]
impl ServerLocation for ChromaLocation {
    /// Sends no request. Key, tenant and database are in the variables of the connector.
    async fn open(&self) -> Result<DocumentIndex> {
        let mut config = ChromaConfig::from_env()?;
        config.url = self.url();
        let index = DocumentIndex::new(ChromaStore::new(config)?, &self.address.collection);
        // Chroma has neither full text nor exact search.
        Ok(index.with_full_text(false).with_vector_index(IndexKind::hnsw()))
    }
}

impl ChromaLocation {
    fn url(&self) -> String {
        self.address.url(if self.scheme == "chromas" { "https" } else { "http" }, PORT)
    }
}

impl fmt::Display for ChromaLocation {
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
            [("chroma", "http://c.example:8000"), ("chromas", "https://c.example:8000")]
        {
            let address = Address::parse(scheme, "c.example/docs", CHROMA_API_KEY).unwrap();
            let location = ChromaLocation { scheme, address };
            assert_eq!(location.url(), url);
            assert_eq!(location.to_string(), format!("{scheme}://c.example/docs"));
        }
    }

    #[test]
    fn a_refusal_shows_an_example_and_no_key() {
        let error = parse("chroma", "localhost/docs?key=sesame").unwrap_err().to_string();
        assert!(error.contains(CHROMA_API_KEY) && !error.contains("sesame"), "{error}");
        assert!(error.ends_with(": try chroma://localhost:8000/docs"), "{error}");
    }
}
