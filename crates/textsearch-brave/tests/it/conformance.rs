use serde_json::{Value, json};
use textsearch_brave::{BraveConfig, BraveTextSearch, Filter};
use textsearch_conformance::{Capabilities, Document, RecordedRequest, Response};

/// Serves pages of `count` results, skips `offset` pages, and has no eleventh page.
fn answer(request: &RecordedRequest, documents: &[Document]) -> Response {
    let (count, offset) = (request.number("count", 20), request.number("offset", 0));
    if count > 20 || offset > 9 || request.header("x-subscription-token").is_none() {
        return Response::json(&json!({ "error": { "code": "VALIDATION" } })).with_status(422);
    }
    let start = count * offset;
    let page = documents.iter().skip(start).take(count);
    let results: Vec<Value> = page
        .map(|one| json!({ "title": one.name, "url": one.link, "description": one.text }))
        .collect();
    let more = start + results.len() < documents.len();
    let query = json!({ "original": request.parameter("q"), "more_results_available": more });
    Response::json(&json!({ "type": "search", "query": query, "web": { "results": results } }))
}

fn capabilities() -> Capabilities {
    let filters = [
        Filter::eq("site", "example.com"),
        Filter::ne("site", "example.org"),
        Filter::is_in("site", ["example.com", "example.org"]),
        Filter::eq("filetype", "pdf"),
        Filter::eq("language", "en"),
        Filter::eq("location", "us"),
        Filter::contains("intitle", "two words"),
        Filter::contains("inbody", "document").negate(),
        Filter::contains("inpage", "document"),
        Filter::ge("published", "2025-01-01").and(Filter::le("published", "2025-03-31")),
        Filter::eq("freshness", "pw"),
        Filter::eq("country", "DE"),
        Filter::eq("search_lang", "de"),
        Filter::eq("safesearch", "strict"),
    ];
    let with_all = Capabilities::default().with_max_results(200).with_site_field("site");
    filters.into_iter().fold(with_all, Capabilities::with_filter)
}

textsearch_conformance::suite!(
    |endpoint| {
        let config = BraveConfig::new(endpoint.key()).with_endpoint(endpoint.base());
        BraveTextSearch::new(config.with_http_settings(endpoint.http_settings().clone()))
    },
    answer,
    capabilities(),
);
