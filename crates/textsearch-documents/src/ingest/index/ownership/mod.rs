//! Ownership of collections.

use textsearch_core::{
    results::TotalCount,
    vector::{Collection, ScanOptions},
};

use super::DocumentIndex;
use crate::ingest::error::{IngestError, Result};

impl DocumentIndex {
    /// Checks that the store holds no collections, or this index. Then a file that holds the store
    /// may be replaced.
    ///
    /// # Errors
    ///
    /// Returns [`OtherProgram`](IngestError::OtherProgram) if the check fails, or the store's
    /// error.
    pub async fn check_owned(&self) -> Result<()> {
        if self.is_ours().await? { Ok(()) } else { Err(IngestError::OtherProgram) }
    }

    pub(super) async fn is_ours(&self) -> Result<bool> {
        Ok(self.store.collection_names().await?.is_empty() || self.exists().await?)
    }

    /// An empty collection of documents isn't unused: another program may have created it.
    pub(super) async fn is_unused(&self) -> Result<bool> {
        let catalog = self.catalog_collection()?;
        let has_no_catalog = !catalog.exists().await? || count(&catalog).await? == 0;
        Ok(has_no_catalog && !self.documents()?.exists().await?)
    }

    pub(super) async fn check_deletable(&self) -> Result<()> {
        let is_deletable = self.exists().await? || self.is_unused().await?;
        if is_deletable { Ok(()) } else { Err(IngestError::OtherProgram) }
    }
}

/// The collection must exist.
pub(super) async fn count(collection: &Collection) -> Result<u64> {
    let counted = collection.scan(&ScanOptions::default().with_top(0)).await?;
    Ok(counted.total_count().map_or(0, TotalCount::value))
}

#[cfg(test)]
mod tests;
