//! A memory as a search: by words, by vector and by both.

use textsearch_kernel::{
    grounding::{GroundingOptions, MemoryEntry, TextMemory, TextSearchProvider},
    prompt::ExecutionSettings,
    textsearch_core::{
        Result, SearchOptions, TextSearch as _, TextSearchConnector as _, async_trait,
        chat::{ChatHistory, ChatMessage},
        vector::{
            DataField, Distance, EmbeddingGenerator, EmbeddingSettings, Embeddings, SearchMode,
            VectorField, VectorStoreExt as _,
        },
    },
};
use textsearch_vector_inmemory::InMemoryVectorStore;

use super::memory;
use crate::support::{Scripted, kernel_with, text};

/// One element for money, one for pets.
struct Subjects;

#[async_trait]
impl EmbeddingGenerator for Subjects {
    fn model_id(&self) -> &str {
        "subjects"
    }

    fn dimensions(&self) -> Option<usize> {
        Some(2)
    }

    async fn generate(&self, texts: &[String], _: &EmbeddingSettings) -> Result<Embeddings> {
        let count = |text: &str, words: [&str; 2]| {
            words.iter().filter(|word| text.contains(*word)).count() as f32
        };
        let vector = |text: &String| {
            vec![0.1 + count(text, ["budget", "money"]), 0.1 + count(text, ["cat", "pet"])].into()
        };
        Ok(Embeddings::new(texts.iter().map(vector).collect()))
    }
}

async fn embedded(distance: Distance) -> TextMemory {
    let vector = VectorField::new("embedding", 2).embedded_from(["text"]).with_distance(distance);
    let definition = TextMemory::definition()
        .with_data(DataField::string("tenant").filterable())
        .with_vector(vector);
    let store = InMemoryVectorStore::new().with_embedding_generator(Subjects);
    let notes = store.dynamic_collection("notes", definition).unwrap();
    notes.ensure_exists().await.unwrap();
    let memory = TextMemory::new(&notes);
    memory.save(MemoryEntry::new("money", "The budget is small.")).await.unwrap();
    memory.save(MemoryEntry::new("animal", "The cat is called Tom.")).await.unwrap();
    memory
}

fn ids(results: &[textsearch_kernel::textsearch_core::TextSearchResult]) -> Vec<&str> {
    results.iter().map(|result| result.id.as_deref().unwrap()).collect()
}

#[tokio::test]
async fn saved_texts_are_embedded_and_found_by_meaning() {
    for mode in [SearchMode::Vector, SearchMode::Hybrid] {
        let memory = embedded(Distance::CosineSimilarity).await.with_mode(mode);
        let results = memory.recall("how much money", 2, None).await.unwrap();
        assert_eq!(ids(&results), ["money", "animal"]);
    }
}

#[tokio::test]
async fn thresholds_follow_the_distance() {
    let similar = embedded(Distance::CosineSimilarity).await;
    assert_eq!(ids(&similar.recall("pet", 2, Some(0.9)).await.unwrap()), ["animal"]);
    assert_eq!(
        ids(&similar.with_min_score(0.9).recall("pet", 2, Some(0.1)).await.unwrap()),
        ["animal"]
    );
    let distant = embedded(Distance::Euclidean).await;
    assert_eq!(ids(&distant.recall("pet", 2, Some(0.5)).await.unwrap()), ["animal"]);
    assert_eq!(
        ids(&distant.with_min_score(0.5).recall("pet", 2, Some(9.0)).await.unwrap()),
        ["animal"]
    );
}

#[tokio::test]
async fn a_memory_searches_like_any_search() {
    let memory = memory().await;
    assert_eq!((memory.name(), memory.data_source()), ("inmemory", "notes"));
    let options = SearchOptions::top(1).with_skip(1);
    let results =
        memory.search("the budget cat", &options).await.unwrap().into_vec().await.unwrap();
    assert_eq!(results.len(), 1);
}

#[tokio::test]
async fn a_memory_grounds_a_chat() {
    let model = Scripted::new([text("Tom [1].")]);
    let provider = TextSearchProvider::new(memory().await, GroundingOptions::new()).unwrap();
    let settings = ExecutionSettings::new().with_context_provider(provider);
    let history = ChatHistory::from(vec![ChatMessage::user("What is my cat called?")]);
    let outcome =
        kernel_with(textsearch_kernel::Kernel::new(), &model).chat(history, settings).await;
    assert_eq!(outcome.unwrap().run.sources.len(), 1);
    assert!(model.requests()[0].0.messages()[0].text().contains("The cat is called Tom."));
}
