//! Documents, as the command line stores them.

use textsearch_azure_ai_search::{
    AzureSearchStore, ErrorKind,
    vector::{Fusion, ScanOptions},
};
use textsearch_conformance::{
    core::{SearchOptions, TextSearch as _},
    vector::WordEmbeddings,
};
use textsearch_documents::{
    Chunker, Document, DocumentSchema, DocumentStore,
    ingest::{DocumentIndex, Embedder},
};

use crate::{
    service::Standin,
    support::{config, settings},
};

#[tokio::test]
async fn documents_need_ignored_mean_lengths() {
    let standin = Standin::start();
    let schema = DocumentSchema::default();
    let chunker = Chunker::default;
    let strict = AzureSearchStore::new(config(&standin)).unwrap();
    let error = DocumentStore::open(&strict, "docs", &schema, chunker()).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }), "{error:?}");
    assert!(error.message().contains("with_ignored_mean_lengths"), "{error}");

    let config = config(&standin).with_http_settings(settings()).with_ignored_mean_lengths(true);
    let store = AzureSearchStore::new(config).unwrap();
    let docs = DocumentStore::open(&store, "docs", &schema, chunker()).await.unwrap();
    let texts = [("plan", "Apples are planted in autumn."), ("notes", "Pears ripen late.")];
    let documents = texts.map(|(id, text)| Document::plain_text(id, text));
    assert_eq!(docs.upsert(documents.clone()).await.unwrap().added, 2);
    assert_eq!(docs.upsert(documents).await.unwrap().added, 0, "they are there already");
    let results = docs.text_search().search("apples", &SearchOptions::top(5)).await.unwrap();
    assert_eq!(results.into_vec().await.unwrap(), [texts[0].1]);
    assert_eq!(docs.remove(["plan"]).await.unwrap(), 1);
    let left = docs.list(&ScanOptions::default()).await.unwrap().into_vec().await.unwrap();
    assert_eq!(left.len(), 1);
    assert_eq!(standin.violations(), [""; 0]);
}

#[tokio::test]
async fn an_index_searches_by_both_with_the_services_fusion() {
    let standin = Standin::start();
    let config = config(&standin).with_http_settings(settings()).with_ignored_mean_lengths(true);
    let index = DocumentIndex::new(AzureSearchStore::new(config).unwrap(), "docs")
        .with_fusion(Fusion::reciprocal_rank(60));
    let embedder = Embedder::new(WordEmbeddings::new(8));
    let documents = index.open_for_writing([], Some(embedder)).await.unwrap();
    documents.upsert([Document::plain_text("plan", "Apples and pears")]).await.unwrap();
    let results = documents.text_search().search("apples", &SearchOptions::top(5)).await.unwrap();
    assert_eq!(results.into_vec().await.unwrap(), ["Apples and pears"]);
}
