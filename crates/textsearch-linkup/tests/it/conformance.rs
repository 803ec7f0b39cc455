use serde_json::{Value, json};
use textsearch_conformance::{Capabilities, Document, RecordedRequest, Response};
use textsearch_linkup::{Filter, LinkupConfig, LinkupTextSearch};

/// Best first. Linkup has no pages.
fn answer(request: &RecordedRequest, documents: &[Document]) -> Response {
    let body = request.json();
    if request.header("authorization").is_none() || body["outputType"] != "searchResults" {
        return Response::json(&json!({ "error": { "message": "refused" } })).with_status(400);
    }
    let count = usize::try_from(body["maxResults"].as_u64().unwrap_or(10)).unwrap();
    let results: Vec<Value> = documents
        .iter()
        .take(count)
        .map(|document| json!({ "type": "text", "name": document.name, "url": document.link, "content": document.text }))
        .collect();
    Response::json(&json!({ "results": results }))
}

fn capabilities() -> Capabilities {
    let days = Filter::ge("published", "2025-01-01").and(Filter::le("published", "2025-03-31"));
    Capabilities::default()
        .without_pages()
        .with_site_field("site")
        .with_query_operators(&["OR", "AND", "NOT", "-", "+", "|", "(", "site:"])
        .with_error_answer(|status, message| {
            let error = json!({ "code": "SOME_CODE", "message": message, "details": [] });
            Response::json(&json!({ "statusCode": status, "error": error })).with_status(status)
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
            body["fromDate"] == "2025-01-01" && body["toDate"] == "2025-03-31"
        })
}

textsearch_conformance::suite!(
    |endpoint| {
        let config = LinkupConfig::new(endpoint.key()).with_endpoint(endpoint.base());
        LinkupTextSearch::new(config.with_http_settings(endpoint.http_settings().clone()))
    },
    answer,
    capabilities(),
);
