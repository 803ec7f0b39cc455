//! Pages of collections and of records.

use serde_json::{Value, json};
use textsearch_chroma::{
    ChromaStore, ErrorKind,
    vector::{GetOptions, VectorStore},
};
use textsearch_conformance::{Action, Response, Server};

use crate::server::{chroma, config, definition, notes};

/// Returns a page of 500 collections, or of fewer at the end.
fn page(offset: usize, total: usize) -> Action {
    let stored = serde_json::to_string(&definition()).unwrap();
    let collections = (offset..total.min(offset + 500)).map(|number| {
        json!({
            "id": number.to_string(), "name": format!("notes-{number:04}"),
            "metadata": { "textsearch_definition": stored },
        })
    });
    Action::Answer(Response::json(&Value::from_iter(collections)))
}

#[tokio::test]
async fn all_pages_of_collections_are_listed() {
    let server = Server::start(|request, _| {
        let offset = request.number("offset", 0);
        page(offset, 1_001)
    })
    .await;
    let names = ChromaStore::new(config(&server)).unwrap().collection_names().await.unwrap();
    assert_eq!((names.len(), server.count()), (1_001, 3));
    assert_eq!(names[1_000], "notes-1000");
}

#[tokio::test]
async fn a_page_of_collections_that_repeats_is_undecodable() {
    let server = Server::start(|_, _| page(0, 500)).await;
    let store = ChromaStore::new(config(&server)).unwrap();
    let error = store.collection_names().await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Undecodable);
    assert!(error.message().contains("offset"), "{error}");
    assert_eq!(server.count(), 2);
}

#[tokio::test]
async fn a_page_without_all_requested_vectors_is_undecodable() {
    for embeddings in
        [json!([[1.0, 0.5]]), json!(null), json!([[1.0, 0.5], [0.0, 1.0], [1.0, 1.0]])]
    {
        let answer = json!({
            "ids": ["a", "b"], "documents": [r#"{"id":"a"}"#, r#"{"id":"b"}"#],
            "embeddings": embeddings,
        });
        let server = chroma(move |_, _| Action::Answer(Response::json(&answer))).await;
        let options = GetOptions::default().with_vectors(true);
        let error = notes(config(&server)).get(&["a".into(), "b".into()], &options).await;
        assert_eq!(*error.unwrap_err().kind(), ErrorKind::Undecodable, "{embeddings}");
    }
}

#[tokio::test]
async fn a_write_between_a_document_and_its_vector_is_noticed() {
    // The old document was read before the new vector.
    let server = chroma(|request, number| {
        let year = if number == 0 { 1 } else { 2 };
        let body = if String::from_utf8_lossy(&request.body).contains("embeddings") {
            json!({ "ids": ["a"], "embeddings": [[0.0, 1.0]] })
        } else {
            json!({ "ids": ["a"], "documents": [json!({ "id": "a", "year": year }).to_string()] })
        };
        Action::Answer(Response::json(&body))
    })
    .await;
    let options = GetOptions::default().with_vectors(true);
    let records = notes(config(&server)).get(&["a".into()], &options).await.unwrap();
    assert_eq!(records.len(), 1);
    assert_eq!(records[0].data["year"], 2);
    assert_eq!(records[0].vectors["embedding"][..], [0.0, 1.0]);
}
