//! Tests of writing: batches, retries, and errors of partial failures.

use std::{
    error::Error as _,
    time::{Duration, Instant},
};

use qdrant_client::qdrant::{UpdateStatus, UpsertPoints};
use textsearch_qdrant::{
    Error, ErrorKind, Filter, QdrantStore,
    vector::{DataField, InterruptedUpsert, RecordDefinition, RecordKey, VectorField, VectorStore},
};
use tonic::Status;

use crate::recorder::{Listening, collection, record};

fn sizes(server: &Listening) -> Vec<usize> {
    server.log.lock().unwrap().upserts.iter().map(|upsert| upsert.points.len()).collect()
}

fn records(count: usize) -> Vec<textsearch_qdrant::vector::StoredRecord> {
    (0..count).map(|number| record(&format!("{number:03}"))).collect()
}

#[tokio::test]
async fn batches_respect_record_limit() {
    let server = Listening::start().await;
    let docs = collection(server.config().with_batch_limits(4, 1 << 20));
    docs.upsert(records(10)).await.unwrap();
    assert_eq!(sizes(&server), [4, 4, 2]);
}

#[tokio::test]
async fn texts_without_order_have_no_columns() {
    let definition = RecordDefinition::new("id")
        .without_key_order()
        .with_data(DataField::string("lang").filterable().without_text_order())
        .with_vector(VectorField::new("embedding", 2));
    let server = Listening::start().await;
    let store = QdrantStore::new(server.config()).unwrap();
    let docs = store.stored_collection("docs", definition).unwrap();
    docs.upsert(records(1)).await.unwrap();
    let names = |upsert: &UpsertPoints| -> Vec<String> {
        let mut names: Vec<String> = upsert.points[0].payload.keys().cloned().collect();
        names.sort();
        names
    };
    assert_eq!(names(&server.log.lock().unwrap().upserts[0]), ["id", "lang", "text"]);
}

#[tokio::test]
async fn batches_respect_byte_limit() {
    let server = Listening::start().await;
    let docs = collection(server.config().with_batch_limits(1_000, 2_000));
    docs.upsert(records(100)).await.unwrap();
    let sizes = sizes(&server);
    assert_eq!(sizes.iter().sum::<usize>(), 100);
    assert!(sizes.len() > 5, "{sizes:?}");
    use prost::Message as _;
    let log = server.log.lock().unwrap();
    assert!(log.upserts.iter().all(|upsert| upsert.encoded_len() < 2_500));
}

#[tokio::test]
async fn upsert_sends_last_record_of_a_key_and_waits() {
    let server = Listening::start().await;
    collection(server.config()).upsert(vec![record("a"), record("b"), record("a")]).await.unwrap();
    assert_eq!(sizes(&server), [2]);
    assert_eq!(server.log.lock().unwrap().upserts[0].wait, Some(true));
}

#[tokio::test]
async fn upsert_need_not_wait() {
    let server = Listening::start().await;
    let docs = collection(server.config().with_wait_for_writes(false));
    docs.upsert(records(1)).await.unwrap();
    assert_eq!(server.log.lock().unwrap().upserts[0].wait, Some(false));
}

#[tokio::test]
async fn retries_temporarily_rejected_batch_unchanged() {
    let server = Listening::start().await;
    server
        .fail([Some(Status::resource_exhausted("later")), Some(Status::deadline_exceeded("slow"))]);
    collection(server.config()).upsert(records(3)).await.unwrap();
    assert_eq!(sizes(&server), [3]);
    assert_eq!(server.log.lock().unwrap().requests, 3);
}

/// The error of a node that hasn't noticed yet that another node is down.
fn missing_replica() -> Status {
    Status::internal(
        "Service internal error: 2 out of 3 shards failed to apply operation. First error captured: \
         Service internal error: status: Unavailable, message: \"error trying to connect\"",
    )
}

#[tokio::test]
async fn retries_batch_while_a_replica_is_missing() {
    let server = Listening::start().await;
    // In each attempt, the client itself makes one retry.
    server.fail(std::iter::repeat_n(Some(missing_replica()), 4));
    collection(server.config()).upsert(records(3)).await.unwrap();
    assert_eq!(sizes(&server), [3]);
    assert_eq!(server.log.lock().unwrap().requests, 5);
}

#[tokio::test]
async fn missing_replicas_are_retried_beyond_the_default() {
    let server = Listening::start().await;
    // Ten attempts; in each, the client itself makes one retry.
    server.fail(std::iter::repeat_n(Some(missing_replica()), 20));
    let short = Duration::from_millis(1);
    collection(server.config().with_backoff(short, short)).upsert(records(3)).await.unwrap();
    assert_eq!(sizes(&server), [3]);
    assert_eq!(server.log.lock().unwrap().requests, 21);
}

#[tokio::test]
async fn missing_replicas_are_retried_until_total_timeout() {
    let server = Listening::start().await;
    server.fail(std::iter::repeat_n(Some(missing_replica()), 10_000));
    let config = server.config().with_timeout(Duration::from_secs(1));
    let config = config.with_total_timeout(Duration::from_secs(1));
    let pause = Duration::from_millis(50);
    let docs = collection(config.with_backoff(pause, pause));
    let began = Instant::now();
    let error = docs.upsert(records(2)).await.unwrap_err();
    assert!((500..5_000).contains(&began.elapsed().as_millis()), "{:?}", began.elapsed());
    assert_eq!(*error.kind(), ErrorKind::Unavailable);
    assert_eq!(keys(&told(&error).unsure), ["000", "001"]);
}

#[tokio::test]
async fn busy_server_gets_three_attempts() {
    let server = Listening::start().await;
    server.fail(std::iter::repeat_n(Some(Status::deadline_exceeded("slow")), 99));
    let short = Duration::from_millis(1);
    let docs = collection(server.config().with_backoff(short, short));
    docs.upsert(records(1)).await.unwrap_err();
    assert_eq!(server.log.lock().unwrap().requests, 3);
}

#[tokio::test]
async fn missing_replica_makes_records_unsure() {
    let server = Listening::start().await;
    server.fail(std::iter::repeat_n(Some(missing_replica()), 99));
    let docs = collection(server.config().with_max_attempts(2));
    let error = docs.upsert(records(2)).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Unavailable);
    assert!(error.message().contains("a part of the cluster is unavailable: "), "{error}");
    assert_eq!(keys(&told(&error).unsure), ["000", "001"]);
}

fn told(error: &Error) -> &InterruptedUpsert {
    error.source().unwrap().downcast_ref::<InterruptedUpsert>().unwrap()
}

fn keys(keys: &[RecordKey]) -> Vec<String> {
    keys.iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn interrupted_upsert_lists_every_key() {
    let server = Listening::start().await;
    server.fail([None, Some(Status::deadline_exceeded("slow"))]);
    let docs = collection(server.config().with_batch_limits(2, 1 << 20).with_max_attempts(1));
    let error = docs.upsert(records(6)).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Timeout);
    let told = told(&error);
    assert_eq!(keys(&told.stored), ["000", "001"]);
    assert_eq!(keys(&told.unsure), ["002", "003"]);
    assert_eq!(keys(&told.not_stored), ["004", "005"]);
    assert_eq!(
        error.to_string(),
        "qdrant: the upsert was interrupted: 2 stored (`000` to `001`); 2 unsure (`002` to `003`); \
         2 not stored (`004` to `005`): no answer in time: slow"
    );
}

#[tokio::test]
async fn upsert_that_is_not_searchable_yet_is_unsure() {
    let server = Listening::start().await;
    server.log.lock().unwrap().written =
        [UpdateStatus::Completed, UpdateStatus::WaitTimeout].into();
    let docs = collection(server.config().with_batch_limits(2, 1 << 20));
    let error = docs.upsert(records(6)).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Timeout);
    assert!(error.message().ends_with("it may be later"), "{error}");
    let told = told(&error);
    assert_eq!(keys(&told.stored), ["000", "001"]);
    assert_eq!(keys(&told.unsure), ["002", "003"]);
    assert_eq!(keys(&told.not_stored), ["004", "005"]);
    assert_eq!(sizes(&server), [2, 2]);
}

#[tokio::test]
async fn acknowledged_write_succeeds_without_waiting() {
    let server = Listening::start().await;
    let docs = collection(server.config().with_wait_for_writes(false));
    server.log.lock().unwrap().written = [UpdateStatus::Acknowledged; 2].into();
    docs.upsert(records(1)).await.unwrap();
    docs.delete(&["000".into()]).await.unwrap();
}

#[tokio::test]
async fn incomplete_delete_is_an_error() {
    let server = Listening::start().await;
    let docs = collection(server.config());
    server.log.lock().unwrap().written =
        [UpdateStatus::Acknowledged, UpdateStatus::ClockRejected].into();
    let error = docs.delete(&["a".into()]).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Backend, "{error}");
    let error = docs.delete_matching(&Filter::eq("lang", "en")).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Unavailable, "{error}");
}

#[tokio::test]
async fn rejects_bad_record_before_sending() {
    let server = Listening::start().await;
    let bad = record("bad").with_vector("embedding", [1.0, 2.0, 3.0]);
    let error = collection(server.config()).upsert(vec![record("a"), bad]).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::invalid_record("bad"));
    assert_eq!(server.log.lock().unwrap().requests, 0);
}

#[tokio::test]
async fn rejects_record_with_reserved_field_before_sending() {
    let server = Listening::start().await;
    let mut bad = record("bad");
    bad.data.insert("_textsearch".to_owned(), "mine".into());
    let error = collection(server.config()).upsert(vec![record("a"), bad]).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::invalid_record("bad"));
    assert!(error.message().contains("`_textsearch`"), "{error}");
    assert_eq!(server.log.lock().unwrap().requests, 0);
}

/// Returns the error kind, and whether the error lists the state of the records.
async fn one_batch(failures: impl IntoIterator<Item = Status>) -> (ErrorKind, bool) {
    let server = Listening::start().await;
    server.fail(failures.into_iter().map(Some));
    let docs = collection(server.config().with_max_attempts(2));
    let error = docs.upsert(records(2)).await.unwrap_err();
    let is_told = error.source().is_some_and(|source| source.is::<InterruptedUpsert>());
    (error.kind().clone(), is_told)
}

#[tokio::test]
async fn only_a_rejected_first_attempt_surely_stores_nothing() {
    let wrong = || Status::invalid_argument("Wrong input");
    assert_eq!(one_batch([wrong()]).await, (ErrorKind::Backend, false));
    let denied = Status::permission_denied("no");
    assert_eq!(one_batch([denied]).await, (ErrorKind::Authentication, false));
    // The client itself makes one retry.
    let broken = || Status::internal("Service internal error: disk");
    assert_eq!(one_batch([broken(), broken()]).await, (ErrorKind::Backend, true));
    let late = Status::deadline_exceeded("slow");
    assert_eq!(one_batch([late, wrong()]).await, (ErrorKind::Backend, true));
}
