//! Errors of the server.

use textsearch_chroma::{
    Error, ErrorKind,
    vector::{VectorSearchOptions, VectorStore},
};
use textsearch_conformance::{Action, Response, Server};

use crate::server::{KEY, chroma, config, fault, notes, ranked_response};

async fn search(server: &Server) -> Result<usize, Error> {
    let options = VectorSearchOptions::top(1);
    let results = notes(config(server)).search(&vec![1.0, 0.0].into(), &options).await?;
    Ok(results.into_vec().await?.len())
}

#[tokio::test]
async fn an_error_keeps_code_and_message_without_the_key() {
    let server = chroma(|_, _| {
        let message = format!("Collection expecting embedding with dimension of 2, got {KEY}");
        fault(400, "InvalidArgumentError", &message)
    })
    .await;
    let error = search(&server).await.unwrap_err();
    let ErrorKind::UnexpectedStatus { status, code, .. } = error.kind() else {
        panic!("{error:?}")
    };
    assert_eq!((*status, code.as_deref()), (400, Some("InvalidArgumentError")));
    assert!(error.message().ends_with("with dimension of 2, got ***"), "{error}");
}

#[tokio::test]
async fn a_rejected_key_is_an_authentication_error() {
    let server = chroma(|_, _| fault(401, "AuthError", "Unauthorized")).await;
    assert_eq!(*search(&server).await.unwrap_err().kind(), ErrorKind::Authentication);
}

#[tokio::test]
async fn an_internal_error_is_retried() {
    let server = chroma(|_, before| match before {
        0 => fault(500, "InternalError", "Error sending message to compactor"),
        _ => ranked_response(&[("a", 0.1), ("b", 0.2)]),
    })
    .await;
    assert_eq!(search(&server).await.unwrap(), 1);
}

#[tokio::test]
async fn a_collection_made_again_is_found_by_its_name() {
    let server = chroma(|_, before| match before {
        1 => fault(404, "NotFoundError", "Collection [6f1c] does not exist."),
        _ => ranked_response(&[("a", 0.1), ("b", 0.2)]),
    })
    .await;
    let notes = notes(config(&server));
    for _ in 0..2 {
        let results = notes.search(&vec![1.0, 0.0].into(), &VectorSearchOptions::top(1)).await;
        assert_eq!(results.unwrap().into_vec().await.unwrap().len(), 1);
    }
    let lookups =
        server.requests().iter().filter(|request| request.path.ends_with("/notes")).count();
    assert_eq!(lookups, 2);
}

#[tokio::test]
async fn a_collection_that_stays_away_is_named() {
    let message = "Collection [6f1c] does not exist.";
    let server = chroma(move |_, _| fault(404, "NotFoundError", message)).await;
    let error = search(&server).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::collection_not_found("notes"));
}

#[tokio::test]
async fn a_missing_database_is_no_missing_collection() {
    let message = "Database [manuals] not found";
    let server = Server::start(move |_, _| fault(404, "NotFoundError", message)).await;
    let store = textsearch_chroma::ChromaStore::new(config(&server)).unwrap();
    let error = store.collection_names().await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::UnexpectedStatus { status: 404, .. }), "{error:?}");
    assert!(error.message().ends_with(message), "{error}");
}

#[tokio::test]
async fn a_response_of_another_shape_is_undecodable() {
    let bodies = [
        r#"{"ids":[["a"]],"documents":[["{}"]],"distances":[[]]}"#,
        r#"{"ids":[["a"]],"documents":[["plain text"]],"distances":[[0.1]]}"#,
        r#"{"ids":[["a"]],"documents":[["{\"id\":\"a\"}"]],"distances":[[null]]}"#,
        r#"{"ids":[["a"]]}"#,
    ];
    for body in bodies {
        let answer = Response::new(200, "application/json", body);
        let server = chroma(move |_, _| Action::Answer(answer.clone())).await;
        let error = search(&server).await.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Undecodable, "{body}: {error}");
    }
}
