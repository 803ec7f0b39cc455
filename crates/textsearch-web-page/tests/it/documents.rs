//! Web pages read as documents.

use textsearch_core::{
    ErrorKind, Filter, SearchOptions,
    document::{DocumentReader, ReadOptions},
};

use super::{
    reader,
    server::{Answer, Server},
};

async fn server() -> Server {
    let html = "<title>Tides</title><p>High at noon.</p><p>Low at six.</p>";
    Server::start([("/tides", Answer::html(html)), ("/busy", Answer::status(503))]).await
}

#[tokio::test]
async fn a_page_is_read_by_its_url() {
    let server = server().await;
    let reader = reader(&server);
    let url = server.url("/tides");
    let read = async |options: ReadOptions| {
        DocumentReader::read(&reader, &url, &options).await.unwrap().unwrap()
    };
    let page = read(ReadOptions::default().with_max_bytes(15)).await;
    assert_eq!((page.document.id.as_str(), page.text.as_str()), (&*url, "High at noon.\n\n"));
    assert_eq!(page.document.name.as_deref(), Some("Tides"));
    let rest = read(ReadOptions::default().with_offset(page.next_offset.unwrap())).await;
    assert_eq!((rest.text.as_str(), rest.next_offset), ("Low at six.", None));
}

#[tokio::test]
async fn invalid_refused_and_missing_pages_are_not_found() {
    let server = server().await;
    let reader = reader(&server);
    let missing = server.url("/missing");
    for id in ["tides", "", "file:///etc/passwd", "http://127.0.0.1:1/", &missing] {
        let page = DocumentReader::read(&reader, id, &ReadOptions::default()).await;
        assert_eq!(page.unwrap(), None, "{id}");
    }
    let busy = DocumentReader::read(&reader, &server.url("/busy"), &ReadOptions::default()).await;
    assert_eq!(*busy.unwrap_err().kind(), ErrorKind::Unavailable);
}

#[tokio::test]
async fn pages_are_neither_filtered_nor_listed() {
    let server = server().await;
    let reader = reader(&server);
    let options = ReadOptions::default().with_filter(Filter::eq("site", "docs.rs"));
    let error = DocumentReader::read(&reader, &server.url("/tides"), &options).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::UnsupportedFilter { .. }), "{error}");
    assert!(!reader.can_list() && reader.list(&SearchOptions::default()).await.is_err());
}
