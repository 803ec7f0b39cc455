use std::time::{Duration, Instant};

use textsearch_core::{Error, ErrorKind, http::HttpSettings};
use textsearch_web_page::{MAX_DEPTH, MAX_ELEMENTS, WebPageReader, WebPageSettings};

use super::{
    reader,
    server::{Answer, Server},
    settings,
};

async fn refused(html: String) -> (Error, Duration) {
    let server = Server::with(Answer::html(html)).await;
    let started = Instant::now();
    let error = reader(&server).read(server.url("/")).await.unwrap_err();
    (error, started.elapsed())
}

#[tokio::test]
async fn deep_nesting_is_rejected_immediately() {
    for open in
        ["<div>", "<table><tr><td>", "<a href=x><div>", "<ul><li>", "<span><table><td></span>"]
    {
        let html = open.repeat(3_000_000 / open.len());
        let (error, took) = refused(html).await;
        assert_eq!(error.kind(), &ErrorKind::Undecodable);
        assert!(
            error.message().ends_with("has elements nested too deeply; expected 512"),
            "{error}"
        );
        assert!(took < Duration::from_secs(30), "{open}: {took:?}");
    }
}

#[tokio::test]
async fn a_page_of_the_maximum_depth_is_read() {
    let html = format!("{}deep inside{}", "<div>".repeat(MAX_DEPTH), "</div>".repeat(MAX_DEPTH));
    let server = Server::with(Answer::html(html)).await;
    assert_eq!(reader(&server).read(server.url("/")).await.unwrap().text, "deep inside");
}

#[tokio::test]
async fn open_inline_markup_is_not_copied_into_each_block() {
    let open: String = (0..400).map(|number| format!("<b id={number}>")).collect();
    let html = format!("{open}{}", "<p>word".repeat(5000));
    let server = Server::with(Answer::html(html)).await;
    let started = Instant::now();
    let page = reader(&server).read(server.url("/")).await.unwrap();
    assert_eq!(page.text.matches("word").count(), 5000);
    assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
}

#[tokio::test]
async fn too_many_elements_are_rejected() {
    let (error, _) = refused("<p>".repeat(MAX_ELEMENTS + 1)).await;
    assert!(error.message().ends_with("has too many elements; expected 100000"), "{error}");
}

#[tokio::test]
async fn many_deep_elements_are_rejected_immediately() {
    let nested = format!("{}text{}", "<div>".repeat(500), "</div>".repeat(500));
    let many_breaks = format!("{}{}", "<div>".repeat(500), "<br>".repeat(90_000));
    for html in [nested.repeat(190), many_breaks] {
        let (error, took) = refused(html).await;
        assert!(error.message().contains("has too many elements nested too deeply"), "{error}");
        assert!(took < Duration::from_secs(10), "{took:?}");
    }
}

#[tokio::test]
async fn a_huge_body_is_abandoned_at_the_limit() {
    let server = Server::with(Answer::html("<p>words ".repeat(8192)).repeated(2000)).await;
    let settings = settings(&server).with_max_body_bytes(1024 * 1024);
    let error = WebPageReader::new(settings).unwrap().read(server.url("/")).await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Undecodable);
    assert!(error.message().ends_with("longer than the limit of 1048576 bytes"), "{error}");
    assert!(server.bytes_sent() < 64 * 1024 * 1024);
}

#[tokio::test]
async fn a_slow_page_times_out() {
    let server = Server::with(Answer::html("<p>late").after(Duration::from_secs(60))).await;
    let settings = settings(&server).with_timeout(Duration::from_secs(1));
    let error = WebPageReader::new(settings).unwrap().read(server.url("/")).await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Timeout);
    server.wait_for_disconnects(1).await;
}

#[tokio::test]
async fn too_many_redirects_and_loops_are_rejected() {
    let to = |number: usize| (format!("/{number}"), Answer::redirect(&format!("/{}", number + 1)));
    let server = Server::start((0..9).map(to)).await;
    let error = reader(&server).read(server.url("/0")).await.unwrap_err();
    assert!(error.message().ends_with("one redirect more than the 5 that are followed"), "{error}");
    assert_eq!(server.count(), 6);
    let server = Server::with(Answer::redirect("/")).await;
    let error = reader(&server).read(server.url("/")).await.unwrap_err();
    assert!(error.message().ends_with("a loop"), "{error}");
}

#[tokio::test]
async fn an_invalid_url_is_rejected_without_repeating_it() {
    let server = Server::with(Answer::html("")).await;
    let error = reader(&server).read("/relative?key=word").await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidOptions { option, .. } if option == "url"));
    assert!(!error.to_string().contains("word"), "{error}");
}

#[test]
fn unusable_settings_are_rejected_by_name() {
    let refused = |settings| match WebPageReader::new(settings).unwrap_err().kind() {
        ErrorKind::InvalidOptions { option, .. } => option.clone(),
        kind => panic!("{kind:?}"),
    };
    assert_eq!(refused(WebPageSettings::default().with_max_body_bytes(0)), "max_body_bytes");
    assert_eq!(refused(WebPageSettings::default().with_timeout(Duration::ZERO)), "total_timeout");
    let mut http = HttpSettings::default();
    http.user_agent = "a\nb".to_owned();
    assert_eq!(refused(WebPageSettings::default().with_http_settings(http)), "user_agent");
    WebPageSettings::default().with_allowed_host("not a host").unwrap_err();
}
