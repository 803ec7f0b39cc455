//! An index of documents, as the command line keeps it.

use std::sync::Arc;

use textsearch_conformance::core::{
    SearchOptions, TextSearch as _, async_trait,
    vector::{EmbeddingGenerator, EmbeddingSettings, Embeddings},
};
use textsearch_documents::{
    Document,
    ingest::{DocumentIndex, Embedder, FileWalker, Ingestion},
};
use textsearch_pinecone::{PineconeConfig, PineconeStore, Result, vector::IndexKind};

use crate::stand_in::{Behavior, StandIn};

/// Texts about apples point one way, all others another.
struct Apples;

#[async_trait]
impl EmbeddingGenerator for Apples {
    fn model_id(&self) -> &str {
        "apples"
    }

    fn dimensions(&self) -> Option<usize> {
        Some(2)
    }

    async fn generate(&self, texts: &[String], _: &EmbeddingSettings) -> Result<Embeddings> {
        let vector = |text: &String| -> Arc<[f32]> {
            let is_about = text.to_lowercase().contains("apple");
            Arc::from(if is_about { [1.0, 0.1] } else { [0.1, 1.0] })
        };
        Ok(Embeddings::new(texts.iter().map(vector).collect()))
    }
}

#[tokio::test]
async fn documents_are_kept_and_searched() {
    let stand_in = StandIn::start(Behavior::default());
    let index = || {
        let index = DocumentIndex::new(stand_in.store(), "docs");
        index.with_full_text(false).with_vector_index(IndexKind::hnsw())
    };
    let store = index().open_for_writing([], Some(Embedder::new(Apples))).await.unwrap();
    let documents = ["Apples are red.", "Trains are late."]
        .map(|text| Document::plain_text(text.split(' ').next().unwrap(), text));
    assert_eq!(store.upsert(documents).await.unwrap().added, 2);
    assert_eq!(index().chunk_count().await.unwrap(), 2);
    let store = index().open(Some(Embedder::new(Apples))).await.unwrap();
    let results = store.text_search().search("an apple", &SearchOptions::top(1)).await.unwrap();
    assert_eq!(results.into_vec().await.unwrap(), ["Apples are red."]);
    let names: Vec<String> = stand_in
        .seen()
        .iter()
        .filter(|seen| seen.status == 201)
        .map(|seen| seen.body["name"].to_string())
        .collect();
    assert_eq!(names, ["\"docs-catalog\"", "\"docs\""]);
}

#[tokio::test]
async fn a_rebuild_keeps_other_namespaces() {
    let stand_in = StandIn::start(Behavior::default());
    let index = |config: PineconeConfig| {
        let index = DocumentIndex::new(PineconeStore::new(config).unwrap(), "docs");
        index.with_full_text(false).with_vector_index(IndexKind::hnsw())
    };
    let ingestion = || {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let files = FileWalker::new().walk(&[file]).unwrap();
        Ingestion::new(files).with_embedder(Embedder::new(Apples))
    };
    let plain = index(stand_in.config());
    plain.update(ingestion()).await.unwrap();
    let others = ["acme", "globex"].map(|name| index(stand_in.config().with_namespace(name)));
    for other in &others {
        other.update(ingestion()).await.unwrap();
    }
    let before = plain.chunk_count().await.unwrap();
    stand_in.seen();
    plain.rebuild(ingestion()).await.unwrap();
    let seen = stand_in.seen();
    assert!(seen.iter().any(|seen| seen.body["deleteAll"] == true), "nothing was deleted");
    for index in [&plain].into_iter().chain(&others) {
        assert_eq!(index.chunk_count().await.unwrap(), before);
    }
    assert!(before > 0);
}
