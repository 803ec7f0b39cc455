//! Writing and reading by the application.

use std::sync::Arc;

use futures_util::future::join_all;
use textsearch_kernel::{
    grounding::{MemoryEntry, TextMemory},
    textsearch_core::vector::{
        DataField, KeyKind, RecordDefinition, StoredRecord, VectorStoreExt as _,
    },
};
use textsearch_vector_inmemory::InMemoryVectorStore;

use super::{BUDGET, collection, memory, text_of};

#[tokio::test]
async fn a_saved_entry_is_retrieved_with_all_parts() {
    let memory = memory().await;
    let entry = MemoryEntry::new("k", "Text.").with_name("Name").with_link("https://a.example");
    memory.save(entry).await.unwrap();
    let result = memory.retrieve("k").await.unwrap().unwrap();
    assert_eq!((result.id.as_deref(), result.value.as_str()), (Some("k"), "Text."));
    assert_eq!(
        (result.name.as_deref(), result.link.as_deref()),
        (Some("Name"), Some("https://a.example"))
    );
    assert_eq!(result.source.as_deref(), Some("inmemory"));
}

#[tokio::test]
async fn saving_replaces_and_removing_forgets() {
    let memory = memory().await;
    memory.save(MemoryEntry::new("budget", "Secret.")).await.unwrap();
    assert_eq!(text_of(&memory, "budget").await.as_deref(), Some("Secret."));
    memory.remove("budget").await.unwrap();
    memory.remove("budget").await.unwrap();
    assert_eq!(text_of(&memory, "budget").await, None);
    assert!(memory.recall("company budget", 5, None).await.unwrap().is_empty());
}

#[tokio::test]
async fn recall_finds_the_most_relevant_first() {
    let memory = memory().await;
    let results = memory.recall("company budget by year", 1, None).await.unwrap();
    assert_eq!(results.len(), 1);
    assert_eq!(results[0].value, BUDGET);
    assert!(results[0].score.is_some());
    assert!(memory.recall(" ", 5, None).await.unwrap().is_empty());
}

#[tokio::test]
async fn no_call_lowers_the_minimum_score() {
    let memory = memory().await;
    let score = memory.recall("budget", 1, None).await.unwrap()[0].score.unwrap();
    let strict = memory.clone().with_min_score(score + 1.0);
    assert!(strict.recall("budget", 1, Some(0.0)).await.unwrap().is_empty());
    let lenient = memory.with_min_score(0.0);
    assert_eq!(lenient.recall("budget", 1, Some(score)).await.unwrap().len(), 1);
    assert!(lenient.recall("budget", 1, Some(score + 1.0)).await.unwrap().is_empty());
}

#[tokio::test]
async fn many_callers_write_and_read_at_once() {
    let memory = Arc::new(memory().await);
    let tasks = (0..64).map(|number| {
        let memory = Arc::clone(&memory);
        tokio::spawn(async move {
            let key = format!("k{number}");
            memory.save(MemoryEntry::new(&key, format!("note {number}"))).await.unwrap();
            text_of(&memory, &key).await
        })
    });
    for (number, read) in join_all(tasks).await.into_iter().enumerate() {
        assert_eq!(read.unwrap(), Some(format!("note {number}")));
    }
    assert_eq!(memory.recall("note", 100, None).await.unwrap().len(), 64);
}

#[tokio::test]
async fn keys_of_every_kind_work() {
    for (kind, key, wrong) in [
        (KeyKind::Integer, "7", "seven"),
        (KeyKind::Uuid, "67E55044-10B1-426F-9247-BB680E5FE0C8", "67e5"),
    ] {
        let definition = TextMemory::definition().with_key_kind(kind);
        let notes = InMemoryVectorStore::new().dynamic_collection("notes", definition).unwrap();
        notes.ensure_exists().await.unwrap();
        let memory = TextMemory::new(&notes);
        memory.save(MemoryEntry::new(key, "Text.")).await.unwrap();
        assert_eq!(text_of(&memory, key).await.as_deref(), Some("Text."));
        assert_eq!(text_of(&memory, wrong).await, None);
        memory.save(MemoryEntry::new(wrong, "Text.")).await.unwrap_err();
        memory.remove(key).await.unwrap();
        assert_eq!(text_of(&memory, key).await, None);
    }
}

#[tokio::test]
async fn invalid_keys_are_errors_with_the_allowed_ones() {
    let memory = memory().await;
    for key in ["", "a\u{1b}[2J", "a\nb", &"k".repeat(10_000_000)] {
        let error = memory.retrieve(key).await.unwrap_err().to_string();
        assert!(error.contains("expected 1 to 512 bytes without control characters"), "{error}");
        assert!(error.len() < 250, "{}", error.len());
        memory.save(MemoryEntry::new(key, "Text.")).await.unwrap_err();
        memory.remove(key).await.unwrap_err();
    }
}

#[tokio::test]
async fn an_entry_needs_a_field_for_each_part() {
    let definition = RecordDefinition::new("id").with_data(DataField::string("body").full_text());
    let store = InMemoryVectorStore::new();
    let notes = store.dynamic_collection("notes", definition.clone()).unwrap();
    notes.ensure_exists().await.unwrap();
    let error = TextMemory::new(&notes).save(MemoryEntry::new("k", "Text.")).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "inmemory: `text` is set; expected none: the collection's definition has no `value_field`"
    );
    let notes = store.dynamic_collection("notes", definition.with_value_field("body")).unwrap();
    let entry = MemoryEntry::new("k", "Text.").with_name("Name");
    let error = TextMemory::new(&notes).save(entry).await.unwrap_err();
    assert!(error.to_string().contains("`name` is set"), "{error}");
}

#[tokio::test]
async fn a_memory_reads_what_other_programs_stored() {
    let collection = collection().await;
    let data = serde_json::json!({ "id": "docs/a.md#1", "text": "A text.", "tenant": "a" });
    let record = StoredRecord::from_serialize(&data, collection.definition()).unwrap();
    collection.upsert(vec![record]).await.unwrap();
    let memory = TextMemory::new(&collection).with_namespace("tenant", "a");
    let results = memory.recall("text", 1, None).await.unwrap();
    assert_eq!(results[0].id.as_deref(), Some("docs/a.md#1"));
    assert_eq!(text_of(&memory, "docs/a.md#1").await.as_deref(), Some("A text."));
    memory.remove("docs/a.md#1").await.unwrap();
    assert!(memory.recall("text", 1, None).await.unwrap().is_empty());
}
