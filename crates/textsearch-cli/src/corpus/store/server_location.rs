//! Locations of stores on servers.

use std::fmt;

use anyhow::Result;
use textsearch_core::async_trait;
use textsearch_documents::ingest::DocumentIndex;

/// A collection on a server. Its `Display` and `Debug` show no key.
#[async_trait]
pub(crate) trait ServerLocation: fmt::Debug + fmt::Display + Send + Sync {
    /// Opens the collection, which may not exist yet.
    async fn open(&self) -> Result<DocumentIndex>;
}
