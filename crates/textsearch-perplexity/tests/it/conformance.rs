use serde_json::{Value, json};
use textsearch_conformance::{Capabilities, Document, RecordedRequest, Response};
use textsearch_perplexity::{Filter, PerplexityConfig, PerplexityTextSearch};

/// Best first. Perplexity has no pages.
fn answer(request: &RecordedRequest, documents: &[Document]) -> Response {
    let count = request.json()["max_results"].as_u64().unwrap_or(10);
    if count > 20 || request.header("authorization").is_none() {
        return Response::json(&json!({ "error": { "message": "refused" } })).with_status(400);
    }
    let documents = documents.iter().take(usize::try_from(count).unwrap());
    let results: Vec<Value> = documents
        .map(|document| json!({ "title": document.name, "url": document.link, "snippet": document.text, "date": document.published }))
        .collect();
    Response::json(&json!({ "id": "1", "results": results }))
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
            let error = json!({ "message": message, "type": "error", "code": status });
            Response::json(&json!({ "error": error })).with_status(status)
        })
        .with_filter(Filter::eq("site", "example.com"), |request| {
            request.json()["search_domain_filter"] == json!(["example.com"])
        })
        .with_filter(Filter::ne("site", "example.org"), |request| {
            request.json()["search_domain_filter"] == json!(["-example.org"])
        })
        .with_filter(Filter::is_in("site", ["example.com", "example.org"]), |request| {
            request.json()["search_domain_filter"] == json!(["example.com", "example.org"])
        })
        .with_filter(days, |request| {
            let body = request.json();
            body["search_after_date_filter"] == "01/01/2025"
                && body["search_before_date_filter"] == "03/31/2025"
        })
        .with_filter(Filter::is_in("language", ["de", "en"]), |request| {
            request.json()["search_language_filter"] == json!(["de", "en"])
        })
        .with_filter(Filter::eq("time_range", "week"), |request| {
            request.json()["search_recency_filter"] == "week"
        })
}

textsearch_conformance::suite!(
    |endpoint| {
        let config = PerplexityConfig::new(endpoint.key()).with_endpoint(endpoint.base());
        PerplexityTextSearch::new(config.with_http_settings(endpoint.http_settings().clone()))
    },
    answer,
    capabilities(),
);
