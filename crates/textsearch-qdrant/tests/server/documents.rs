//! Namespaces of documents in one collection.

use textsearch_conformance::core::{
    Filter, SearchOptions, TextSearch,
    vector::{RecordKey, ScanOptions, VectorStoreExt},
};
use textsearch_documents::{Chunker, Document, DocumentSchema, DocumentStore};

use crate::store;

async fn texts(store: &DocumentStore, options: &SearchOptions) -> Vec<String> {
    let results = store.text_search().search("apples", options).await.unwrap();
    results.into_vec().await.unwrap()
}

async fn count(store: &DocumentStore) -> usize {
    store.list(&ScanOptions::default()).await.unwrap().into_vec().await.unwrap().len()
}

#[tokio::test]
async fn namespaces_of_documents_stay_apart() {
    let store = store();
    let name = format!("namespaces-{}", std::process::id());
    let mut schema = DocumentSchema::default();
    schema.namespaces = true;
    let all = DocumentStore::open(&store, &name, &schema, Chunker::default()).await.unwrap();
    let names = ["a", "1:a:", "A", "ä", "\" or \"a\" = \"a"];
    let stores = names.map(|name| all.clone().with_namespace(name).unwrap());
    for (name, store) in names.iter().zip(&stores) {
        let documents = ["plan", "notes"]
            .map(|id| Document::plain_text(id, format!("Apples and {id} of {name}")));
        assert_eq!(store.upsert(documents).await.unwrap().added, 2);
    }
    let everything = SearchOptions::top(50)
        .with_filter(Filter::any([Filter::all([]), Filter::eq("document_namespace", "ä")]));
    for (name, store) in names.iter().zip(&stores) {
        let results = texts(store, &everything).await;
        assert_eq!(results.len(), 2, "{name}");
        assert!(results.iter().all(|text| text.ends_with(&format!(" of {name}"))), "{results:?}");
    }
    let [a, others @ ..] = &stores;
    assert_eq!(a.remove(["plan"]).await.unwrap(), 1);
    a.collection().delete(&[RecordKey::from("1:A:plan#0")]).await.unwrap();
    let nothing: [Document; 0] = [];
    assert_eq!(a.sync(nothing, &Filter::all([])).await.unwrap().removed, 1);
    assert_eq!(count(a).await, 0);
    for store in others {
        assert_eq!(count(store).await, 2);
    }
    let collection = store.dynamic_collection(&name, schema.definition().unwrap()).unwrap();
    collection.delete_collection().await.unwrap();
}
