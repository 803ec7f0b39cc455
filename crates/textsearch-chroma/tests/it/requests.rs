//! What is sent.

use serde_json::json;
use textsearch_chroma::{
    ErrorKind, Filter,
    vector::{SearchInput, VectorSearchOptions},
};
use textsearch_conformance::{Action, Response};

use crate::server::{COLLECTION, KEY, chroma, config, notes, ranked_response, record};

#[tokio::test]
async fn an_upsert_sends_every_name_and_the_bytes_of_vectors() {
    let server = chroma(|_, _| Action::Answer(Response::json(&json!({})))).await;
    notes(config(&server)).upsert(vec![record("a")]).await.unwrap();
    let requests = server.requests();
    let upsert = requests.last().unwrap();
    assert_eq!(upsert.path, format!("{COLLECTION}/6f1c/upsert"));
    assert_eq!(upsert.header("x-chroma-token"), Some(KEY));
    let expected = json!({
        "ids": ["a"],
        "embeddings": ["AACAPwAAAD8="],
        "documents": [r#"{"id":"a","year":2024}"#],
        "metadatas": [{ "id": "a", "year": 2024, "textsearch_no_vector": null }],
    });
    assert_eq!(upsert.json(), expected);
}

#[tokio::test]
async fn a_search_reads_past_records_that_do_not_match() {
    let server = chroma(|request, _| match request.json()["n_results"].as_u64() {
        Some(2) => ranked_response(&[("a", 0.1), ("b", 0.2)]),
        None => Action::Answer(Response::json(&3)),
        _ => ranked_response(&[("a", 0.1), ("b", 0.2), ("c", 0.3)]),
    })
    .await;
    let options = VectorSearchOptions::top(1).with_filter(Filter::gt("id", "a"));
    let results = notes(config(&server)).search(&vec![1.0, 0.0].into(), &options).await.unwrap();
    let results = results.into_vec().await.unwrap();
    assert_eq!(results.len(), 1);
    assert_eq!(results[0].record.key, "b".into());
    assert!((results[0].score - 0.8).abs() < 1e-6, "{}", results[0].score);
}

#[tokio::test]
async fn text_filters_send_conditions_on_documents() {
    let server = chroma(|_, _| ranked_response(&[])).await;
    let filter = Filter::contains("id", "a\"bc").and(Filter::gt("year", 2020));
    let options = VectorSearchOptions::top(1).with_filter(filter);
    let search = notes(config(&server));
    let _ = search.search(&vec![1.0, 0.0].into(), &options).await;
    let requests = server.requests();
    let query = requests.iter().find(|request| request.path.ends_with("/query")).unwrap().json();
    assert_eq!(query["where"], json!({ "year": { "$gt": 2020 } }));
    assert_eq!(query["where_document"], json!({ "$contains": r#"a\"bc"# }));
}

#[tokio::test]
async fn what_chroma_lacks_is_refused_before_any_request() {
    let server = chroma(|_, _| Action::Answer(Response::json(&json!({})))).await;
    let notes = notes(config(&server));
    let vector = SearchInput::from(vec![1.0, 0.0]);
    let options = VectorSearchOptions::default;
    let errors = [
        notes.search(&vector, &options().with_exact(true)).await.unwrap_err(),
        notes.search(&vector, &options().with_ef_search(10)).await.unwrap_err(),
        notes.search(&"words".into(), &options()).await.unwrap_err(),
        notes.full_text_search("words", &options()).await.unwrap_err(),
        notes.hybrid_search("words", None, &options()).await.unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }), "{error}");
    }
    assert_eq!(server.count(), 0);
}
