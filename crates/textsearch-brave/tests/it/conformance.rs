use serde_json::{Value, json};
use textsearch_brave::{BraveConfig, BraveTextSearch, Filter};
use textsearch_conformance::{Capabilities, Document, RecordedRequest, Response};

/// Serves pages of `count` results, skips `offset` pages, and has no eleventh page.
fn answer(request: &RecordedRequest, documents: &[Document]) -> Response {
    let count = request.number("count", 20);
    let offset = request.number("offset", 0);
    if count > 20 || offset > 9 || request.header("x-subscription-token").is_none() {
        return Response::json(&json!({ "error": { "code": "VALIDATION" } })).with_status(422);
    }
    let start = count * offset;
    let page = documents.iter().skip(start).take(count);
    let results: Vec<Value> = page
        .map(|document| json!({ "title": document.name, "url": document.link, "description": document.text, "page_age": document.published }))
        .collect();
    let more = start + results.len() < documents.len();
    let query = json!({ "original": request.parameter("q"), "more_results_available": more });
    Response::json(&json!({ "type": "search", "query": query, "web": { "results": results } }))
}

fn capabilities() -> Capabilities {
    Capabilities::default()
        .with_max_results(200)
        .with_published()
        .with_site_field("site")
        .with_approximate_field("intitle")
        .with_approximate_field("inbody")
        .with_approximate_field("inpage")
        .with_query_operators(&[
            "OR", "AND", "NOT", "-", "+", "|", "(", "site:", "intitle:", "lang:",
        ])
        .with_marks("<strong>", "</strong>")
        .with_error_answer(|status, message| {
            let error = json!({ "code": "X", "detail": message, "status": status });
            Response::json(&json!({ "type": "ErrorResponse", "error": error })).with_status(status)
        })
        .with_filter(Filter::eq("site", "example.com"), has(" site:example.com "))
        .with_filter(Filter::ne("site", "example.org"), has(" -site:example.org "))
        .with_filter(
            Filter::is_in("site", ["example.com", "example.org"]),
            has(" (site:example.com OR site:example.org) "),
        )
        .with_filter(Filter::eq("filetype", "pdf"), has(" filetype:pdf "))
        .with_filter(Filter::eq("language", "en"), has(" lang:en "))
        .with_filter(Filter::eq("location", "us"), has(" loc:us "))
        .with_filter(Filter::contains("intitle", "two words"), has(" intitle:\"two words\" "))
        .with_filter(!Filter::contains("inbody", "document"), has(" -inbody:document "))
        .with_filter(Filter::contains("inpage", "document"), has(" inpage:document "))
        .with_filter(
            Filter::ge("published", "2025-01-01").and(Filter::le("published", "2025-03-31")),
            is("freshness", "2025-01-01to2025-03-31"),
        )
        .with_filter(Filter::eq("freshness", "pw"), is("freshness", "pw"))
        .with_filter(Filter::eq("country", "DE"), is("country", "DE"))
        .with_filter(Filter::eq("search_lang", "de"), is("search_lang", "de"))
        .with_filter(Filter::eq("safesearch", "strict"), is("safesearch", "strict"))
}

fn is(name: &'static str, value: &'static str) -> impl Fn(&RecordedRequest) -> bool {
    move |request| request.all(name) == [value]
}

/// Whether the query has the words.
fn has(words: &'static str) -> impl Fn(&RecordedRequest) -> bool {
    move |request| {
        let query = request.parameter("q").unwrap_or_default();
        format!(" {query} ").contains(words)
    }
}

textsearch_conformance::suite!(
    |endpoint| {
        let config = BraveConfig::new(endpoint.key()).with_endpoint(endpoint.base());
        BraveTextSearch::new(config.with_http_settings(endpoint.http_settings().clone()))
    },
    answer,
    capabilities(),
);
