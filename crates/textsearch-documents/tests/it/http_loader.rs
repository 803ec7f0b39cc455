//! Files that a server converts, on loopback.

use std::fs;

use textsearch_conformance::{Action, Response, Server};
use textsearch_core::{SearchOptions, TextSearch as _};
use textsearch_documents::{
    HttpLoader,
    ingest::{DocumentIndex, FileWalker, IngestReport, Ingestion},
};
use textsearch_vector_inmemory::InMemoryVectorStore;

/// Indexes a `.doc` through the server.
async fn index(server: &Server) -> (DocumentIndex, IngestReport) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("secret name.doc"), b"\xD0\xCF\x11\xE0").unwrap();
    let loader = HttpLoader::new(server.url().join("tika").unwrap().as_str()).unwrap();
    let walker = FileWalker::new().with_http_loader("doc", loader);
    let files = walker.walk(&[folder.path()]).unwrap();
    let index = DocumentIndex::new(InMemoryVectorStore::new(), "docs");
    let report = index.update(Ingestion::new(files)).await.unwrap();
    (index, report)
}

async fn failure(server: &Server) -> String {
    let (_, report) = index(server).await;
    report.failed().map(|failed| failed.reason.to_string()).collect()
}

#[tokio::test]
async fn server_converts_file_to_html() {
    let html = "<h1>Fruit</h1><p>Apples are red.</p>";
    let server = Server::of([Response::new(200, "text/html; charset=UTF-8", html)]).await;
    let (index, report) = index(&server).await;
    assert_eq!(report.added, 1);
    let search = index.open(None).await.unwrap().text_search();
    let results = search.search("apples", &SearchOptions::top(1)).await.unwrap();
    assert_eq!(results.into_vec().await.unwrap(), ["# Fruit\n\nApples are red."]);
    let request = server.requests().remove(0);
    assert_eq!((request.method.as_str(), request.path.as_str()), ("PUT", "/tika"));
    assert_eq!(request.body, b"\xD0\xCF\x11\xE0");
    assert_eq!(request.header("content-disposition"), Some("attachment; filename=\"file.doc\""));
}

#[tokio::test]
async fn response_that_is_no_text_is_refused() {
    let server = Server::of([Response::json("text")]).await;
    let failure = failure(&server).await;
    assert!(failure.starts_with("the loader answered with `application/json`: try"), "{failure}");
}

#[tokio::test]
async fn error_of_server_costs_its_file() {
    let server = Server::of([Response::new(422, "text/plain", "encrypted")]).await;
    let failure = failure(&server).await;
    assert!(failure.contains("422"), "{failure}");
    assert_eq!(server.count(), 1);
}

#[tokio::test]
async fn redirect_to_another_server_is_refused() {
    let other = Server::of([Response::new(200, "text/plain", "stolen")]).await;
    let to = other.url().to_string();
    let server = Server::start(move |_, _| {
        Action::Answer(Response::new(307, "text/plain", "").with_header("location", to.clone()))
    })
    .await;
    assert!(!failure(&server).await.is_empty());
    assert_eq!(other.count(), 0);
}

#[tokio::test]
async fn endless_response_is_refused_at_the_limit() {
    let piece = Response::new(200, "text/plain", vec![b'a'; 1 << 20]);
    let server = Server::start(move |_, _| Action::Flood(piece.clone(), 1 << 20)).await;
    let failure = failure(&server).await;
    assert!(failure.contains("67108864"), "{failure}");
}

#[test]
fn loader_needs_an_address_of_the_web() {
    let error = HttpLoader::new("ftp://localhost/").unwrap_err().to_string();
    assert!(error.contains("neither http nor https"), "{error}");
}
