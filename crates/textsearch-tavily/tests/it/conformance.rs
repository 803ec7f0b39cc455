use serde_json::{Value, json};
use textsearch_conformance::{Capabilities, Document, RecordedRequest, Response};
use textsearch_tavily::{Filter, TavilyConfig, TavilyTextSearch};

/// Best first. Tavily has no pages.
fn answer(request: &RecordedRequest, documents: &[Document]) -> Response {
    let body = request.json();
    let wanted = body["max_results"].as_u64().unwrap_or(5);
    if wanted > 20 || request.header("authorization").is_none() {
        return Response::json(&json!({ "detail": { "error": "refused" } })).with_status(400);
    }
    let results: Vec<Value> = documents
        .iter()
        .take(usize::try_from(wanted).unwrap())
        .map(|one| json!({ "title": one.name, "url": one.link, "content": one.text, "score": 0.5 }))
        .collect();
    let query = &body["query"];
    Response::json(&json!({ "query": query, "results": results, "response_time": 0.1 }))
}

fn capabilities() -> Capabilities {
    let filters = [
        Filter::eq("site", "example.com"),
        Filter::ne("site", "example.org"),
        Filter::is_in("site", ["example.com", "example.org"]),
        Filter::ge("published", "2025-01-01").and(Filter::le("published", "2025-03-31")),
        Filter::eq("time_range", "week"),
        Filter::eq("topic", "news"),
    ];
    let with_all =
        Capabilities::default().with_max_results(20).without_pages().with_site_field("site");
    filters.into_iter().fold(with_all, Capabilities::with_filter)
}

textsearch_conformance::suite!(
    |endpoint| {
        let config = TavilyConfig::new(endpoint.key()).with_endpoint(endpoint.base());
        TavilyTextSearch::new(config.with_http_settings(endpoint.http_settings().clone()))
    },
    answer,
    capabilities(),
);
