//! No memory of one namespace reads, replaces or removes a record of another.

use serde_json::{Value, json};
use textsearch_kernel::{
    grounding::{GroundingOptions, MemoryConfig, MemoryEntry, TextMemory, TextSearchProvider},
    prompt::ExecutionSettings,
    textsearch_core::{
        Filter, SearchOptions, TextSearch as _,
        chat::{ChatHistory, ChatMessage},
        vector::{Collection, GetOptions, RecordKey, StoredRecord},
    },
};

use super::{both, call, collection, kernel, text_of};
use crate::support::{Scripted, kernel_with, set, text};

/// Two tenants with a note under the same key, and one stored by another program.
async fn tenants() -> (Collection<StoredRecord>, TextMemory, TextMemory) {
    let collection = collection().await;
    let data = json!({ "id": "raw", "text": "A raw note of b.", "tenant": "b" });
    let record = StoredRecord::from_serialize(&data, collection.definition()).unwrap();
    collection.upsert(vec![record]).await.unwrap();
    let memory = TextMemory::new(&collection);
    let [a, b] = ["a", "b"].map(|tenant| memory.clone().with_namespace("tenant", tenant));
    a.save(MemoryEntry::new("key", "A note of a.")).await.unwrap();
    b.save(MemoryEntry::new("key", "A note of b.")).await.unwrap();
    (collection, a, b)
}

#[tokio::test]
async fn one_key_is_another_record_in_each_namespace() {
    let (_, a, b) = tenants().await;
    assert_eq!(text_of(&a, "key").await.as_deref(), Some("A note of a."));
    assert_eq!(text_of(&b, "key").await.as_deref(), Some("A note of b."));
    a.remove("key").await.unwrap();
    assert_eq!(text_of(&a, "key").await, None);
    assert_eq!(text_of(&b, "key").await.as_deref(), Some("A note of b."));
}

#[tokio::test]
async fn no_key_reaches_another_namespace() {
    let (collection, a, b) = tenants().await;
    let kernel = kernel(&a, both());
    for key in [
        "raw",
        "b/key",
        "../b/key",
        "a/../b/key",
        "%2Fb/key",
        "tenant=b/key",
        "tenant=a/../tenant=b/key",
        "key\u{0}",
    ] {
        let results = call(&kernel, "Retrieve", json!({ "key": key })).await.unwrap_or(json!([]));
        assert_eq!(results, json!([]), "{key}");
        // Neither may fail, but neither may touch the other's.
        let _ = call(&kernel, "Save", json!({ "key": key, "text": "Mine now." })).await;
        let _ = call(&kernel, "Remove", json!({ "key": key })).await;
    }
    assert_eq!(text_of(&b, "key").await.as_deref(), Some("A note of b."));
    assert_eq!(text_of(&b, "raw").await.as_deref(), Some("A raw note of b."));
    let raw = collection.get(&[RecordKey::from("raw")], &GetOptions::default()).await.unwrap();
    assert_eq!(raw[0].data["text"], "A raw note of b.");
}

#[tokio::test]
async fn results_have_the_keys_that_callers_chose() {
    let (_, a, _) = tenants().await;
    let results = a.recall("note", 10, None).await.unwrap();
    assert_eq!(results.len(), 1);
    assert_eq!(results[0].id.as_deref(), Some("key"));
}

#[tokio::test]
async fn no_query_or_filter_reaches_another_namespace() {
    let (_, a, _) = tenants().await;
    let options = SearchOptions::top(10).with_filter(Filter::eq("tenant", "b"));
    let results = a.search("note of b", &options).await.unwrap().into_vec().await.unwrap();
    assert!(results.is_empty(), "{results:?}");
    let either = Filter::eq("tenant", "b").or(Filter::exists("id"));
    let options = SearchOptions::top(10).with_filter(either).with_total_count(true);
    let results = a.search_values("note of b", &options).await.unwrap();
    let values: Vec<Value> = results.into_vec().await.unwrap();
    assert_eq!(values.len(), 1);
    let kernel = kernel(&a, both());
    for query in ["b", "tenant = \"b\"", "tenant:b OR note", "raw"] {
        let results =
            call(&kernel, "Recall", json!({ "query": query, "limit": 50 })).await.unwrap();
        assert!(!results.to_string().contains("of b"), "{results}");
    }
}

#[tokio::test]
async fn namespaces_hold_in_settings_and_providers() {
    let (_, a, _) = tenants().await;
    let provider =
        TextSearchProvider::new(a.clone(), GroundingOptions::new().with_top(50)).unwrap();
    for settings in [
        ExecutionSettings::new().with_context_provider(provider),
        ExecutionSettings::new()
            .with_memory(set(MemoryConfig::new(a), |settings| settings.limit = 50)),
    ] {
        let model = Scripted::new([text("Done.")]);
        let history = ChatHistory::from(vec![ChatMessage::user("Every note of tenant b?")]);
        kernel_with(textsearch_kernel::Kernel::new(), &model)
            .chat(history, settings)
            .await
            .unwrap();
        let sent = model.requests()[0].0.messages()[0].text();
        assert!(sent.contains("A note of a.") && !sent.contains("note of b."), "{sent}");
    }
}

#[tokio::test]
async fn an_entry_cannot_choose_its_namespace() {
    let (_, a, _) = tenants().await;
    // The text's own field is the namespace's.
    let memory = a.clone().with_namespace("name", "shared");
    let entry = MemoryEntry::new("k", "Text.").with_name("other");
    memory.save(entry).await.unwrap();
    let result = memory.retrieve("k").await.unwrap().unwrap();
    assert_eq!(result.name.as_deref(), Some("shared"));
}

#[tokio::test]
async fn the_order_of_namespaces_makes_no_difference() {
    let memory = TextMemory::new(&collection().await);
    let first = memory.clone().with_namespace("tenant", "a").with_namespace("name", "b");
    let second = memory.with_namespace("name", "b").with_namespace("tenant", "a");
    first.save(MemoryEntry::new("k", "Text.")).await.unwrap();
    assert_eq!(text_of(&second, "k").await.as_deref(), Some("Text."));
}
