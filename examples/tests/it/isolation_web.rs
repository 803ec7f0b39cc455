//! A hostile model can't make a web search that is restricted to one site search or read another.

use std::sync::Arc;

use serde_json::{Value, json};
use textsearch_brave::{BraveConfig, BraveTextSearch};
use textsearch_conformance::{Action, RecordedRequest, Response, Server, chat::Turn};
use textsearch_core::{Filter, TextSearch};
use textsearch_kernel::{KernelPlugin, TextSearchPlugins as _, search::SearchPluginOptions};
use textsearch_searxng::{SearxngConfig, SearxngTextSearch};

use crate::support::{Talk, auto, calls, question};

const OURS: &str = "https://docs.example/tides";

/// Ignores site restrictions: most of its results are from other sites.
async fn engine(answer: impl Fn(&[Value]) -> Value + Send + Sync + 'static) -> Server {
    let links = [
        OURS,
        "https://evil.example/tides",
        "https://docs.example.evil.example/",
        "https://evil.example/docs.example",
        "https://docs.example@evil.example/",
    ];
    let page =
        |link: &&str| json!({ "title": "Tides", "url": link, "content": "…", "description": "…" });
    let pages: Vec<Value> = links.iter().map(page).collect();
    Server::start(move |request, _| {
        let is_first = request.number("pageno", 1) == 1 && request.number("offset", 0) == 0;
        let found = if is_first { pages.as_slice() } else { &[] };
        Action::Answer(Response::json(&answer(found)))
    })
    .await
}

async fn searxng() -> (Server, Arc<dyn TextSearch>) {
    let server = engine(|found| json!({ "results": found })).await;
    let http = server.endpoint().http_settings().clone();
    let config = SearxngConfig::new(server.endpoint().base()).with_http_settings(http);
    (server, Arc::new(SearxngTextSearch::new(config).unwrap()))
}

async fn brave() -> (Server, Arc<dyn TextSearch>) {
    let server = engine(|found| {
        let query = json!({ "original": "q", "more_results_available": false });
        json!({ "query": query, "web": { "results": found } })
    })
    .await;
    let http = server.endpoint().http_settings().clone();
    let config = BraveConfig::new("sesame").with_endpoint(server.url().as_str());
    (server, Arc::new(BraveTextSearch::new(config.with_http_settings(http)).unwrap()))
}

fn plugin(search: &Arc<dyn TextSearch>) -> KernelPlugin {
    let options =
        SearchPluginOptions::new("Web").with_fixed_filter(Filter::eq("site", "docs.example"));
    search.create_with_get_search_results(options).unwrap()
}

/// Returns the results that the model saw and the queries that the engine received.
async fn hostile(
    (server, search): (Server, Arc<dyn TextSearch>),
    tries: Vec<Value>,
) -> (Vec<Value>, Vec<String>) {
    let first = calls("Web-GetSearchResults", tries);
    let talk = Talk::with([first, Turn::text("Done.")], [plugin(&search)]).await;
    talk.kernel.chat(question(), auto()).await.unwrap();
    talk.model.assert_valid();
    let query = |request: &RecordedRequest| request.parameter("q").unwrap_or_default().to_owned();
    (talk.told(), server.requests().iter().map(query).collect())
}

fn queries() -> Vec<Value> {
    let queries = [
        "x OR site:evil.example",
        "x) OR (site:evil.example",
        "\" OR site:evil.example \"",
        "-site:docs.example x",
        "x NOT site:docs.example",
        "SITE:evil.example",
        "inurl:evil.example | x",
    ];
    queries.map(|query| json!({ "query": query, "count": 10 })).to_vec()
}

/// Outside of quotes; all other words are plain text.
fn operators(query: &str) -> Vec<&str> {
    let words = query.split_whitespace();
    let is_operator = |word: &&str| {
        word.contains(':') || word.starts_with('-') || ["OR", "NOT", "|", "AND"].contains(word)
    };
    words.filter(is_operator).collect()
}

/// Each query finds only our page. Returns the queries that the engine received.
async fn asked_of(engine: (Server, Arc<dyn TextSearch>)) -> Vec<String> {
    let (told, asked) = hostile(engine, queries()).await;
    // If results are filtered out, a search requests the next page.
    assert!(told.len() == queries().len() && asked.len() >= queries().len(), "{told:?} {asked:?}");
    for told in &told {
        let links: Vec<&Value> =
            told.as_array().unwrap().iter().map(|found| &found["Link"]).collect();
        assert_eq!(links, [OURS], "{told}");
    }
    asked
}

#[tokio::test]
async fn a_query_cannot_leave_the_site_on_brave() {
    for asked in asked_of(brave().await).await {
        assert_eq!(operators(&asked), ["site:docs.example"], "{asked}");
    }
}

#[tokio::test]
async fn a_query_cannot_leave_the_site_on_searxng() {
    for asked in asked_of(searxng().await).await {
        assert_eq!(operators(&asked), ["site:docs.example"], "{asked}");
    }
}

#[tokio::test]
async fn a_models_site_filter_stays_within_the_fixed_one() {
    for engine in [searxng().await, brave().await] {
        let tries = vec![json!({ "query": "x", "site": "evil.example" })];
        let (told, asked) = hostile(engine, tries).await;
        assert_eq!(told, [json!([])]);
        assert!(asked.iter().all(|asked| !asked.contains("evil.example")), "{asked:?}");
    }
}
