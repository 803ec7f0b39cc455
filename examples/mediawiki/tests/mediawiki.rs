//! Requests, links, and errors with status 200.

use textsearch_conformance::{
    Response, Server,
    core::{
        ErrorKind, Filter, SearchOptions, TextSearchConnector, http::HttpSettings, serde_json::json,
    },
};
use textsearch_mediawiki::{MediaWikiConfig, MediaWikiTextSearch};

fn search(server: &Server) -> MediaWikiTextSearch {
    at(server.url().as_str())
}

fn at(endpoint: &str) -> MediaWikiTextSearch {
    let http = HttpSettings::default().with_proxy(false).with_max_attempts(2);
    let http =
        http.with_backoff(std::time::Duration::from_millis(1), std::time::Duration::from_millis(2));
    let config = MediaWikiConfig::new("my-bot/1.0 (me@example.com)");
    MediaWikiTextSearch::new(config.with_endpoint(endpoint).with_http_settings(http)).unwrap()
}

fn found() -> Response {
    let page = json!({
        "ns": 0, "title": "Rust (programming language)?/50 %", "timestamp": "2025-03-31T08:00:00Z",
        "snippet": "<span class=\"searchmatch\">Rust</span> &amp; its &lt;b&gt; traits",
    });
    Response::json(
        &json!({ "batchcomplete": true, "query": { "searchinfo": { "totalhits": 1 }, "search": [page] } }),
    )
}

fn fault(code: &str) -> Response {
    let body = json!({ "error": { "code": code, "info": "Please wait" } });
    Response::json(&body).with_header("MediaWiki-API-Error", code)
}

#[tokio::test]
async fn a_request_has_all_parameters_and_the_user_agent() {
    let server = Server::of([found()]).await;
    let options =
        SearchOptions::top(5).with_skip(2).with_filter(Filter::is_in("namespace", [0, 4]));
    search(&server).records("talk:rust -go", &options).await.unwrap();
    let request = &server.requests()[0];
    let expected = [
        ("action", "query"),
        ("list", "search"),
        ("format", "json"),
        ("formatversion", "2"),
        ("maxlag", "5"),
        ("srnamespace", "0|4"),
        ("srsearch", "talk rust go"),
        ("srlimit", "7"),
        ("sroffset", "0"),
    ];
    let sent: Vec<(&str, &str)> =
        request.parameters.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(sent, expected);
    assert_eq!(request.url.path(), "/w/api.php");
    assert_eq!(request.header("user-agent"), Some("my-bot/1.0 (me@example.com)"));
}

#[tokio::test]
async fn links_come_from_titles_and_snippets_lose_marks() {
    let server = Server::of([found()]).await;
    let pages = search(&server).records("rust", &SearchOptions::top(1)).await.unwrap();
    let page = pages.into_vec().await.unwrap().remove(0);
    let link = server.url().join("/wiki/Rust_(programming_language)%3F/50_%25").unwrap();
    assert_eq!(page.url.as_deref(), Some(link.as_str()));
    assert_eq!(page.snippet, "Rust & its <b> traits");
}

#[tokio::test]
async fn links_have_no_password() {
    let server = Server::of([found()]).await;
    let endpoint = server.url().as_str().replace("://", "://me:rosebud@");
    let pages = at(&endpoint).records("rust", &SearchOptions::top(1)).await.unwrap();
    let link = pages.into_vec().await.unwrap().remove(0).url.unwrap();
    assert!(link.starts_with(server.url().join("/wiki/").unwrap().as_str()), "{link}");
}

#[tokio::test]
async fn a_short_page_does_not_move_the_next_one() {
    let page = |title: &str| {
        Response::json(&json!({
            "continue": { "sroffset": 50 },
            "query": { "searchinfo": {}, "search": [{ "title": title, "snippet": "" }] },
        }))
    };
    let server = Server::of([page("A"), page("B")]).await;
    let pages = search(&server).records("rust", &SearchOptions::top(60)).await.unwrap();
    pages.window(0, 2).into_vec().await.unwrap();
    let offset = ("sroffset".to_owned(), "50".to_owned());
    assert!(server.requests()[1].parameters.contains(&offset));
}

#[tokio::test]
async fn conditions_on_the_namespace_intersect_or_are_refused() {
    let server = Server::of([found()]).await;
    let search = search(&server);
    let only = |filter: Filter| SearchOptions::top(1).with_filter(filter);
    let none = only(Filter::eq("namespace", 0).and(Filter::eq("namespace", 4)));
    assert!(search.records("rust", &none).await.unwrap().into_vec().await.unwrap().is_empty());
    for filter in
        [Filter::lt("namespace", 4), !Filter::eq("namespace", 4), Filter::eq("namespace", 16)]
    {
        let error = search.records("rust", &only(filter.clone())).await.unwrap_err();
        let is_refused = matches!(
            error.kind(),
            ErrorKind::UnsupportedFilter { .. } | ErrorKind::InvalidOptions { .. }
        );
        assert!(is_refused, "{filter}: {error:?}");
    }
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test]
async fn errors_with_status_200_have_kinds_and_retries() {
    for (code, kind, requests) in [
        ("ratelimited", "rate_limited", 2),
        ("maxlag", "unavailable", 2),
        ("readapidenied", "authentication", 1),
        ("badvalue", "unexpected_status", 1),
    ] {
        let server = Server::of([fault(code), fault(code)]).await;
        let error = search(&server).records("rust", &SearchOptions::top(1)).await.unwrap_err();
        assert_eq!((error.kind().name(), server.requests().len()), (kind, requests), "{code}");
        assert!(
            error.message().ends_with(&format!("answered 200 OK ({code}): Please wait")),
            "{error}"
        );
    }
}
