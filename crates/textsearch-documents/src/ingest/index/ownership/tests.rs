//! Collections of other programs, and our own in unexpected states.

use std::{fs, sync::Arc};

use serde_json::{Value, json};
use textsearch_core::vector::{RecordDefinition, StoredRecord, VectorStore};
use textsearch_vector_inmemory::InMemoryVectorStore;

use super::*;
use crate::ingest::{Catalog, FileWalker, Ingestion};

fn empty() -> DocumentIndex {
    DocumentIndex::new(InMemoryVectorStore::new(), "docs")
}

async fn ingest(index: &DocumentIndex, is_rebuild: bool) -> Result<usize> {
    let folder = tempfile::tempdir().unwrap();
    let location = folder.path().join("a.md");
    fs::write(&location, "words").unwrap();
    let ingestion = Ingestion::new(FileWalker::new().walk(&[location])?);
    let report =
        if is_rebuild { index.rebuild(ingestion).await } else { index.update(ingestion).await };
    Ok(report?.added)
}

async fn put(collection: &Collection, record: Value) {
    collection.ensure_exists().await.unwrap();
    let Value::Object(data) = record else { panic!("no object") };
    let record = StoredRecord::new(data, collection.definition()).unwrap();
    collection.upsert(vec![record]).await.unwrap();
}

async fn foreign(has_documents: bool, has_catalog: bool) -> DocumentIndex {
    let index = empty();
    for (collection, is_there) in
        [(index.documents(), has_documents), (index.catalog_collection(), has_catalog)]
    {
        if is_there {
            put(&collection.unwrap(), json!({ "id": "documents", "content": "shoes" })).await;
        }
    }
    index
}

#[tokio::test]
async fn collections_of_another_program_are_neither_deleted_nor_filled() {
    for (has_documents, has_catalog) in [(true, true), (true, false), (false, true)] {
        let index = foreign(has_documents, has_catalog).await;
        for is_rebuild in [true, false] {
            let error = ingest(&index, is_rebuild).await.unwrap_err();
            assert!(matches!(error, IngestError::OtherProgram), "{error}");
        }
        for (collection, was_there) in
            [(index.documents(), has_documents), (index.catalog_collection(), has_catalog)]
        {
            let collection = collection.unwrap();
            assert_eq!(collection.exists().await.unwrap(), was_there);
            if was_there {
                assert_eq!(count(&collection).await.unwrap(), 1);
            }
        }
    }
}

#[tokio::test]
async fn exclusive_setting_refuses_a_store_of_other_collections() {
    let store = Arc::new(InMemoryVectorStore::new());
    let shop = store.stored_collection("shop", RecordDefinition::new("id")).unwrap();
    shop.ensure_exists().await.unwrap();
    let shared = DocumentIndex::new(store, "docs");
    let error = ingest(&shared.clone().with_exclusive_store(true), false).await.unwrap_err();
    assert!(matches!(error, IngestError::OtherProgram), "{error}");
    assert_eq!(ingest(&shared, false).await.unwrap(), 1);
}

#[tokio::test]
async fn an_index_without_documents_is_empty() {
    let index = empty();
    let is_empty = async |index: &DocumentIndex| {
        matches!(index.open(None).await, Err(IngestError::Empty))
            && index.chunk_count().await.unwrap() == 0
    };
    assert!(!index.exists().await.unwrap() && is_empty(&index).await);
    index.write_catalog(&Catalog::default()).await.unwrap();
    assert!(index.exists().await.unwrap() && is_empty(&index).await);
}

#[tokio::test]
async fn an_index_of_another_version_is_rebuilt() {
    let index = empty();
    ingest(&index, false).await.unwrap();
    let other = json!({ "id": "documents", "content": { "new": 1 } });
    put(&index.catalog_collection().unwrap(), other).await;
    let error = ingest(&index, false).await.unwrap_err();
    assert_eq!(error.to_string(), "another version of this library wrote the catalog");
    assert_eq!(ingest(&index, true).await.unwrap(), 1);
}

#[tokio::test]
async fn foreign_documents_survive_if_the_catalog_is_empty() {
    let index = foreign(true, false).await;
    index.catalog_collection().unwrap().ensure_exists().await.unwrap();
    ingest(&index, true).await.unwrap_err();
    assert_eq!(count(&index.documents().unwrap()).await.unwrap(), 1);
}

#[tokio::test]
async fn check_owned_accepts_empty_stores_and_own_indexes() {
    let index = empty();
    index.check_owned().await.unwrap();
    ingest(&index, false).await.unwrap();
    index.check_owned().await.unwrap();
    let error = foreign(true, true).await.check_owned().await.unwrap_err();
    assert!(matches!(error, IngestError::OtherProgram), "{error}");
}

#[tokio::test]
async fn a_collection_of_other_documents_is_refused() {
    let index = empty();
    let catalog = |dimensions| {
        let embedded_by = json!({ "model": "m", "dimensions": dimensions });
        let catalog = json!({ "language": "en", "fields": [], "embedded_by": embedded_by });
        serde_json::from_value::<Catalog>(catalog).unwrap()
    };
    index.open_documents(&catalog(2)).await.unwrap();
    let error = index.open_documents(&catalog(3)).await.unwrap_err();
    assert!(matches!(error, IngestError::Schema(_)), "{error}");
    assert!(error.to_string().contains("2 dimensions"), "{error}");
}
