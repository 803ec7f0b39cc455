//! Upserts of several batches.

use textsearch_milvus::{
    ErrorKind,
    vector::{InterruptedUpsert, RecordKey},
};
use tonic::Status;

use crate::scripted::{Listening, collection, failed, records, succeeded};

fn interrupted(error: &textsearch_milvus::Error) -> &InterruptedUpsert {
    let source = std::error::Error::source(error).unwrap();
    source.downcast_ref().unwrap()
}

fn keys(keys: &[RecordKey]) -> String {
    keys.iter().map(RecordKey::to_string).collect()
}

#[tokio::test]
async fn records_after_a_refused_batch_are_not_stored() {
    let server = Listening::start([succeeded(0), failed(1100, false)]);
    let docs = collection(server.config().with_batch_limits(2, 1 << 20));
    let error = docs.upsert(records(0..5)).await.unwrap_err();
    let InterruptedUpsert { stored, unsure, not_stored, .. } = interrupted(&error);
    assert_eq!([keys(stored), keys(unsure), keys(not_stored)], ["01", "", "234"]);
    assert_eq!(server.methods(), ["Upsert", "Upsert"]);
}

#[tokio::test]
async fn records_of_a_lost_batch_are_unsure() {
    let server = Listening::start([succeeded(0), Err(Status::unavailable("gone"))]);
    let config = server.config().with_batch_limits(2, 1 << 20).with_max_attempts(1);
    let error = collection(config).upsert(records(0..5)).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Unavailable);
    let InterruptedUpsert { stored, unsure, not_stored, .. } = interrupted(&error);
    assert_eq!([keys(stored), keys(unsure), keys(not_stored)], ["01", "23", "4"]);
}

#[tokio::test]
async fn batches_end_at_either_limit() {
    for (max, bytes, expected) in [(2, 1 << 20, 3), (1_000, 1 << 20, 1), (1_000, 1, 5)] {
        let server = Listening::start((0..5).map(|_| succeeded(0)));
        let docs = collection(server.config().with_batch_limits(max, bytes));
        docs.upsert(records(0..5)).await.unwrap();
        assert_eq!(server.methods().len(), expected, "{max} records or {bytes} bytes");
    }
}

#[tokio::test]
async fn nothing_is_sent_of_a_batch_with_a_bad_record() {
    let server = Listening::start([]);
    let docs = collection(server.config().with_batch_limits(1, 1 << 20));
    let mut batch = records(0..3);
    batch[2] = batch[2].clone().with_vector("embedding", [1.0]);
    let error = docs.upsert(batch).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::invalid_record("2"));
    assert_eq!(server.methods(), [] as [String; 0]);
}
