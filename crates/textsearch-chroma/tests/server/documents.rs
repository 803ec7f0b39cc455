//! An index of documents, as the command line keeps it.

use textsearch_conformance::{
    core::{
        ErrorKind, SearchOptions, TextSearch,
        vector::{IndexKind, SearchMode},
    },
    vector::WordEmbeddings,
};
use textsearch_documents::{
    Document,
    ingest::{DocumentIndex, Embedder},
};

#[tokio::test]
async fn documents_are_found_by_their_embeddings_alone() {
    let name = format!("documents-{}", std::process::id());
    let index = DocumentIndex::new(crate::store().await.unwrap(), name);
    let index = index.with_full_text(false).with_vector_index(IndexKind::hnsw());
    let embedder = || Some(Embedder::new(WordEmbeddings::new(8)));
    let open = async || index.open_for_writing([], embedder()).await.unwrap();
    let documents = open().await;
    let plan = Document::plain_text("plan", "Apples and pears");
    assert_eq!(documents.upsert([plan.clone()]).await.unwrap().added, 1);
    assert_eq!(open().await.upsert([plan]).await.unwrap().unchanged, 1);
    assert_eq!(index.chunk_count().await.unwrap(), 1);
    let search = documents.text_search();
    let results = search.search("anything", &SearchOptions::top(5)).await.unwrap();
    assert_eq!(results.into_vec().await.unwrap(), ["Apples and pears"]);
    for mode in [SearchMode::FullText, SearchMode::Hybrid] {
        let search = documents.text_search().with_mode(mode.clone());
        let results = search.search("apples", &SearchOptions::top(5)).await;
        let error = match results {
            Ok(results) => results.into_vec().await.unwrap_err(),
            Err(error) => error,
        };
        let is_option = matches!(error.kind(), ErrorKind::InvalidOptions { .. });
        assert!(is_option && error.message().contains("no full text"), "{mode:?}: {error}");
    }
    assert_eq!(documents.remove(["plan"]).await.unwrap(), 1);
    assert_eq!(index.chunk_count().await.unwrap(), 0);
    documents.collection().delete_collection().await.unwrap();
}
