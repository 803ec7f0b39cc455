//! Ownership of collections.

use textsearch_core::{
    ErrorKind,
    results::TotalCount,
    vector::{Collection, ScanOptions, StoredRecord},
};

use super::DocumentIndex;
use crate::{
    fields,
    ingest::{
        PATH,
        error::{IngestError, Result},
    },
};

/// Distinguish our chunks from other records.
const OUR_FIELDS: [&str; 5] =
    [fields::DOCUMENT_ID, fields::CHUNK, fields::START, fields::END, PATH];

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
        let is_deletable =
            self.exists().await? || self.is_unused().await? || self.has_lost_its_catalog().await?;
        if is_deletable { Ok(()) } else { Err(IngestError::OtherProgram) }
    }

    /// Whether the catalog is empty, but the documents are ours.
    async fn has_lost_its_catalog(&self) -> Result<bool> {
        let catalog = self.catalog_collection()?;
        let documents = self.documents()?;
        let is_possible =
            catalog.exists().await? && documents.exists().await? && count(&catalog).await? == 0;
        if !is_possible {
            return Ok(false);
        }
        let scan = documents.scan(&ScanOptions::default().with_top(1)).await;
        let records = match scan {
            Ok(results) => results.into_vec().await,
            Err(error) => Err(error),
        };
        match records {
            Ok(records) => Ok(records.iter().any(is_our_chunk)),
            // Records with other fields may be unreadable.
            Err(error) if matches!(error.kind(), ErrorKind::Undecodable) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

fn is_our_chunk(record: &StoredRecord) -> bool {
    OUR_FIELDS.iter().all(|field| record.data.contains_key(*field))
}

/// The collection must exist.
pub(super) async fn count(collection: &Collection) -> Result<u64> {
    let counted = collection.scan(&ScanOptions::default().with_top(0)).await?;
    Ok(counted.total_count().map_or(0, TotalCount::value))
}

#[cfg(test)]
mod tests;
