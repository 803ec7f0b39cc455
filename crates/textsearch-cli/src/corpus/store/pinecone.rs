//! A store in Pinecone: `pinecone://INDEX`, or `pinecone://INDEX/NAMESPACE`.

use std::fmt;

use anyhow::Result;
use textsearch_core::{async_trait, vector::IndexKind};
use textsearch_documents::ingest::DocumentIndex;
use textsearch_pinecone::{PINECONE_API_KEY, PineconeConfig, PineconeStore};

use super::server_location::ServerLocation;
use crate::errors::usage;

#[derive(Debug, PartialEq)]
struct PineconeLocation {
    index: String,
    namespace: Option<String>,
}

/// Parses index and namespace from `rest`, the text after `//`.
pub(super) fn parse(_: &'static str, rest: &str) -> Result<Box<dyn ServerLocation>> {
    let location = PineconeLocation::parse(rest);
    let location = location.map_err(|refused| usage(format!("{refused}: try pinecone://docs")))?;
    Ok(Box::new(location))
}

#[async_trait]
impl ServerLocation for PineconeLocation {
    /// Sends no request. Key, cloud and region are in the variables of the connector.
    async fn open(&self) -> Result<DocumentIndex> {
        let mut config = PineconeConfig::from_env()?;
        config.namespace.clone_from(&self.namespace);
        let index = DocumentIndex::new(PineconeStore::new(config)?, &self.index);
        // Pinecone has neither full text nor exact search.
        Ok(index.with_full_text(false).with_vector_index(IndexKind::hnsw()))
    }
}

impl PineconeLocation {
    fn parse(rest: &str) -> Result<Self, String> {
        // A key may precede `@`, or follow `?` or `#`: never repeat it.
        if rest.contains(['@', '?', '#']) {
            let key = PINECONE_API_KEY;
            return Err(format!("--store takes no `@`, `?` or `#`, since a key goes into {key}"));
        }
        let (index, namespace) = match rest.split_once('/') {
            Some((index, namespace)) => (index, Some(namespace.to_owned())),
            None => (rest, None),
        };
        if index.is_empty() {
            return Err("--store names no index".to_owned());
        }
        if namespace.as_deref().is_some_and(|name| name.is_empty() || name.contains('/')) {
            return Err("--store takes an index and at most one namespace".to_owned());
        }
        Ok(Self { index: index.to_owned(), namespace })
    }
}

impl fmt::Display for PineconeLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "pinecone://{}", self.index)?;
        match &self.namespace {
            Some(namespace) => write!(formatter, "/{namespace}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_namespace_is_optional() {
        for (rest, namespace) in [("docs", None), ("docs/acme", Some("acme"))] {
            let location = PineconeLocation::parse(rest).unwrap();
            assert_eq!(
                (location.index.as_str(), location.namespace.as_deref()),
                ("docs", namespace)
            );
            assert_eq!(location.to_string(), format!("pinecone://{rest}"));
        }
    }

    #[test]
    fn refusals_show_an_example_and_no_key() {
        for (rest, expected) in [
            ("", "names no index"),
            ("/acme", "names no index"),
            ("docs/", "at most one namespace"),
            ("docs/a/b", "at most one namespace"),
            ("sesame@docs", PINECONE_API_KEY),
            ("docs?key=sesame", PINECONE_API_KEY),
        ] {
            let error = parse("pinecone", rest).unwrap_err().to_string();
            assert!(error.contains(expected) && !error.contains("sesame"), "{error}");
            assert!(error.ends_with(": try pinecone://docs"), "{error}");
        }
    }
}
