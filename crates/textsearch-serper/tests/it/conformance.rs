use serde_json::{Value, json};
use textsearch_conformance::{Capabilities, Document, RecordedRequest, Response};
use textsearch_serper::{Filter, SerperConfig, SerperTextSearch};

/// Pages of ten.
fn answer(request: &RecordedRequest, documents: &[Document]) -> Response {
    if request.header("x-api-key").is_none() {
        return Response::json(&json!({ "message": "Unauthorized.", "statusCode": 403 }))
            .with_status(403);
    }
    let page = usize::try_from(request.json()["page"].as_u64().unwrap_or(1)).unwrap();
    let results: Vec<Value> = documents
        .iter()
        .skip((page - 1) * 10)
        .take(10)
        .map(|document| json!({ "title": document.name, "link": document.link, "snippet": document.text }))
        .collect();
    Response::json(&json!({ "organic": results, "credits": 1 }))
}

fn has(words: &'static str) -> impl Fn(&RecordedRequest) -> bool {
    move |request| {
        let body = request.json();
        format!(" {} ", body["q"].as_str().unwrap_or_default()).contains(words)
    }
}

fn capabilities() -> Capabilities {
    let days = Filter::ge("published", "2025-01-01").and(Filter::le("published", "2025-03-31"));
    Capabilities::default()
        .with_max_results(100)
        .with_site_field("site")
        .with_query_operators(&["OR", "AND", "NOT", "-", "+", "|", "(", "site:"])
        .with_error_answer(|status, message| {
            Response::json(&json!({ "message": message, "statusCode": status })).with_status(status)
        })
        .with_filter(Filter::eq("site", "example.com"), has(" site:example.com "))
        .with_filter(Filter::ne("site", "example.org"), has(" -site:example.org "))
        .with_filter(
            Filter::is_in("site", ["example.com", "example.org"]),
            has(" (site:example.com OR site:example.org) "),
        )
        .with_filter(days, |request| {
            request.json()["tbs"] == "cdr:1,cd_min:01/01/2025,cd_max:03/31/2025"
        })
        .with_filter(Filter::eq("time_range", "week"), |request| request.json()["tbs"] == "qdr:w")
}

textsearch_conformance::suite!(
    |endpoint| {
        let config = SerperConfig::new(endpoint.key()).with_endpoint(endpoint.base());
        SerperTextSearch::new(config.with_http_settings(endpoint.http_settings().clone()))
    },
    answer,
    capabilities(),
);
