//! A store in Azure AI Search: `azure-search://SERVICE/INDEX`.

use std::fmt;

use anyhow::Result;
use textsearch_azure_ai_search::{AZURE_SEARCH_API_KEY, AzureSearchConfig, AzureSearchStore};
use textsearch_core::{async_trait, secret::Secret, vector::Fusion};
use textsearch_documents::ingest::DocumentIndex;

use super::{address::Address, server_location::ServerLocation};
use crate::errors::usage;

/// Names of this machine. A key for it never crosses a network, so it needs no TLS.
const LOCAL: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

#[derive(Debug)]
struct AzureSearchLocation {
    scheme: &'static str,
    address: Address,
}

/// Parses service and index from `rest`, the text after `//`.
pub(super) fn parse(scheme: &'static str, rest: &str) -> Result<Box<dyn ServerLocation>> {
    let address = Address::parse(scheme, rest, AZURE_SEARCH_API_KEY);
    let address =
        address.map_err(|refused| usage(format!("{refused}: try azure-search://contoso/docs")))?;
    Ok(Box::new(AzureSearchLocation { scheme, address }))
}

#[async_trait]
impl ServerLocation for AzureSearchLocation {
    /// Sends no request. The key is in `AZURE_SEARCH_API_KEY`.
    async fn open(&self) -> Result<DocumentIndex> {
        let key = Secret::from_env("azure-ai-search", AZURE_SEARCH_API_KEY)?;
        // Documents define mean lengths, and the service has only the actual one.
        let config = AzureSearchConfig::new(self.url(), key).with_ignored_mean_lengths(true);
        let index = DocumentIndex::new(AzureSearchStore::new(config)?, &self.address.collection);
        Ok(index.with_fusion(Fusion::reciprocal_rank(60)))
    }
}

impl AzureSearchLocation {
    /// A name without a dot is a service in Azure's public cloud, unless it is this machine.
    fn url(&self) -> String {
        let Address { host, .. } = &self.address;
        if LOCAL.iter().any(|local| host.eq_ignore_ascii_case(local)) {
            return self.address.url("http", 80);
        }
        if host.contains('.') {
            return self.address.url("https", 443);
        }
        let host = format!("{host}.search.windows.net");
        Address { host, ..self.address.clone() }.url("https", 443)
    }
}

impl fmt::Display for AzureSearchLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}://{}", self.scheme, self.address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_has_an_unencrypted_address() {
        for (rest, url) in [
            ("contoso/docs", "https://contoso.search.windows.net:443"),
            ("contoso.search.azure.cn/docs", "https://contoso.search.azure.cn:443"),
            ("10.0.0.1/docs", "https://10.0.0.1:443"),
            ("localhost/docs", "http://localhost:80"),
            ("127.0.0.1:8080/docs", "http://127.0.0.1:8080"),
            ("[::1]:8080/docs", "http://[::1]:8080"),
        ] {
            let address = Address::parse("azure-search", rest, AZURE_SEARCH_API_KEY).unwrap();
            let location = AzureSearchLocation { scheme: "azure-search", address };
            assert_eq!(location.url(), url);
            assert_eq!(location.to_string(), format!("azure-search://{rest}"));
            assert!(AzureSearchStore::new(AzureSearchConfig::new(location.url(), "key")).is_ok());
        }
    }

    #[test]
    fn a_refusal_shows_an_example_and_no_key() {
        let error = parse("azure-search", "contoso/docs?key=sesame").unwrap_err().to_string();
        assert!(error.contains(AZURE_SEARCH_API_KEY) && !error.contains("sesame"), "{error}");
        assert!(error.ends_with(": try azure-search://contoso/docs"), "{error}");
    }
}
