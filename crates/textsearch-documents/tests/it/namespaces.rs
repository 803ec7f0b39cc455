//! Documents of two namespaces in one collection.

use serde_json::json;
use textsearch_core::{
    ErrorKind, Filter, SearchOptions, TextSearch,
    vector::{
        DataField, GetOptions, RecordKey, ScanOptions, SearchMode, StoredRecord,
        VectorSearchOptions,
    },
};
use textsearch_documents::{Chunker, Document, DocumentSchema, DocumentStore};
use textsearch_vector_inmemory::InMemoryVectorStore;

use crate::{search::Letters, store::chunker};

fn schema() -> DocumentSchema {
    let mut schema = DocumentSchema::default().with_metadata(DataField::string("team"));
    schema.namespaces = true;
    schema
}

async fn all() -> DocumentStore {
    DocumentStore::open(&InMemoryVectorStore::new(), "docs", &schema(), chunker(40)).await.unwrap()
}

fn within(all: &DocumentStore, namespace: &str) -> DocumentStore {
    all.clone().with_namespace(namespace).unwrap()
}

/// Two namespaces with documents of the same ids and words.
async fn two() -> (DocumentStore, DocumentStore, DocumentStore) {
    let all = all().await;
    let a = within(&all, "a");
    let b = within(&all, "b");
    for (store, owner) in [(&a, "first"), (&b, "second")] {
        let documents = ["plan", "notes"].map(|id| {
            Document::markdown(id, format!("# One\n\nApples of the {owner}.\n\n# Two\n\nMore.\n"))
        });
        assert_eq!(store.upsert(documents).await.unwrap().added, 2);
    }
    (all, a, b)
}

async fn ids(store: &DocumentStore) -> Vec<(Option<String>, String)> {
    let listed = store.list(&ScanOptions::default()).await.unwrap().into_vec().await.unwrap();
    listed.into_iter().map(|document| (document.namespace, document.id)).collect()
}

async fn texts(search: &impl TextSearch, options: &SearchOptions) -> Vec<String> {
    search.search("apples", options).await.unwrap().into_vec().await.unwrap()
}

async fn count(store: &DocumentStore) -> usize {
    let results = store.collection().scan(&ScanOptions::default()).await.unwrap();
    results.into_vec().await.unwrap().len()
}

fn owned(namespace: &str, id: &str) -> (Option<String>, String) {
    (Some(namespace.to_owned()), id.to_owned())
}

#[tokio::test]
async fn same_ids_in_two_namespaces_are_different_documents() {
    let (all, a, b) = two().await;
    assert_eq!(ids(&a).await, [owned("a", "notes"), owned("a", "plan")]);
    assert_eq!(ids(&b).await, [owned("b", "notes"), owned("b", "plan")]);
    assert_eq!((count(&a).await, count(&b).await, count(&all).await), (4, 4, 8));
    let changed = Document::markdown("plan", "Pears.");
    assert_eq!(a.upsert([changed]).await.unwrap().changed, 1);
    assert_eq!((count(&a).await, count(&b).await), (3, 4));
}

#[tokio::test]
async fn searches_stay_inside_the_namespace() {
    let (_, a, b) = two().await;
    for (store, owner) in [(&a, "first"), (&b, "second")] {
        let results = texts(&store.text_search(), &SearchOptions::top(50)).await;
        assert_eq!(results.len(), 2);
        assert!(results.iter().all(|text| text.contains(owner)), "{results:?}");
    }
}

#[tokio::test]
async fn no_filter_leads_out_of_the_namespace() {
    let (_, a, _) = two().await;
    let search = a.text_search();
    let other = Filter::eq("document_namespace", "b");
    for filter in [
        other.clone(),
        Filter::any([other.clone(), Filter::all([])]),
        !Filter::eq("document_namespace", "a"),
        Filter::all([]),
        Filter::eq("document_id", "plan"),
        Filter::eq("id", "1:b:plan#0"),
    ] {
        let options = SearchOptions::top(50).with_filter(filter.clone());
        let fixed = SearchOptions::top(50).with_fixed_filter(filter.clone());
        for options in [options, fixed] {
            let results = texts(&search, &options).await;
            assert!(results.iter().all(|text| text.contains("first")), "{filter}: {results:?}");
        }
        let scan = ScanOptions::default().with_filter(filter.clone());
        let scanned = a.collection().scan(&scan).await.unwrap().into_vec().await.unwrap();
        assert!(scanned.iter().all(|record| record.data["document_namespace"] == "a"), "{filter}");
        let listed = a.list(&scan).await.unwrap().into_vec().await.unwrap();
        assert!(
            listed.iter().all(|document| document.namespace.as_deref() == Some("a")),
            "{filter}"
        );
    }
}

#[tokio::test]
async fn counts_are_those_of_the_namespace() {
    let (_, a, _) = two().await;
    let options = SearchOptions::top(1).with_total_count(true);
    let results = a.text_search().search("apples", &options).await.unwrap();
    assert_eq!(results.total_count().map(|count| count.value()), Some(2));
    let listed = a.list(&ScanOptions::default().with_top(1)).await.unwrap();
    assert_eq!(listed.total_count().map(|count| count.value()), Some(2));
}

#[tokio::test]
async fn removal_and_sync_spare_other_namespaces() {
    let (_, a, b) = two().await;
    let nothing: [Document; 0] = [];
    assert_eq!(a.remove(["plan", "unknown"]).await.unwrap(), 1);
    assert_eq!((count(&a).await, count(&b).await), (2, 4));
    let scope = Filter::eq("document_namespace", "b");
    assert_eq!(a.sync(nothing.clone(), &scope).await.unwrap().removed, 0);
    assert_eq!((count(&a).await, count(&b).await), (2, 4));
    let kept = a.sync([Document::markdown("new", "Text.")], &Filter::all([])).await.unwrap();
    assert_eq!((kept.added, kept.removed), (1, 1));
    assert_eq!(a.sync(nothing, &Filter::all([])).await.unwrap().removed, 1);
    assert_eq!((count(&a).await, count(&b).await), (0, 4));
}

#[tokio::test]
async fn the_collection_of_a_namespace_reaches_no_other() {
    let (_, a, b) = two().await;
    let collection = a.collection();
    let key = |key: &str| RecordKey::from(key);
    let others = [key("1:b:plan#0"), key("1:a:plan#0"), 7.into()];
    let got = collection.get(&others, &GetOptions::default()).await.unwrap();
    assert_eq!(got.len(), 1);
    assert_eq!(got[0].data["document_namespace"], "a");
    collection.delete(&others).await.unwrap();
    assert_eq!((count(&a).await, count(&b).await), (3, 4));
    collection.delete_matching(&Filter::all([])).await.unwrap();
    assert_eq!((count(&a).await, count(&b).await), (0, 4));
    let error = collection.delete_collection().await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }), "{error}");
    assert_eq!(count(&b).await, 4);
}

#[tokio::test]
async fn a_record_of_another_namespace_is_not_written() {
    let (_, a, b) = two().await;
    let mut head = b.collection().scan(&ScanOptions::default()).await.unwrap();
    let foreign = head.next().await.unwrap().unwrap();
    for (key, namespace, is_refused) in [
        ("1:b:plan#0", json!("b"), true),
        ("1:b:plan#0", json!("a"), true),
        ("1:a:plan#0", json!("b"), true),
        ("1:a:plan#0", json!(null), true),
        ("plan#0", json!("a"), true),
        ("1:a:plan#0", json!("a"), false),
    ] {
        let mut data = foreign.data.clone();
        data.insert("id".to_owned(), key.into());
        data.insert("document_namespace".to_owned(), namespace.clone());
        let record = StoredRecord::new(data, a.collection().definition()).unwrap();
        let written = a.collection().upsert(vec![record]).await;
        assert_eq!(written.is_err(), is_refused, "{key} {namespace}");
    }
    let ours = count(&a).await;
    let others = count(&b).await;
    assert_eq!((ours, others), (4, 4));
    let forged = Document::markdown("x", "Text.").with_metadata("document_namespace", "b");
    assert!(matches!(
        a.upsert([forged]).await.unwrap_err().kind(),
        ErrorKind::InvalidRecord { .. }
    ));
}

#[tokio::test]
async fn hostile_names_stay_apart() {
    let all = all().await;
    let names = [
        "a",
        "a ",
        "A",
        "ä",
        "a\u{308}",
        "1:a:",
        "a:plan#0",
        "b:",
        "1:b",
        "*",
        "%",
        "a\" or \"1\" = \"1",
        "'; --",
        "\\",
        "a/b",
        "..",
        "document_namespace",
        "null",
        "true",
        "{}",
        "🙂",
        "\u{202e}a",
        "a\u{200b}",
    ];
    for name in names {
        let document = Document::plain_text("plan", format!("Apples of {name}"));
        within(&all, name).upsert([document]).await.unwrap();
    }
    for name in names {
        let store = within(&all, name);
        let results = texts(&store.text_search(), &SearchOptions::top(100)).await;
        assert_eq!(results, [format!("Apples of {name}").trim().to_owned()], "{name}");
    }
    for (place, name) in names.iter().enumerate() {
        assert_eq!(within(&all, name).remove(["plan"]).await.unwrap(), 1, "{name}");
        assert_eq!(count(&all).await, names.len() - place - 1, "{name}");
    }
}

#[tokio::test]
async fn ids_that_look_like_keys_stay_apart() {
    let (all, a, b) = two().await;
    for id in ["1:b:plan", "b:plan", ":plan", "1:a:plan", "plan#0"] {
        a.upsert([Document::plain_text(id, "Mine.")]).await.unwrap();
    }
    assert_eq!((count(&b).await, count(&all).await), (4, 13));
    let results = texts(&b.text_search(), &SearchOptions::top(50)).await;
    assert!(results.iter().all(|text| text.contains("second")), "{results:?}");
}

#[tokio::test]
async fn without_a_namespace_all_are_read_and_none_written() {
    let (all, ..) = two().await;
    assert_eq!(texts(&all.text_search(), &SearchOptions::top(50)).await.len(), 4);
    assert_eq!(ids(&all).await.len(), 4);
    let document = || Document::plain_text("x", "Text.");
    let written = all.upsert([document()]).await;
    let removed = all.remove(["plan"]).await;
    let key = [RecordKey::from("1:a:plan#0")];
    let deleted = all.collection().delete(&key).await;
    for error in [written.unwrap_err(), removed.unwrap_err(), deleted.unwrap_err()] {
        assert_eq!(
            error.to_string(),
            "documents: `namespace` is not set; expected a namespace (`DocumentStore::with_namespace`): \
             without one, the collection is only read"
        );
    }
    assert_eq!(count(&all).await, 8);
}

#[tokio::test]
async fn a_collection_without_namespaces_has_none() {
    let schema = DocumentSchema::default();
    let store = InMemoryVectorStore::new();
    let store = DocumentStore::open(&store, "docs", &schema, Chunker::default()).await.unwrap();
    let error = store.with_namespace("a").unwrap_err();
    assert_eq!(
        error.message(),
        "`definition` is without a field `document_namespace` in `docs`; \
         expected one made by `DocumentSchema` with `namespaces`"
    );
}

#[tokio::test]
async fn vector_and_hybrid_searches_stay_inside_too() {
    let schema = schema().with_dimensions(2);
    let store = InMemoryVectorStore::new();
    let all = DocumentStore::open(&store, "docs", &schema, chunker(40)).await.unwrap();
    let all = all.with_embedding_generator(Letters);
    let a = within(&all, "a");
    let b = within(&all, "b");
    for (store, owner) in [(&a, "first"), (&b, "second")] {
        let text = format!("Apples of the {owner}.");
        store.upsert([Document::plain_text("plan", text)]).await.unwrap();
    }
    for mode in [SearchMode::Vector, SearchMode::Hybrid, SearchMode::FullText] {
        let search = a.text_search().with_mode(mode.clone()).with_diversity(0.5);
        let results = texts(&search, &SearchOptions::top(5)).await;
        assert_eq!(results, ["Apples of the first."], "{mode:?}");
    }
    let inputs = ["apples".into(), "second".into()];
    let batch = a.collection().search_batch(&inputs, &VectorSearchOptions::top(9)).await.unwrap();
    for results in batch {
        let records = results.into_vec().await.unwrap();
        assert_eq!(records.len(), 1);
        assert_eq!(records[0].record.data["document_namespace"], "a");
    }
}
