//! Upserts of several requests, of which one fails.

use std::error::Error as _;

use serde_json::json;
use textsearch_chroma::{
    ErrorKind,
    vector::{InterruptedUpsert, RecordKey},
};
use textsearch_conformance::{Action, Response};

use crate::server::{chroma, config, fault, notes, record};

fn keys(names: &[&str]) -> Vec<RecordKey> {
    names.iter().map(|name| RecordKey::from(*name)).collect()
}

#[tokio::test]
async fn a_failed_batch_tells_what_is_stored() {
    let server = chroma(|_, before| match before {
        0 => Action::Answer(Response::json(&json!({}))),
        _ => fault(500, "InternalError", "disk full"),
    })
    .await;
    let records = ["a", "b", "c", "d", "e"].map(record).into();
    let error = notes(config(&server)).upsert(records).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Unavailable);
    let told = error.source().unwrap().downcast_ref::<InterruptedUpsert>().unwrap();
    assert_eq!(told.stored, keys(&["a", "b"]));
    assert_eq!(told.unsure, keys(&["c", "d"]));
    assert_eq!(told.not_stored, keys(&["e"]));
    let begin = "the upsert was interrupted: 2 stored (`a` to `b`); 2 unsure (`c` to `d`); \
                 1 not stored (`e`): ";
    assert!(error.message().starts_with(begin), "{error}");
}

#[tokio::test]
async fn a_rejected_request_is_an_error_of_its_own() {
    let server = chroma(|_, _| fault(422, "ChromaError", "metadatas[0].year: no match")).await;
    let error = notes(config(&server)).upsert(vec![record("a")]).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::UnexpectedStatus { status: 422, .. }), "{error:?}");
    assert!(error.source().is_none_or(|source| !source.is::<InterruptedUpsert>()));
}

#[tokio::test]
async fn a_bad_record_sends_nothing() {
    let server = chroma(|_, _| Action::Answer(Response::json(&json!({})))).await;
    let bad = record("b").with_vector("embedding", [f32::NAN, 1.0]);
    let error = notes(config(&server)).upsert(vec![record("a"), bad]).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::invalid_record("b"));
    assert_eq!(server.count(), 0);
}
