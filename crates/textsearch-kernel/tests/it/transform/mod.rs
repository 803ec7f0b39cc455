//! Rewritten questions, over a real search by words.

mod grounding;
mod hostile;
mod kinds;
mod transformed;

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use textsearch_kernel::textsearch_core::{
    Result, SearchOptions, SearchResults, TextSearch, TextSearchResult,
    chat::{ChatHistory, ChatMessage},
    connector::TextSearchWrapper,
    results::{AnyRecord, Metadata},
    vector::{
        DataField, RecordDefinition, SearchMode, StoredRecord, VectorStoreExt as _,
        VectorStoreTextSearch,
    },
};
use textsearch_kernel::transform::{QUERY_TRANSFORM, Transformed};
use textsearch_vector_inmemory::InMemoryVectorStore;

const NOTES: [(&str, &str, &str); 5] = [
    ("tides", "Tides rise twice a day in Brest.", "a"),
    ("winter", "Storms raise the tides of winter.", "a"),
    ("moon", "The moon pulls the sea.", "a"),
    ("ferry", "The ferry sails on Sunday.", "a"),
    ("secret", "Secret tides of the other tenant.", "b"),
];

/// Searches the notes by words, and records queries and options.
#[derive(Clone)]
struct Notes {
    search: Arc<dyn TextSearch>,
    asked: Arc<Mutex<Vec<(String, SearchOptions)>>>,
}

impl Notes {
    async fn new() -> Self {
        let definition = RecordDefinition::new("id")
            .with_data(DataField::string("text").full_text())
            .with_data(DataField::string("tenant").filterable())
            .with_value_field("text");
        let collection =
            InMemoryVectorStore::new().dynamic_collection("notes", definition.clone()).unwrap();
        collection.ensure_exists().await.unwrap();
        let records = NOTES.map(|(id, text, tenant)| {
            let note = json!({ "id": id, "text": text, "tenant": tenant });
            StoredRecord::from_serialize(&note, &definition).unwrap()
        });
        collection.upsert(records.into()).await.unwrap();
        let search = VectorStoreTextSearch::new(collection).with_mode(SearchMode::FullText);
        Self { search: Arc::new(search), asked: Arc::default() }
    }

    fn queries(&self) -> Vec<String> {
        self.asked.lock().unwrap().iter().map(|(query, _)| query.clone()).collect()
    }
}

impl TextSearchWrapper for Notes {
    fn inner(&self) -> &dyn TextSearch {
        &self.search
    }

    async fn search_inner(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchResults<AnyRecord>> {
        self.asked.lock().unwrap().push((query.to_owned(), options.clone()));
        self.search.search_any(query, options).await
    }
}

fn conversation() -> ChatHistory {
    ChatHistory::from(vec![
        ChatMessage::system("Be brief."),
        ChatMessage::user("How high are the tides?"),
        ChatMessage::assistant("Seven metres."),
    ])
}

async fn results(
    search: &Transformed,
    question: &str,
    options: &SearchOptions,
) -> (Vec<TextSearchResult>, Metadata) {
    let results = search.text_search_results(question, options).await.unwrap();
    let metadata = results.metadata().clone();
    (results.into_vec().await.unwrap(), metadata)
}

/// The ids of the best results, and the report in the metadata.
async fn search(search: &Transformed, question: &str) -> (Vec<String>, Value) {
    let (results, mut metadata) = results(search, question, &SearchOptions::top(5)).await;
    let ids = results.into_iter().map(|result| result.id.unwrap()).collect();
    (ids, metadata.remove(QUERY_TRANSFORM).unwrap_or_default())
}
