//! The documents and the model of the examples of grounding.

use std::sync::{Mutex, PoisonError};

use textsearch_core::{
    Result, async_trait,
    chat::{ChatCompletion, ChatHistory, ChatMessage, ChatOptions, ChatResponse},
    vector::VectorStoreExt as _,
};
use textsearch_kernel::grounding::{MemoryEntry, TextMemory};
use textsearch_vector_inmemory::InMemoryVectorStore;

/// The question of the user.
pub const QUESTION: &str = "What is my budget for 2024?";

const DOCUMENTS: [(&str, &str, &str); 3] = [
    ("budget-2023", "Budget 2023", "The company budget by year: 2023 has 1.1 million euros."),
    ("budget-2024", "Budget 2024", "The company budget by year: 2024 has 1.2 million euros."),
    ("parking", "Parking", "Leave the car park before eight."),
];

/// Saves three documents in a new memory. It finds them by their words, so it needs no model.
pub async fn memory() -> Result<TextMemory> {
    let store = InMemoryVectorStore::new();
    let notes = store.dynamic_collection("company", TextMemory::definition())?;
    notes.ensure_exists().await?;
    let memory = TextMemory::new(&notes);
    for (key, name, text) in DOCUMENTS {
        let link = format!("https://intranet.example/{key}");
        memory.save(MemoryEntry::new(key, text).with_name(name).with_link(link)).await?;
    }
    Ok(memory)
}

/// A model that always gives the same answer, and keeps the requests.
#[derive(Default)]
pub struct Parrot {
    requests: Mutex<Vec<ChatHistory>>,
}

impl Parrot {
    /// Its answer.
    pub const ANSWER: &str = "It is 1.2 million euros [1].";

    /// The last message of the last request.
    pub fn last_prompt(&self) -> String {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let last = requests.last().and_then(|history| history.last());
        last.map(ChatMessage::text).unwrap_or_default()
    }
}

#[async_trait]
impl ChatCompletion for Parrot {
    fn name(&self) -> &str {
        "parrot"
    }

    fn model_id(&self) -> &str {
        "parrot"
    }

    async fn complete(&self, history: &ChatHistory, _: &ChatOptions) -> Result<ChatResponse> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(history.clone());
        Ok(ChatResponse::new(ChatMessage::assistant(Self::ANSWER)))
    }
}
