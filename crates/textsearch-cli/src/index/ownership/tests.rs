//! Stores of other programs, and of this one in other states than it leaves them in.

use std::fs;

use serde_json::{Value, json};
use textsearch_vector_inmemory::InMemoryVectorStore;

use super::*;
use crate::{
    arguments::{EmbeddingArguments, ReadingArguments},
    files::{FileKind, Found, SourceFile},
    index::{
        WithoutDocuments, open_documents,
        update::{StartFrom, update},
    },
    progress::Progress,
};

async fn index(store: &OpenStore, start_from: StartFrom) -> Result<usize> {
    let folder = tempfile::tempdir()?;
    let location = folder.path().join("a.md");
    fs::write(&location, "words")?;
    let (path, kind) = ("a.md".to_owned(), FileKind::Markdown);
    let files = vec![SourceFile { location, path, kind, loader: None, is_named: true }];
    let found = Found { files, ..Found::default() };
    let (reading, progress) = (ReadingArguments::default(), Progress::over_files(1));
    Ok(update(store, start_from, None, found, &reading, &progress).await?.changes.added)
}

async fn put(collection: &Collection, record: Value) {
    collection.ensure_exists().await.unwrap();
    let Value::Object(data) = record else { panic!("no object") };
    let record = StoredRecord::new(data, collection.definition()).unwrap();
    collection.upsert(vec![record]).await.unwrap();
}

/// A store, with a record of another program in those of its collections that are to be there.
async fn theirs(has_documents: bool, has_catalog: bool) -> OpenStore {
    let store = OpenStore::in_memory(InMemoryVectorStore::new());
    for (collection, is_there) in
        [(documents(&store), has_documents), (catalog(&store), has_catalog)]
    {
        if is_there {
            put(&collection.unwrap(), json!({ "id": "documents", "content": "shoes" })).await;
        }
    }
    store
}

#[tokio::test]
async fn collections_of_another_program_are_neither_deleted_nor_filled() {
    for (has_documents, has_catalog) in [(true, true), (true, false), (false, true)] {
        let store = theirs(has_documents, has_catalog).await;
        for start_from in [StartFrom::Nothing, StartFrom::Store] {
            let error = index(&store, start_from).await.unwrap_err();
            assert!(format!("{error:#}").contains(NOT_OURS), "{error:#}");
        }
        for (collection, was_there) in
            [(documents(&store), has_documents), (catalog(&store), has_catalog)]
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
async fn a_file_of_other_collections_is_not_filled_and_a_server_is() {
    let file = OpenStore::in_memory(InMemoryVectorStore::new());
    let shop = file.store.stored_collection("shop", RecordDefinition::new("id")).unwrap();
    shop.ensure_exists().await.unwrap();
    let error = index(&file, StartFrom::Store).await.unwrap_err();
    assert_eq!(error.to_string(), "it was not made by `textsearch index`: try another --store");
    let server = OpenStore { is_on_server: true, ..file };
    assert_eq!(index(&server, StartFrom::Store).await.unwrap(), 1);
}

#[tokio::test]
async fn a_server_without_a_catalog_has_no_store_and_one_without_documents_an_empty_one() {
    let file = OpenStore::in_memory(InMemoryVectorStore::new());
    let server = OpenStore { is_on_server: true, ..file };
    let embeddings = EmbeddingArguments::default();
    let open = |otherwise| open_documents(server.clone(), &embeddings, otherwise);
    let advice = "nothing is stored in `FILE`: try `textsearch index PATH --store FILE`";
    let error = open(WithoutDocuments::GoOn).await.err().unwrap();
    assert_eq!(error.to_string(), advice);
    Catalog::new().write(&server).await.unwrap();
    for has_documents in [false, true] {
        let opened = open(WithoutDocuments::GoOn).await.unwrap();
        assert_eq!(opened.why_empty.as_deref(), Some(advice), "{has_documents}");
        let error = open(WithoutDocuments::Stop).await.err().unwrap();
        assert_eq!(error.to_string(), advice);
        documents(&server).unwrap().ensure_exists().await.unwrap();
    }
}

#[tokio::test]
async fn a_store_of_another_version_is_rebuilt() {
    let store = OpenStore::in_memory(InMemoryVectorStore::new());
    index(&store, StartFrom::Store).await.unwrap();
    put(&catalog(&store).unwrap(), json!({ "id": "documents", "content": { "new": 1 } })).await;
    let error = index(&store, StartFrom::Store).await.unwrap_err();
    assert_eq!(error.to_string(), "it was made by another version of `textsearch`");
    assert_eq!(index(&store, StartFrom::Nothing).await.unwrap(), 1);
}

#[tokio::test]
async fn documents_of_ours_are_rebuilt_where_the_catalog_is_empty() {
    let store = OpenStore::in_memory(InMemoryVectorStore::new());
    index(&store, StartFrom::Store).await.unwrap();
    let collection = catalog(&store).unwrap();
    collection.delete_collection().await.unwrap();
    collection.ensure_exists().await.unwrap();
    assert_eq!(index(&store, StartFrom::Nothing).await.unwrap(), 1);
}

#[tokio::test]
async fn documents_of_another_program_are_not_deleted_where_the_catalog_is_empty() {
    let store = theirs(true, false).await;
    catalog(&store).unwrap().ensure_exists().await.unwrap();
    index(&store, StartFrom::Nothing).await.unwrap_err();
    assert_eq!(count(&documents(&store).unwrap()).await.unwrap(), 1);
}

#[tokio::test]
async fn a_file_is_replaced_where_it_holds_nothing_or_a_store_of_ours() {
    let store = OpenStore::in_memory(InMemoryVectorStore::new());
    check_replaceable(&store).await.unwrap();
    index(&store, StartFrom::Store).await.unwrap();
    check_replaceable(&store).await.unwrap();
    let error = check_replaceable(&theirs(true, true).await).await.unwrap_err();
    assert!(error.to_string().starts_with(NOT_OURS), "{error}");
}
