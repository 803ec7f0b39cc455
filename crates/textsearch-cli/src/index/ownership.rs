//! Whose a store is: what this program did not make, it neither fills nor deletes.

use std::sync::Arc;

use anyhow::{Error, Result, anyhow, bail};
use textsearch_core::{
    ErrorKind, TotalCount,
    vector::{RecordDefinition, ScanOptions, StoredRecord, VectorCollection},
};
use textsearch_documents::fields;

use super::{
    PATH,
    catalog::{Catalog, KEY},
};
use crate::store::OpenStore;

/// What is wrong with the store of another program.
const NOT_OURS: &str = "it was not made by `textsearch index`";

/// The fields by which the chunks of this program are known, where nothing else says whose they are.
const OUR_FIELDS: [&str; 5] =
    [fields::DOCUMENT_ID, fields::CHUNK, fields::START, fields::END, PATH];

/// The collection of a store that says how the other is to be opened.
pub(super) fn catalog(store: &OpenStore) -> Result<Collection> {
    Ok(store.store.stored_collection(&store.catalog, RecordDefinition::new(KEY))?)
}

/// The collection of chunks, of whatever fields.
pub(super) fn documents(store: &OpenStore) -> Result<Collection> {
    Ok(store.store.stored_collection(&store.documents, RecordDefinition::new(KEY))?)
}

type Collection = Arc<dyn VectorCollection<StoredRecord>>;

/// Whether neither of the two collections holds anything, or is there to be filled by another program.
///
/// # Errors
///
/// Those of the store.
pub(super) async fn is_unused(store: &OpenStore) -> Result<bool> {
    let catalog = catalog(store)?;
    let has_no_catalog = !catalog.exists().await? || is_empty(&catalog).await?;
    Ok(has_no_catalog && !documents(store)?.exists().await?)
}

/// Whether the two collections may be deleted.
///
/// # Errors
///
/// Where they are those of another program; and those of the store.
pub(super) async fn check_deletable(store: &OpenStore) -> Result<()> {
    let is_ours = Catalog::content(store).await?.is_some()
        || is_unused(store).await?
        || is_without_its_catalog(store).await?;
    if is_ours { Ok(()) } else { refuse() }
}

/// Whether a file may be replaced whole that holds `store`.
///
/// # Errors
///
/// Where the file holds collections of another program alone; and those of the store.
pub(super) async fn check_replaceable(store: &OpenStore) -> Result<()> {
    if is_file_of_ours(store).await? { Ok(()) } else { refuse() }
}

/// Whether a file that holds `store` has no collections, or those of this program.
///
/// # Errors
///
/// Those of the store.
pub(super) async fn is_file_of_ours(store: &OpenStore) -> Result<bool> {
    Ok(store.store.collection_names().await?.is_empty() || Catalog::content(store).await?.is_some())
}

/// The error for a store of another program, which is neither searched nor filled.
pub(super) fn not_ours() -> Error {
    anyhow!("{NOT_OURS}: try another --store")
}

fn refuse() -> Result<()> {
    bail!("{NOT_OURS}, and --rebuild replaces only what was: try another --store")
}

/// Whether there are documents of this program beside a catalog that is empty: its record is lost.
async fn is_without_its_catalog(store: &OpenStore) -> Result<bool> {
    let (catalog, documents) = (catalog(store)?, documents(store)?);
    if !catalog.exists().await? || !documents.exists().await? || !is_empty(&catalog).await? {
        return Ok(false);
    }
    let one = documents.scan(&ScanOptions::default().with_top(1)).await;
    let one = match one {
        Ok(one) => one.into_vec().await,
        Err(error) => Err(error),
    };
    match one {
        Ok(records) => Ok(records.iter().any(is_our_chunk)),
        // A record of other fields need not be one that can be read.
        Err(error) if matches!(error.kind(), ErrorKind::Undecodable) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn is_our_chunk(record: &StoredRecord) -> bool {
    OUR_FIELDS.iter().all(|field| record.data.contains_key(*field))
}

/// Whether a collection that exists has no records.
///
/// # Errors
///
/// Those of the store.
pub(super) async fn is_empty(collection: &Collection) -> Result<bool> {
    Ok(count(collection).await? == 0)
}

/// How many records a collection has that exists.
///
/// # Errors
///
/// Those of the store.
pub(super) async fn count(collection: &Collection) -> Result<u64> {
    let counted = collection.scan(&ScanOptions::default().with_top(0)).await?;
    Ok(counted.total_count().map_or(0, TotalCount::value))
}

#[cfg(test)]
mod tests;
