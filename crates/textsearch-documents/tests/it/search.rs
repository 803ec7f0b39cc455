use std::sync::Arc;

use async_trait::async_trait;
use textsearch_conformance::vector::WordEmbeddings;
use textsearch_core::{
    Filter, Result, SearchOptions, TextSearch, TextSearchResult,
    vector::{EmbeddingGenerator, EmbeddingSettings, Embeddings, ScanOptions, VectorStoreExt},
};
use textsearch_documents::{Chunker, Document, DocumentSchema, DocumentStore};
use textsearch_vector_inmemory::InMemoryVectorStore;

use crate::chunks::Counting;
use crate::store::{document, store};

async fn search(
    store: &DocumentStore,
    query: &str,
    options: SearchOptions,
) -> Vec<TextSearchResult> {
    let search = Arc::new(store.text_search());
    search.text_search_results(query, &options).await.unwrap().into_vec().await.unwrap()
}

fn ids(results: &[TextSearchResult]) -> Vec<&str> {
    results.iter().filter_map(|result| result.id.as_deref()).collect()
}

#[tokio::test]
async fn a_result_cites_its_section() {
    let store = store().await;
    let text = "# Guide\n\nHello.\n\n## Install\n\nThe command runs.\n";
    store.upsert([Document::markdown("a.md", text).with_link("docs/a.md")]).await.unwrap();
    let results = search(&store, "running commands", SearchOptions::top(5)).await;
    assert_eq!(ids(&results), ["a.md#1"]);
    assert_eq!(results[0].name.as_deref(), Some("Guide > Install"));
    assert_eq!(results[0].value, "## Install\n\nThe command runs.");
    assert_eq!(results[0].link.as_deref(), Some("docs/a.md#install"));
}

#[tokio::test]
async fn filter_and_skip_are_honoured() {
    let store = store().await;
    let documents = ["a", "b", "c", "d"].map(|id| {
        document(id, "cat", 1).with_metadata("team", if id == "b" { "other" } else { "search" })
    });
    store.upsert(documents).await.unwrap();
    let filter = || Filter::eq("team", "search");
    let all = search(&store, "cats", SearchOptions::top(10).with_filter(filter())).await;
    assert_eq!(ids(&all), ["a#0", "c#0", "d#0"]);
    let skipped =
        search(&store, "cats", SearchOptions::top(10).with_filter(filter()).with_skip(2)).await;
    assert_eq!(ids(&skipped), ["d#0"]);
    let narrowed = SearchOptions::top(10).with_fixed_filter(Filter::eq("document_id", "b"));
    assert_eq!(ids(&search(&store, "cats", narrowed).await), ["b#0"]);
}

/// Counts `a` and `b`.
pub(crate) struct Letters;

#[async_trait]
impl EmbeddingGenerator for Letters {
    fn model_id(&self) -> &str {
        "letters"
    }

    fn dimensions(&self) -> Option<usize> {
        Some(2)
    }

    async fn generate(&self, texts: &[String], _: &EmbeddingSettings) -> Result<Embeddings> {
        let count = |text: &str, letter| text.matches(letter).count() as f32;
        let vectors =
            texts.iter().map(|text| vec![count(text, 'a') + 0.01, count(text, 'b')].into());
        Ok(Embeddings::new(vectors.collect()))
    }
}

#[tokio::test]
async fn chunks_are_embedded_with_name_headings_and_text() {
    let store = InMemoryVectorStore::new().with_embedding_generator(Letters);
    let schema = DocumentSchema::default().with_dimensions(2);
    let store = DocumentStore::open(&store, "docs", &schema, Chunker::default()).await.unwrap();
    let text = "# aaa\n\nb\n\n# bbb\n\nb\n";
    store.upsert([Document::markdown("1", text).with_name("x")]).await.unwrap();
    let records =
        store.collection().scan(&ScanOptions::default().with_vectors(true)).await.unwrap();
    let records = records.into_vec().await.unwrap();
    // Three in the name; three in the text, which begins with the heading.
    assert_eq!(records[0].vectors["embedding"].as_ref(), [6.01, 1.0]);
    let results = search(&store, "bb", SearchOptions::top(1)).await;
    assert_eq!(results[0].name.as_deref(), Some("x > bbb"));
}

#[tokio::test]
async fn only_changed_chunks_are_embedded_again() {
    let model = Arc::new(WordEmbeddings::new(8));
    let store = InMemoryVectorStore::new();
    let schema = DocumentSchema::default().with_dimensions(8);
    let store = DocumentStore::open(&store, "docs", &schema, Chunker::default()).await.unwrap();
    let store = store.with_embedding_generator(Arc::clone(&model));
    let vectors = async || {
        let records = store.collection().scan(&ScanOptions::default().with_vectors(true)).await;
        let records = records.unwrap().into_vec().await.unwrap();
        records.into_iter().map(|record| record.vectors["embedding"].clone()).collect::<Vec<_>>()
    };
    let text = "# One\n\nApples.\n\n# Two\n\nPears.\n\n# Three\n\nFigs.\n";
    store.upsert([Document::markdown("1", text).with_name("x")]).await.unwrap();
    assert_eq!((model.texts().len(), vectors().await.len()), (3, 3));
    // Another chunk first, and the last one changed.
    let text = "# Zero\n\nDates.\n\n# One\n\nApples.\n\n# Two\n\nPears.\n\n# Three\n\nPlums.\n";
    store.upsert([Document::markdown("1", text).with_name("x")]).await.unwrap();
    let texts = model.texts().split_off(3);
    assert_eq!(texts, ["x > Three\n# Three\n\nPlums.", "x > Zero\n# Zero\n\nDates."]);
    let expected =
        ["x > Zero\n# Zero\n\nDates.", "x > One\n# One\n\nApples.", "x > Two\n# Two\n\nPears."];
    let expected = expected.map(|text| model.embed(text));
    assert_eq!(vectors().await[..3], expected);
}

#[tokio::test]
async fn a_store_embeds_chunks_whole() {
    let schema = DocumentSchema::default().with_dimensions(2);
    let store = InMemoryVectorStore::new();
    let store = DocumentStore::open(&store, "docs", &schema, Chunker::default()).await.unwrap();
    let document = Document::markdown("1", "# Title\n\n".to_owned() + &"Some words. ".repeat(90));
    let chunks = |tokens| {
        let store = store.clone().with_embedding_generator(Counting(tokens));
        let document = document.clone();
        async move { store.upsert([document]).await.unwrap() }
    };
    assert_eq!(chunks(400).await.chunks, 1);
    // Another limit makes other chunks.
    assert_eq!(chunks(100).await.chunks, 4);
    assert_eq!(chunks(100).await.unchanged, 1);
}

#[tokio::test]
async fn a_store_with_a_model_searches_by_words_and_embeddings() {
    let schema = DocumentSchema::default().with_dimensions(2);
    let store = InMemoryVectorStore::new();
    let store = DocumentStore::open(&store, "docs", &schema, Chunker::default()).await.unwrap();
    assert!(format!("{:?}", store.text_search()).contains("mode: Vector"));
    let store = store.with_embedding_generator(Letters);
    assert!(format!("{:?}", store.text_search()).contains("mode: Hybrid"));
    let documents = [Document::plain_text("1", "aaa cow"), Document::plain_text("2", "aaa dog")];
    store.upsert(documents).await.unwrap();
    // All vectors point the same way, so the word decides.
    assert_eq!(
        search(&store, "dog aaa", SearchOptions::top(1)).await[0].id.as_deref(),
        Some("2#0")
    );
}
