//! A store on a Milvus server: `milvus://HOST:PORT/COLLECTION`, or `milvuss://` with TLS.

use std::fmt;

use anyhow::Result;
use textsearch_core::{
    async_trait,
    secret::{Secret, variable},
};
use textsearch_documents::ingest::DocumentIndex;
use textsearch_milvus::{MILVUS_TOKEN, MilvusConfig, MilvusStore};

use super::{address::Address, server::ServerLocation};
use crate::errors::usage;

/// Default port of the gRPC interface.
const PORT: u16 = 19530;

#[derive(Debug)]
struct MilvusLocation {
    scheme: &'static str,
    address: Address,
}

/// Parses server and collection from `rest`, the text after `//`.
pub(super) fn parse(scheme: &'static str, rest: &str) -> Result<Box<dyn ServerLocation>> {
    let address = Address::parse(scheme, rest, MILVUS_TOKEN);
    let address = address
        .map_err(|refused| usage(format!("{refused}: try milvus://localhost:19530/docs")))?;
    Ok(Box::new(MilvusLocation { scheme, address }))
}

#[async_trait]
impl ServerLocation for MilvusLocation {
    /// Sends no request. The token is in `MILVUS_TOKEN`.
    async fn open(&self) -> Result<DocumentIndex> {
        let mut config = MilvusConfig::new(self.url());
        config.token = variable("milvus", MILVUS_TOKEN)?.map(Secret::from);
        Ok(DocumentIndex::new(MilvusStore::new(config)?, &self.address.collection))
    }
}

impl MilvusLocation {
    fn url(&self) -> String {
        self.address.url(if self.scheme == "milvuss" { "https" } else { "http" }, PORT)
    }
}

impl fmt::Display for MilvusLocation {
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
            [("milvus", "http://m.example:19530"), ("milvuss", "https://m.example:19530")]
        {
            let address = Address::parse(scheme, "m.example/docs", MILVUS_TOKEN).unwrap();
            let location = MilvusLocation { scheme, address };
            assert_eq!(location.url(), url);
            assert_eq!(location.to_string(), format!("{scheme}://m.example/docs"));
        }
    }

    #[test]
    fn a_refusal_shows_an_example_and_no_token() {
        let error = parse("milvus", "localhost/docs?token=sesame").unwrap_err().to_string();
        assert!(error.contains(MILVUS_TOKEN) && !error.contains("sesame"), "{error}");
        assert!(error.ends_with(": try milvus://localhost:19530/docs"), "{error}");
    }
}
