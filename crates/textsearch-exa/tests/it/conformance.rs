use serde_json::{Value, json};
use textsearch_conformance::{Capabilities, Document, RecordedRequest, Response};
use textsearch_exa::{ExaConfig, ExaTextSearch, Filter};

/// Best first. Exa has no pages.
fn answer(request: &RecordedRequest, documents: &[Document]) -> Response {
    let count = request.json()["numResults"].as_u64().unwrap_or(10);
    if count > 100 || request.header("x-api-key").is_none() {
        return Response::json(&json!({ "error": "refused" })).with_status(400);
    }
    let documents = documents.iter().take(usize::try_from(count).unwrap());
    let results: Vec<Value> = documents
        .map(|document| json!({ "title": document.name, "url": document.link, "highlights": [document.text], "publishedDate": document.published }))
        .collect();
    Response::json(&json!({ "requestId": "1", "results": results }))
}

fn capabilities() -> Capabilities {
    let days = Filter::ge("published", "2025-01-01").and(Filter::le("published", "2025-03-31"));
    Capabilities::default()
        .with_max_results(100)
        .without_pages()
        .with_published()
        .with_site_field("site")
        .with_query_operators(&["OR", "AND", "NOT", "-", "+", "|", "(", "site:"])
        .with_error_answer(|status, message| {
            let error = json!({ "requestId": "1", "error": message, "tag": "SOME_TAG" });
            Response::json(&error).with_status(status)
        })
        .with_filter(Filter::eq("site", "example.com"), |request| {
            request.json()["includeDomains"] == json!(["example.com"])
        })
        .with_filter(Filter::ne("site", "example.org"), |request| {
            request.json()["excludeDomains"] == json!(["example.org"])
        })
        .with_filter(Filter::is_in("site", ["example.com", "example.org"]), |request| {
            request.json()["includeDomains"] == json!(["example.com", "example.org"])
        })
        .with_filter(days, |request| {
            let body = request.json();
            body["startPublishedDate"] == "2025-01-01T00:00:00.000Z"
                && body["endPublishedDate"] == "2025-03-31T23:59:59.999Z"
        })
        .with_filter(Filter::eq("category", "news"), |request| request.json()["category"] == "news")
}

textsearch_conformance::suite!(
    |endpoint| {
        let config = ExaConfig::new(endpoint.key()).with_endpoint(endpoint.base());
        ExaTextSearch::new(config.with_http_settings(endpoint.http_settings().clone()))
    },
    answer,
    capabilities(),
);
