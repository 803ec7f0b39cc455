use std::error::Error as _;

use textsearch_core::{ErrorKind, filter::DateTime};
use textsearch_web_page::{UnsupportedContentType, WebPage};

use super::{
    reader,
    server::{Answer, Server},
};

async fn page(answer: Answer) -> WebPage {
    let server = Server::with(answer).await;
    reader(&server).read(server.url("/")).await.unwrap()
}

#[tokio::test]
async fn an_article_is_read_without_its_surroundings() {
    let page = page(Answer::html(include_str!("../fixtures/article.html"))).await;
    assert_eq!(page.title.as_deref(), Some("How tides are predicted a year ahead"));
    assert_eq!(page.byline.as_deref(), Some("Maren Holt"));
    assert_eq!(page.language.as_deref(), Some("en-GB"));
    let excerpt = page.excerpt.unwrap_or_default();
    assert!(excerpt.starts_with("A tide table looks like the work of"), "{excerpt}");
    assert_eq!(page.published, DateTime::parse("2024-03-18T09:30:00Z").ok());
    for part in [
        "the rest is a sum of cosines.\n\n",
        "twelve hours and twenty-five minutes",
        "the other constituents say how high. Café owners on the quay know as much & put out",
        "What a year of watching gives\n\nAn observer",
        "Name | Period | Amplitude\nM2 | 12.42 h | 1.31 m\nS2 | 12.00 h | 0.44 m",
        "- a painted staff, read by eye;\n- a float in a stilling well;\n- a radar",
        "silent about the weather.",
    ] {
        assert!(page.text.contains(part), "{part}\n---\n{}", page.text);
    }
    for part in ["-text", "menu-entry", "sidebar-entry", "utm_source", "<", "privacy"] {
        assert!(!page.text.contains(part), "{part}\n---\n{}", page.text);
    }
}

#[tokio::test]
async fn code_keeps_lines_and_definitions_are_separate() {
    let page = page(Answer::html(include_str!("../fixtures/reference.html"))).await;
    assert_eq!(page.title.as_deref(), Some("split_off"));
    assert_eq!(page.published, DateTime::parse("2025-01-07").ok());
    let code = "fn split_off(&mut self, at: usize) -> Vec<T>\nwhere\n    T: Clone,\n";
    assert!(page.text.contains(code), "{}", page.text);
    let definitions = "at\n\nThe first index that goes.\n\nreturns\n\nWhat goes.";
    assert!(page.text.contains(definitions), "{}", page.text);
}

#[tokio::test]
async fn a_page_is_decoded_with_its_stated_charset() {
    let (body, _, _) = encoding_rs::GB18030.encode(include_str!("../fixtures/chinese.html"));
    let page = page(Answer::typed("text/html", body)).await;
    assert_eq!(page.title.as_deref(), Some("潮汐是怎样预报的"));
    assert_eq!(page.language.as_deref(), Some("zh-CN"));
    assert!(
        page.text.starts_with("潮汐表看起来像是一台大机器的作品，从前确实如此："),
        "{}",
        page.text
    );
    assert!(page.text.ends_with("所以潮汐表知道月亮，却不谈天气。"), "{}", page.text);
}

#[tokio::test]
async fn a_page_is_decoded_with_the_headers_charset() {
    let page =
        page(Answer::typed("text/html; charset=windows-1251", b"<p>\xcf\xf0\xe8\xe2\xe5\xf2</p>"))
            .await;
    assert_eq!(page.text, "Привет");
}

#[tokio::test]
async fn hidden_elements_are_not_read() {
    let page = page(Answer::html(include_str!("../fixtures/hostile.html"))).await;
    for part in
        ["-text", "attribute-value", "ignore all", "\u{200b}", "\u{202e}", "\u{1b}", "\u{0}"]
    {
        assert!(!page.text.contains(part), "{part}\n---\n{}", page.text);
    }
    for part in [
        "Anchors hold ships.",
        "Chains hold anchors.",
        "Ropes\u{fffd} hold sails[31m.<script>alert(1)</script>",
        "A link goes nowhere.",
        "Tar keeps ropes.",
    ] {
        assert!(page.text.contains(part), "{part}\n---\n{}", page.text);
    }
    assert_eq!(page.title.as_deref(), Some("Cheap <b> anchors"));
}

#[tokio::test]
async fn a_short_page_is_read_whole() {
    let html = "<html lang=de><title>Öffnungszeiten</title><body><nav>Start</nav><p>Mo bis Fr</p><p>9 bis 17 Uhr";
    let page = page(Answer::html(html)).await;
    assert_eq!(page.title.as_deref(), Some("Öffnungszeiten"));
    assert_eq!(page.language.as_deref(), Some("de"));
    assert!(page.text.ends_with("Mo bis Fr\n\n9 bis 17 Uhr"), "{}", page.text);
}

#[tokio::test]
async fn a_page_without_text_is_empty() {
    for html in ["", "<html><body><script>app()</script><div id=app></div></body></html>"] {
        assert_eq!(page(Answer::html(html)).await.text, "", "{html}");
    }
}

#[tokio::test]
async fn plain_text_is_unchanged() {
    let page = page(Answer::typed("text/plain", "a <b> & c\r\n\r\n\r\n  d\u{0}\n")).await;
    assert_eq!((page.text.as_str(), page.title), ("a <b> & c\n\n  d", None));
}

#[tokio::test]
async fn an_unsupported_type_is_rejected_before_its_body() {
    let server = Server::with(Answer::typed("video/MP4", [0; 65536]).repeated(2000)).await;
    let error = reader(&server).read(server.url("/?key=word")).await;
    assert_eq!(error.unwrap_err().kind().name(), "unexpected_status");
    let error = reader(&server).read(server.url("/")).await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Undecodable);
    let expected = format!(
        "{} has an unsupported content type, `video/mp4`: allowed are text/html, \
         application/xhtml+xml and text/plain",
        server.url("/")
    );
    assert_eq!(error.message(), expected);
    let source = error.source().and_then(|source| source.downcast_ref::<UnsupportedContentType>());
    assert_eq!(source.unwrap().media_type, "video/mp4");
    assert!(server.bytes_sent() < 64 * 1024 * 1024);
    let server = Server::with(Answer::with_headers(200, &[("X-None", "1")], "text")).await;
    let error = reader(&server).read(server.url("/")).await.unwrap_err();
    assert!(error.message().contains("an unsupported content type, none:"), "{error}");
}

#[tokio::test]
async fn a_request_has_neither_cookie_nor_key_nor_referrer() {
    let set = Answer::with_headers(302, &[("Location", "/next"), ("Set-Cookie", "a=b")], "");
    let server = Server::start([("/", set), ("/next", Answer::html("<p>text"))]).await;
    let page = reader(&server).read(server.url("/")).await.unwrap();
    assert_eq!((page.text.as_str(), page.url.as_str()), ("text", server.url("/next").as_str()));
    for request in server.requests() {
        for name in ["cookie", "authorization", "referer"] {
            assert_eq!(request.header(name), None);
        }
        assert!(request.header("accept").unwrap().starts_with("text/html"), "{request:?}");
    }
}

#[tokio::test]
async fn a_page_serializes_under_template_names() {
    let server = Server::with(Answer::html("<title>A title</title><p>Text")).await;
    let page = reader(&server).read(server.url("/")).await.unwrap();
    let expected = serde_json::json!({"Url": server.url("/"), "Title": "A title", "Text": "Text"});
    let mut written = serde_json::to_value(&page).unwrap();
    written.as_object_mut().unwrap().remove("Excerpt");
    assert_eq!(written, expected);
}
