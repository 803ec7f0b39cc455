use serde_json::{Value, json};
use textsearch_conformance::{Capabilities, Document, RecordedRequest, Response};
use textsearch_tavily::{Filter, TavilyConfig, TavilyTextSearch};

/// Best first. Tavily has no pages.
fn answer(request: &RecordedRequest, documents: &[Document]) -> Response {
    let body = request.json();
    let count = body["max_results"].as_u64().unwrap_or(5);
    if count > 20 || request.header("authorization").is_none() {
        return Response::json(&json!({ "detail": { "error": "refused" } })).with_status(400);
    }
    let results: Vec<Value> = documents
        .iter()
        .take(usize::try_from(count).unwrap())
        .map(|document| json!({ "title": document.name, "url": document.link, "content": document.text, "published_date": document.published }))
        .collect();
    let query = &body["query"];
    Response::json(&json!({ "query": query, "results": results, "response_time": 0.1 }))
}

fn capabilities() -> Capabilities {
    let days = Filter::ge("published", "2025-01-01").and(Filter::le("published", "2025-03-31"));
    Capabilities::default()
        .with_max_results(20)
        .without_pages()
        .with_published()
        .with_site_field("site")
        .with_query_operators(&["OR", "AND", "NOT", "-", "+", "|", "(", "site:"])
        .with_error_answer(|status, message| {
            Response::json(&json!({ "detail": { "error": message } })).with_status(status)
        })
        .with_filter(Filter::eq("site", "example.com"), |request| {
            request.json()["include_domains"] == json!(["example.com"])
        })
        .with_filter(Filter::ne("site", "example.org"), |request| {
            request.json()["exclude_domains"] == json!(["example.org"])
        })
        .with_filter(Filter::is_in("site", ["example.com", "example.org"]), |request| {
            request.json()["include_domains"] == json!(["example.com", "example.org"])
        })
        .with_filter(days, |request| {
            let body = request.json();
            body["start_date"] == "2025-01-01" && body["end_date"] == "2025-03-31"
        })
        .with_filter(Filter::eq("time_range", "week"), |request| {
            request.json()["time_range"] == "week"
        })
        .with_filter(Filter::eq("topic", "news"), |request| request.json()["topic"] == "news")
}

textsearch_conformance::suite!(
    |endpoint| {
        let config = TavilyConfig::new(endpoint.key()).with_endpoint(endpoint.base());
        TavilyTextSearch::new(config.with_http_settings(endpoint.http_settings().clone()))
    },
    answer,
    capabilities(),
);
