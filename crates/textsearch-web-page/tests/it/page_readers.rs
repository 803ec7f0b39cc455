//! Services that read pages, as stand-ins on loopback.

use std::{io, net::IpAddr};

use serde_json::{Value, json};
use textsearch_conformance::{Response, Server};
use textsearch_core::{
    FixedSearch, SearchOptions, TextSearch as _, TextSearchResult, async_trait,
    http::{HostResolver, HttpSettings, Secret},
};
use textsearch_web_page::{
    FullPages, FullPagesSettings, ReaderService, ServicePageReader, WebPageReader, WebPageSettings,
};

/// Knows no name, so every site is unreachable.
#[derive(Debug)]
struct NoNames;

#[async_trait]
impl HostResolver for NoNames {
    async fn resolve(&self, _host: &str) -> io::Result<Vec<IpAddr>> {
        Ok(Vec::new())
    }
}

const LINK: &str = "https://site.example/a?b=c";

fn service(service: ReaderService, server: &Server) -> ServicePageReader {
    let reader = ServicePageReader::new(service, Some(Secret::from("sesame"))).unwrap();
    reader.with_endpoint(server.url().join("read").unwrap().as_str())
}

/// Returns the only result of a search whose page no plain fetch reads.
async fn read(
    link: &str,
    readers: impl IntoIterator<Item = ServicePageReader>,
) -> TextSearchResult {
    let http = HttpSettings::default().with_max_attempts(1);
    let settings = WebPageSettings::default().with_http_settings(http);
    let settings = settings.with_allowed_host("wiki.example").unwrap();
    let reader = WebPageReader::with_resolver(settings, NoNames).unwrap();
    let search = FixedSearch::new([TextSearchResult::new("The snippet.").with_link(link)]);
    let pages = FullPages::new(search, reader, FullPagesSettings::default()).unwrap();
    let pages = readers.into_iter().fold(pages, FullPages::with_page_reader);
    let results = pages.text_search_results("query", &SearchOptions::top(1)).await.unwrap();
    results.into_vec().await.unwrap().remove(0)
}

/// An answer of each service in its documented shape.
fn answer(service: ReaderService, url: &str) -> Value {
    let markdown = "# A title\n\nSome [words](https://evil.example/?x).";
    match service {
        ReaderService::Jina => json!({
            "code": 200, "status": 20000,
            "data": { "title": "A title", "description": "", "url": url, "content": markdown, "usage": { "tokens": 9 } },
        }),
        ReaderService::Firecrawl => json!({
            "success": true,
            "data": {
                "markdown": markdown,
                "metadata": { "title": "A title", "sourceURL": LINK, "url": url, "statusCode": 200 },
            },
        }),
        _ => json!({
            "results": [{ "url": url, "title": "A title", "raw_content": markdown, "images": [] }],
            "failed_results": [], "response_time": 0.1,
        }),
    }
}

#[tokio::test]
async fn service_reads_what_a_plain_fetch_cannot() {
    for (name, body) in [
        (ReaderService::Jina, json!({ "url": LINK })),
        (ReaderService::Firecrawl, json!({ "url": LINK, "formats": ["markdown"] })),
        (ReaderService::Tavily, json!({ "urls": [LINK], "format": "markdown" })),
    ] {
        let server = Server::of([Response::json(&answer(name, LINK))]).await;
        let result = read(LINK, [service(name, &server)]).await;
        assert_eq!(result.value, "A title\n\nSome words.", "{name}");
        assert_eq!(result.name.as_deref(), Some("A title"));
        assert_eq!(result.metadata["full_page_reader"], name.as_str());
        let request = server.requests().remove(0);
        assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/read"));
        assert_eq!(request.header("authorization"), Some("Bearer sesame"));
        assert_eq!(request.json(), body);
    }
}

#[tokio::test]
async fn next_service_is_asked_after_a_failure() {
    let failing = Server::of([Response::json(&json!({ "detail": "no" })).with_status(402)]).await;
    let empty = json!({ "results": [], "failed_results": [{ "url": LINK, "error": "blocked" }] });
    let empty = Server::of([Response::json(&empty)]).await;
    let blocked = json!({ "success": true, "data": { "markdown": "Blocked", "metadata": { "statusCode": 403 } } });
    let blocked = Server::of([Response::json(&blocked)]).await;
    let good = Server::of([Response::json(&answer(ReaderService::Jina, LINK))]).await;
    let result = read(
        LINK,
        [
            service(ReaderService::Jina, &failing),
            service(ReaderService::Tavily, &empty),
            service(ReaderService::Firecrawl, &blocked),
            service(ReaderService::Jina, &good),
        ],
    )
    .await;
    assert_eq!(result.metadata["full_page_reader"], "jina");
    assert_eq!((failing.count(), empty.count(), blocked.count()), (1, 1, 1));
}

#[tokio::test]
async fn services_see_only_public_addresses() {
    let server = Server::of([Response::json(&answer(ReaderService::Jina, LINK))]).await;
    for link in [
        "http://127.0.0.1/",
        "http://10.0.0.1/",
        "http://wiki.example/",
        "http://a.internal/",
        "http://jira/x",
    ] {
        let result = read(link, [service(ReaderService::Jina, &server)]).await;
        assert_eq!(result.value, "The snippet.", "{link}");
    }
    assert_eq!(server.count(), 0);
}

#[tokio::test]
async fn page_that_a_service_read_elsewhere_is_checked() {
    for url in ["http://169.254.169.254/", "http://wiki.example/secret"] {
        let server = Server::of([Response::json(&answer(ReaderService::Jina, url))]).await;
        let result = read(LINK, [service(ReaderService::Jina, &server)]).await;
        assert_eq!((server.count(), result.value.as_str()), (1, "The snippet."), "{url}");
        assert_eq!(result.metadata["full_page_error"], "unreachable");
    }
}

#[tokio::test]
async fn page_whose_service_names_no_url_is_refused() {
    let mut body = answer(ReaderService::Jina, LINK);
    body["data"]["url"].take();
    let server = Server::of([Response::json(&body)]).await;
    let result = read(LINK, [service(ReaderService::Jina, &server)]).await;
    assert_eq!((server.count(), result.value.as_str()), (1, "The snippet."));
}
