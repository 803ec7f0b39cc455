//! Partly stored batches, and delayed visibility of writes.

use std::error::Error as _;

use serde_json::{Value, json};
use textsearch_azure_ai_search::{
    AzureSearchConfig, AzureSearchStore, Error, ErrorKind,
    vector::{
        Collection, DataField, GetOptions, InterruptedUpsert, RecordDefinition, RecordKey,
        ScanOptions, VectorField, VectorSearchOptions, VectorStoreExt as _,
    },
};
use textsearch_conformance::{Action, Response, Server};

use crate::{
    service::Standin,
    support::{config, empty, record, settings},
};

fn definition() -> RecordDefinition {
    RecordDefinition::new("id")
        .with_data(DataField::integer("year").filterable())
        .with_vector(VectorField::new("embedding", 2))
}

/// Batches of two records.
async fn in_pairs() -> (Standin, Collection) {
    let standin = Standin::start();
    let config = config(&standin).with_batch_limits(2, 16_000_000);
    let store = AzureSearchStore::new(config).unwrap();
    let notes = store.dynamic_collection("notes", definition()).unwrap();
    notes.ensure_exists().await.unwrap();
    (standin, notes)
}

async fn upsert(notes: &Collection, keys: &[&str]) -> Result<(), Error> {
    let records = keys.iter().map(|key| record(key, json!({ "year": 1 })));
    notes.upsert(records.collect::<Vec<_>>()).await.map(drop)
}

fn interrupted(error: &Error) -> &InterruptedUpsert {
    error.source().unwrap().downcast_ref().unwrap()
}

fn keys(keys: &[&str]) -> Vec<RecordKey> {
    keys.iter().map(|key| RecordKey::from(*key)).collect()
}

async fn stored(notes: &Collection) -> Vec<String> {
    let records = notes.scan(&ScanOptions::default()).await.unwrap().into_vec().await.unwrap();
    records.iter().map(|record| record.key.to_string()).collect()
}

#[tokio::test]
async fn a_rejected_document_is_named_with_the_stored_ones() {
    let (standin, notes) = in_pairs().await;
    standin.fail("d", 400);
    let error = upsert(&notes, &["a", "b", "c", "d", "e"]).await.unwrap_err();
    let ErrorKind::InvalidRecord { key, .. } = error.kind() else { panic!("{error:?}") };
    assert_eq!(key, "d");
    let upsert = interrupted(&error);
    assert_eq!(upsert.stored, keys(&["a", "b", "c"]));
    assert_eq!(upsert.rejected, [(RecordKey::from("d"), "planned fault 400".to_owned())]);
    assert_eq!(upsert.not_stored, keys(&["e"]));
    assert!(upsert.unsure.is_empty());
    let text = error.to_string();
    assert!(text.contains("3 stored (`a` to `c`); 1 rejected (`d`)"), "{text}");
    assert_eq!(stored(&notes).await, ["a", "b", "c"]);
}

#[tokio::test]
async fn documents_that_fail_for_a_moment_are_sent_again_alone() {
    let (standin, notes) = empty(definition()).await;
    for status in [503, 409] {
        standin.fail("b", status);
    }
    upsert(&notes, &["a", "b", "c"]).await.unwrap();
    let sizes: Vec<usize> = standin
        .bodies("search.index")
        .iter()
        .map(|body| body["value"].as_array().unwrap().len())
        .collect();
    assert_eq!(sizes, [3, 1, 1]);
    assert_eq!(stored(&notes).await, ["a", "b", "c"]);
}

#[tokio::test]
async fn a_document_that_keeps_failing_is_unavailable() {
    let (standin, notes) = empty(definition()).await;
    for _ in 0..3 {
        standin.fail("b", 503);
    }
    let error = upsert(&notes, &["a", "b"]).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Unavailable);
    assert_eq!(interrupted(&error).stored, keys(&["a"]));
    assert!(error.message().contains("`b` with 503"), "{error}");
}

/// Stores records on a server that answers once as `first` says, then with an error.
async fn failed_upsert(first: Value, then: u16, batch: usize, names: &[&str]) -> Error {
    let server = Server::start(move |_, before| {
        Action::Answer(match before {
            0 => Response::json(&json!({ "value": first })),
            _ => Response::json(&json!({})).with_status(then),
        })
    })
    .await;
    let config = AzureSearchConfig::new(server.url(), "sesame")
        .with_http_settings(settings())
        .with_batch_limits(batch, 16_000_000);
    let store = AzureSearchStore::new(config).unwrap();
    let notes = store.dynamic_collection("notes", definition()).unwrap();
    upsert(&notes, names).await.unwrap_err()
}

fn status(key: &str, code: u16) -> Value {
    json!({ "key": key, "status": code < 300, "errorMessage": "busy", "statusCode": code })
}

#[tokio::test]
async fn records_of_an_unanswered_request_are_unsure() {
    let error = failed_upsert(json!([status("a", 201)]), 500, 1, &["a", "b", "c"]).await;
    let upsert = interrupted(&error);
    assert_eq!((&upsert.stored, &upsert.unsure), (&keys(&["a"]), &keys(&["b"])));
    assert_eq!(upsert.not_stored, keys(&["c"]));
}

#[tokio::test]
async fn a_failed_repetition_forgets_no_stored_document() {
    let first = json!([status("a", 201), status("b", 503)]);
    let error = failed_upsert(first, 403, 1_000, &["a", "b"]).await;
    assert_eq!(*error.kind(), ErrorKind::Authentication);
    let upsert = interrupted(&error);
    assert_eq!((&upsert.stored, &upsert.unsure), (&keys(&["a"]), &keys(&["b"])));
}

#[tokio::test]
async fn a_record_that_no_request_can_hold_is_refused_first() {
    let (standin, notes) = empty(definition()).await;
    let large = record("large", json!({ "text": "a".repeat(16_000_000) }));
    let small = record("small", json!({}));
    let error = notes.upsert(vec![small, large]).await.unwrap_err();
    let ErrorKind::InvalidRecord { key, .. } = error.kind() else { panic!("{error:?}") };
    assert_eq!(key, "large");
    assert!(standin.bodies("search.index").is_empty(), "something was sent");
}

#[tokio::test]
async fn writes_become_visible_later() {
    let (standin, notes) = empty(definition()).await;
    standin.hold_writes(true);
    let vector = [1.0, 0.0];
    let data = record("a", json!({ "year": 1 })).with_vector("embedding", vector);
    notes.upsert(vec![data]).await.unwrap();
    assert!(stored(&notes).await.is_empty());
    let visible = async || {
        let read = notes.get(&keys(&["a"]), &GetOptions::default()).await.unwrap().len();
        let options = VectorSearchOptions::top(1);
        let results = notes.search(&vector[..], &options).await.unwrap();
        (read, results.into_vec().await.unwrap().len())
    };
    assert_eq!(visible().await, (0, 0));
    standin.hold_writes(false);
    assert_eq!(visible().await, (1, 1));
    standin.hold_writes(true);
    notes.delete(&keys(&["a"])).await.unwrap();
    assert_eq!(stored(&notes).await, ["a"], "a deletion is visible later, too");
    standin.hold_writes(false);
    assert!(stored(&notes).await.is_empty());
}

#[tokio::test]
async fn pages_that_end_early_lose_no_record() {
    let (standin, notes) = empty(definition()).await;
    let names: Vec<String> = (0..40).map(|number| format!("{number:02}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let records = names
        .iter()
        .map(|key| record(key, json!({ "year": 1 })).with_vector("embedding", [1.0, 0.0]));
    notes.upsert(records.collect::<Vec<_>>()).await.unwrap();
    standin.set_max_bytes(1_000);
    assert_eq!(stored(&notes).await, names);
    let results = notes.search(&[1.0, 0.0][..], &VectorSearchOptions::top(30)).await.unwrap();
    let results = results.into_vec().await.unwrap();
    let keys: Vec<String> = results.iter().map(|scored| scored.record.key.to_string()).collect();
    assert_eq!(keys, names[..30]);
    let asked: Vec<RecordKey> = names.iter().rev().map(|name| RecordKey::from(*name)).collect();
    let read = notes.get(&asked, &GetOptions::default().with_vectors(true)).await.unwrap();
    let read: Vec<String> = read.iter().map(|record| record.key.to_string()).collect();
    assert_eq!(read, names.iter().rev().copied().collect::<Vec<_>>());
}
