//! Errors of Pinecone, and what other programs do.

use serde_json::{Value, json};
use textsearch_pinecone::{
    Error, ErrorKind, Filter, PineconeConfig, PineconeStore,
    vector::{ScanOptions, VectorSearchOptions, VectorStore},
};

use crate::{
    stand_in::{Answer, Behavior, KEY, StandIn},
    support::{definition, notes, record, search},
};

fn start() -> StandIn {
    StandIn::start(Behavior::default())
}

fn missing_namespace() -> Answer {
    Answer::json(404, json!({ "code": 5, "message": "Namespace not found", "details": [] }))
}

fn model(host: &str) -> Value {
    json!({
        "name": "notes", "host": host, "status": { "ready": true, "state": "Ready" },
        "schema": { "fields": { "_values": { "dimension": 2, "metric": "cosine" } } }
    })
}

fn is_404(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::UnexpectedStatus { status: 404, .. })
}

#[tokio::test]
async fn an_upsert_answered_with_404_fails() {
    let stand_in = start();
    for answer in [missing_namespace(), Answer::text(404, "404 page not found")] {
        let notes = notes(&stand_in.store()).await;
        stand_in.answer_next(answer);
        let error = notes.upsert(vec![record(json!({ "id": "a" }))]).await.unwrap_err();
        assert!(is_404(&error), "{error}");
    }
}

#[tokio::test]
async fn a_missing_route_is_no_empty_result() {
    let stand_in = start();
    let namespaced = PineconeStore::new(stand_in.config().with_namespace("acme")).unwrap();
    let acme = notes(&namespaced).await;
    let notes = notes(&stand_in.store()).await;
    notes.upsert(vec![record(json!({ "id": "a", "year": 1 }))]).await.unwrap();
    let host = stand_in.endpoint();
    let filter = Filter::ge("year", 1);
    let filtered = ScanOptions::default().with_filter(filter.clone());
    for body in ["404 page not found", r#"{"code":5,"message":"Not Found","details":[]}"#] {
        let missing = || stand_in.answer_next(Answer::text(404, body));
        missing();
        assert!(is_404(&notes.scan(&filtered).await.unwrap_err()), "{body}");
        missing();
        assert!(is_404(&notes.scan(&ScanOptions::default()).await.unwrap_err()), "{body}");
        missing();
        assert!(is_404(&notes.delete_matching(&filter).await.unwrap_err()), "{body}");
        missing();
        assert!(is_404(&notes.delete(&["a".into()]).await.unwrap_err()), "{body}");
        missing();
        let result = search(&notes, &VectorSearchOptions::top(5)).await;
        assert!(is_404(&result.unwrap_err()), "{body}");
        stand_in.answer_next(Answer::json(200, model(host)));
        missing();
        assert!(is_404(&acme.exists().await.unwrap_err()), "{body}");
    }
}

#[tokio::test]
async fn a_missing_namespace_is_an_empty_result() {
    let stand_in = start();
    let notes = notes(&stand_in.store()).await;
    stand_in.answer_next(missing_namespace());
    assert!(search(&notes, &VectorSearchOptions::top(5)).await.unwrap().is_empty());
    stand_in.answer_next(missing_namespace());
    notes.delete(&["a".into()]).await.unwrap();
}

#[tokio::test]
async fn a_wrong_key_is_refused_and_not_printed() {
    let stand_in = start();
    let config = PineconeConfig::new("pcsk_wrong").with_endpoint(stand_in.endpoint());
    let store = PineconeStore::new(config).unwrap();
    let error = store.collection_names().await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Authentication);
    let printed = format!("{error} {error:?} {store:?}");
    assert!(!printed.contains("pcsk_wrong") && !format!("{:?}", stand_in.config()).contains(KEY));
}

#[tokio::test]
async fn overload_is_retried() {
    let stand_in = start();
    let notes = notes(&stand_in.store()).await;
    stand_in.seen();
    stand_in.answer_next(Answer::text(429, "slow down"));
    stand_in.answer_next(Answer::json(503, json!({ "code": 14, "message": "busy" })));
    notes.upsert(vec![record(json!({ "id": "a" }))]).await.unwrap();
    let statuses: Vec<u16> = stand_in.seen().iter().map(|seen| seen.status).collect();
    assert_eq!(statuses, [429, 503, 200]);
}

#[tokio::test]
async fn an_exhausted_plan_is_not_retried() {
    let stand_in = start();
    let notes = notes(&stand_in.store()).await;
    stand_in.seen();
    let message = "You've reached your read unit limit for the current month";
    stand_in.answer_next(Answer::json(429, json!({ "code": 8, "message": message })));
    let error = search(&notes, &VectorSearchOptions::top(5)).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::QuotaExceeded);
    assert!(error.message().contains(message), "{error}");
    assert_eq!(stand_in.seen().len(), 1);
}

#[tokio::test]
async fn a_protected_index_stays() {
    let stand_in = start();
    let notes = notes(&stand_in.store()).await;
    let message = "Deletion protection is enabled for this index.";
    let body = json!({ "status": 403, "error": { "code": "FORBIDDEN", "message": message } });
    let mut index = model(stand_in.endpoint());
    index["tags"] = json!({ "textsearch-key": "string id" });
    stand_in.answer_next(Answer::json(200, index));
    stand_in.answer_next(Answer::json(200, json!({ "namespaces": [] })));
    stand_in.answer_next(Answer::json(403, body));
    let error = notes.delete_collection().await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Backend);
    assert!(error.message().contains(message), "{error}");
    assert!(notes.exists().await.unwrap());
}

#[tokio::test]
async fn an_index_that_others_deleted_is_not_found() {
    let stand_in = start();
    let notes = notes(&stand_in.store()).await;
    stand_in.delete_indexes();
    let error = search(&notes, &VectorSearchOptions::top(5)).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::collection_not_found("notes"));
}

#[tokio::test]
async fn an_index_that_others_created_anew_is_found() {
    let stand_in = start();
    let opened = notes(&stand_in.store()).await;
    stand_in.delete_indexes();
    let other = notes(&stand_in.store()).await;
    other.upsert(vec![record(json!({ "id": "a" }))]).await.unwrap();
    assert_eq!(search(&opened, &VectorSearchOptions::top(5)).await.unwrap(), ["a"]);
}

#[tokio::test]
async fn vectors_of_other_programs_are_undecodable() {
    let stand_in = start();
    let notes = notes(&stand_in.store()).await;
    let foreign = json!({ "id": "a", "score": 1.0, "values": [], "metadata": { "year": 1 } });
    stand_in.answer_next(Answer::json(200, json!({ "matches": [foreign] })));
    let error = search(&notes, &VectorSearchOptions::top(5)).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Undecodable);
    assert!(error.message().contains("the vector `a` is no record"), "{error}");
}

#[tokio::test]
async fn a_host_with_more_than_a_name_is_refused() {
    let stand_in = start();
    let notes = stand_in.store().stored_collection("notes", definition()).unwrap();
    notes.ensure_exists().await.unwrap();
    for host in ["me@127.0.0.1:1", "127.0.0.1:1/path", "127.0.0.1:1?a", ""] {
        let notes = stand_in.store().stored_collection("notes", definition()).unwrap();
        stand_in.answer_next(Answer::json(200, model(host)));
        let error = search(&notes, &VectorSearchOptions::top(5)).await.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Undecodable, "{host}: {error}");
    }
}
