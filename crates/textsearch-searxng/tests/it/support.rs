use textsearch_conformance::{Replay, Response};
use textsearch_core::{
    SearchOptions, TextSearchConnector,
    http::Url,
    serde_json::{Value, json},
};
use textsearch_searxng::{SearxngConfig, SearxngResult, SearxngTextSearch};

/// Answers later pages with none.
pub(crate) fn instance_with(results: Value) -> Replay {
    Replay::scripted(move |request| {
        let is_first = request.parameter("pageno") == Some("1");
        let results = if is_first { results.clone() } else { json!([]) };
        Response::json(&json!({ "results": results, "number_of_results": 7 }))
    })
}

pub(crate) fn search(config: SearxngConfig, instance: &Replay) -> SearxngTextSearch {
    SearxngTextSearch::new(config).unwrap().with_http_client(instance.client("searxng"))
}

pub(crate) async fn results(
    instance: &Replay,
    query: &str,
    options: &SearchOptions,
) -> Vec<SearxngResult> {
    let results = search(config(), instance).records(query, options).await.unwrap();
    results.into_vec().await.unwrap()
}

pub(crate) fn config() -> SearxngConfig {
    SearxngConfig::new("http://search.example")
}

pub(crate) fn page(url: &str, engine: &str) -> Value {
    let host = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
    json!({ "url": url, "title": host, "content": "…", "engine": engine, "engines": [engine] })
}

pub(crate) fn urls(results: &[SearxngResult]) -> Vec<&str> {
    results.iter().filter_map(|result| result.url.as_deref()).collect()
}
