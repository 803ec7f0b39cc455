//! Pages of search results read as documents.

use textsearch_core::{
    ErrorKind, Filter, FilterableField, FixedSearch, SearchOptions, TextSearch, TextSearchResult,
    document::{DocumentPage, DocumentReader, ReadOptions},
};
use textsearch_web_page::ResultPages;

use super::{
    reader,
    server::{Answer, Server},
};

async fn server() -> Server {
    let html = "<title>Tides</title><p>High at noon.</p><p>Low at six.</p>";
    let pages = [
        ("/tides", Answer::html(html)),
        ("/busy", Answer::status(503)),
        ("/moved", Answer::redirect("http://127.0.0.1:1/")),
        ("/old", Answer::redirect("/tides")),
        ("/other", Answer::html("<p>Other.</p>")),
    ];
    Server::start(pages).await
}

fn results(links: impl IntoIterator<Item = String>) -> Vec<TextSearchResult> {
    links.into_iter().map(|link| TextSearchResult::new("A snippet.").with_link(link)).collect()
}

fn pages(server: &Server, results: Vec<TextSearchResult>) -> ResultPages {
    let name = FilterableField::string("Name", "The title");
    ResultPages::new(FixedSearch::new(results).with_fields([name]), reader(server))
}

async fn search(pages: &ResultPages, options: &SearchOptions) {
    pages.search("tides", options).await.unwrap().into_vec().await.unwrap();
}

async fn read(pages: &ResultPages, id: &str) -> Option<DocumentPage> {
    pages.read(id, &ReadOptions::default()).await.unwrap()
}

#[tokio::test]
async fn a_result_is_read_by_its_link_page_by_page() {
    let server = server().await;
    let url = server.url("/tides");
    let pages = pages(&server, results([url.clone()]));
    search(&pages, &SearchOptions::top(1)).await;
    let first = ReadOptions::default().with_max_bytes(15);
    let first = pages.read(&url, &first).await.unwrap().unwrap();
    assert_eq!((first.document.id.as_str(), first.text.as_str()), (&*url, "High at noon.\n\n"));
    assert_eq!(first.document.name.as_deref(), Some("Tides"));
    let rest = ReadOptions::default().with_offset(first.next_offset.unwrap());
    let rest = pages.read(&url, &rest).await.unwrap().unwrap();
    assert_eq!((rest.text.as_str(), rest.next_offset), ("Low at six.", None));
}

#[tokio::test]
async fn only_returned_results_are_requested() {
    let server = server().await;
    let links = ["/tides", "/other"].map(|path| server.url(path));
    let pages = pages(&server, results(links.clone()));
    assert_eq!(read(&pages, &links[0]).await, None);
    search(&pages, &SearchOptions::top(1)).await;
    let tides = &links[0];
    let similar = [format!("{tides}?secret=1"), format!("{tides}#a"), tides.to_uppercase()];
    for id in similar.iter().chain([&links[1], &String::new(), &"file:///etc/passwd".to_owned()]) {
        assert_eq!(read(&pages, id).await, None, "{id}");
    }
    assert_eq!(server.count(), 0);
    assert!(read(&pages, tides).await.is_some());
}

#[tokio::test]
async fn a_result_with_an_id_is_read_by_it() {
    let server = server().await;
    let url = server.url("/tides");
    let result = TextSearchResult::new("A snippet.").with_link(&url).with_id("7");
    let pages = pages(&server, vec![result]);
    search(&pages, &SearchOptions::top(1)).await;
    assert_eq!(read(&pages, "7").await.unwrap().document.link, Some(url.clone()));
    assert_eq!(read(&pages, &url).await, None);
}

#[tokio::test]
async fn a_redirected_page_links_to_its_end() {
    let server = server().await;
    let url = server.url("/old");
    let pages = pages(&server, results([url.clone()]));
    search(&pages, &SearchOptions::top(1)).await;
    let document = read(&pages, &url).await.unwrap().document;
    assert_eq!((document.id, document.link), (url, Some(server.url("/tides"))));
}

#[tokio::test]
async fn refused_addresses_are_missing_and_failures_hide_reasons() {
    let server = server().await;
    let refused = [server.url("/moved"), "http://10.0.0.1/".to_owned(), "/etc/passwd".to_owned()];
    let busy = server.url("/busy");
    let pages = pages(&server, results(refused.iter().cloned().chain([busy.clone()])));
    search(&pages, &SearchOptions::top(4)).await;
    for link in refused {
        assert_eq!(read(&pages, &link).await, None, "{link}");
    }
    let error = pages.read(&busy, &ReadOptions::default()).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Unavailable);
    assert_eq!(error.message(), "the page of a result cannot be read: unreachable");
}

#[tokio::test]
async fn a_filter_shows_pages_found_under_it() {
    let server = server().await;
    let url = server.url("/tides");
    let result = TextSearchResult::new("A snippet.").with_link(&url).with_name("Tides");
    let pages = pages(&server, vec![result]);
    let named = |name: &str| Filter::eq("Name", name);
    search(&pages, &SearchOptions::top(1).with_fixed_filter(named("Tides"))).await;
    for (filter, is_shown) in [(named("Tides"), true), (named("Pumps"), false)] {
        let options = ReadOptions::default().with_filter(filter.clone());
        assert_eq!(pages.read(&url, &options).await.unwrap().is_some(), is_shown, "{filter}");
        let options = SearchOptions::top(5).with_fixed_filter(filter);
        let listed = pages.list(&options).await.unwrap().into_vec().await.unwrap();
        assert_eq!(listed.len(), usize::from(is_shown));
    }
    let error = pages.check_filter(&Filter::eq("colour", "red")).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::UnsupportedFilter { .. }), "{error}");
}

#[tokio::test]
async fn the_last_thousand_pages_are_listed() {
    let server = server().await;
    let links = (0..1_002).map(|number| format!("https://site.example/{number}"));
    let pages = pages(&server, results(links));
    search(&pages, &SearchOptions::top(1_002)).await;
    search(&pages, &SearchOptions::top(1).with_skip(2)).await;
    let listed = pages.list(&SearchOptions::top(2_000)).await.unwrap().into_vec().await.unwrap();
    assert_eq!(listed.len(), 1_000);
    let ends = [&listed[0].id, &listed[999].id];
    assert_eq!(ends, ["https://site.example/3", "https://site.example/2"]);
}
