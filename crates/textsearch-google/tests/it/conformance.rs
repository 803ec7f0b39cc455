use serde_json::{Value, json};
use textsearch_conformance::{Capabilities, Document, RecordedRequest, Response};
use textsearch_google::{Filter, GoogleConfig, GoogleTextSearch};

/// Rejects the same requests as the service and counts from 1.
fn answer(request: &RecordedRequest, documents: &[Document]) -> Response {
    let (start, count) = (request.number("start", 1), request.number("num", 10));
    let is_right = (1..=10).contains(&count) && start >= 1 && start + count <= 101;
    let is_known = request.parameter("cx") == Some("engine-1");
    if !is_right || !is_known || request.header("X-Goog-Api-Key").is_none() {
        let error =
            json!({ "code": 400, "message": "Invalid Value", "status": "INVALID_ARGUMENT" });
        return Response::json(&json!({ "error": error })).with_status(400);
    }
    let page = documents.iter().skip(start - 1).take(count);
    let item = |one: &Document| json!({ "title": one.name, "snippet": one.text, "link": one.link });
    let items: Vec<Value> = page.map(item).collect();
    let mut body = json!({
        "kind": "customsearch#search",
        "queries": { "request": [{ "startIndex": start, "count": count }] },
        "searchInformation": { "searchTime": 0.2, "totalResults": documents.len().to_string() },
    });
    if start + count <= documents.len() {
        body["queries"]["nextPage"] = json!([{ "startIndex": start + count, "count": count }]);
    }
    if !items.is_empty() {
        body["items"] = json!(items);
    }
    Response::json(&body)
}

fn capabilities() -> Capabilities {
    let hostile = "two \"words\" OR -more";
    let words = ["exactTerms", "excludeTerms", "orTerms", "hq"];
    let others = [
        ("site", "example.com"),
        ("fileType", "pdf"),
        ("dateRestrict", "m6"),
        ("gl", "de"),
        ("hl", "zh-CN"),
        ("lr", "lang_en"),
        ("cr", "countryDE"),
        ("rights", "cc_publicdomain"),
        ("linkSite", "example.com/page"),
        ("relatedSite", "example.com"),
        ("safe", "active"),
        ("sort", "date"),
    ];
    let filters = [
        Filter::eq("lowRange", "1").and(Filter::eq("highRange", "9.5")),
        Filter::ne("site", "example.org"),
        Filter::is_in("lr", ["lang_en", "lang_de"]),
    ];
    let words = words.map(|field| Filter::eq(field, hostile));
    let others = others.map(|(field, value)| Filter::eq(field, value));
    let all = filters.into_iter().chain(words).chain(others);
    let capabilities =
        Capabilities::default().with_total_count().with_max_results(100).with_site_field("site");
    all.fold(capabilities, Capabilities::with_filter)
}

textsearch_conformance::suite!(
    |endpoint| {
        let config = GoogleConfig::new(endpoint.key(), "engine-1")
            .with_endpoint(endpoint.url().as_str())
            .with_http_settings(endpoint.http_settings().clone());
        GoogleTextSearch::new(config)
    },
    answer,
    capabilities(),
);
