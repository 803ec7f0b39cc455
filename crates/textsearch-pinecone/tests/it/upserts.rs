//! Upserts that fail partway.

use serde_json::json;
use textsearch_pinecone::{
    Error, ErrorKind, PineconeStore,
    vector::{InterruptedUpsert, RecordKey, StoredRecord},
};

use crate::{
    stand_in::{Answer, Behavior, StandIn},
    support::{notes, record},
};

/// Two batches.
fn records() -> Vec<StoredRecord> {
    (0..1_200).map(|number| record(json!({ "id": format!("{number:04}") }))).collect()
}

/// Upserts records with these answers, without retries.
async fn failed(records: Vec<StoredRecord>, answers: Vec<Answer>) -> Error {
    let stand_in = StandIn::start(Behavior::default());
    let config = stand_in.config();
    let http = config.http.clone().with_max_attempts(1);
    let notes = notes(&PineconeStore::new(config.with_http_settings(http)).unwrap()).await;
    answers.into_iter().for_each(|answer| stand_in.answer_next(answer));
    notes.upsert(records).await.unwrap_err()
}

fn interrupted(error: &Error) -> Option<&InterruptedUpsert> {
    std::error::Error::source(error)?.downcast_ref()
}

fn counts(error: &Error) -> [usize; 3] {
    let InterruptedUpsert { stored, unsure, not_stored, .. } = interrupted(error).unwrap();
    [stored, unsure, not_stored].map(Vec::len)
}

fn stored() -> Answer {
    Answer::json(200, json!({ "upsertedCount": 1_000 }))
}

#[tokio::test]
async fn records_of_a_lost_first_batch_are_unsure() {
    let error = failed(records(), vec![Answer::text(503, "gone")]).await;
    assert_eq!(*error.kind(), ErrorKind::Unavailable);
    assert_eq!(counts(&error), [0, 1_000, 200]);
    let expected = "0 stored; 1000 unsure (`0000` to `0999`); 200 not stored (`1000` to `1199`): ";
    assert!(error.message().contains(expected), "{error}");
}

#[tokio::test]
async fn an_index_deleted_between_batches_hides_no_stored_records() {
    let gone = json!({ "code": 5, "message": "the index is gone", "details": [] });
    let missing = json!({ "status": 404, "error": { "code": "NOT_FOUND", "message": "none" } });
    let answers = vec![stored(), Answer::json(404, gone), Answer::json(404, missing)];
    let error = failed(records(), answers).await;
    assert_eq!(*error.kind(), ErrorKind::collection_not_found("notes"));
    assert_eq!(counts(&error), [1_000, 0, 200]);
    let InterruptedUpsert { stored, not_stored, .. } = interrupted(&error).unwrap();
    assert_eq!(
        [stored.last(), not_stored.first()],
        ["0999", "1000"].map(RecordKey::from).each_ref().map(Some)
    );
}

#[tokio::test]
async fn a_refusal_after_a_lost_response_leaves_the_batch_unsure() {
    let stand_in = StandIn::start(Behavior::default());
    let notes = notes(&stand_in.store()).await;
    stand_in.answer_next(Answer::text(504, "late"));
    stand_in.answer_next(Answer::json(403, json!({ "code": 7, "message": "no", "details": [] })));
    let error = notes.upsert(records()).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Authentication);
    assert_eq!((error.attempts(), counts(&error)), (2, [0, 1_000, 200]));
}

#[tokio::test]
async fn a_refused_first_batch_is_no_interruption() {
    let refusal = json!({ "code": 3, "message": "no vectors", "details": [] });
    let error = failed(records(), vec![Answer::json(400, refusal)]).await;
    assert!(error.message().contains("no vectors"), "{error}");
    assert!(interrupted(&error).is_none(), "{error}");
}
