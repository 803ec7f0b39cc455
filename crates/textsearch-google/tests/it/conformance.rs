use serde_json::{Value, json};
use textsearch_conformance::{Capabilities, Document, RecordedRequest, Response};
use textsearch_google::{Filter, GoogleConfig, GoogleTextSearch};

/// Rejects the same requests as the service and counts from 1.
fn answer(request: &RecordedRequest, documents: &[Document]) -> Response {
    let start = request.number("start", 1);
    let count = request.number("num", 10);
    let is_right = (1..=10).contains(&count) && start >= 1 && start + count <= 101;
    let is_known = request.parameter("cx") == Some("engine-1");
    if !is_right || !is_known || request.header("X-Goog-Api-Key").is_none() {
        let error =
            json!({ "code": 400, "message": "Invalid Value", "status": "INVALID_ARGUMENT" });
        return Response::json(&json!({ "error": error })).with_status(400);
    }
    let page = documents.iter().skip(start - 1).take(count);
    let item = |document: &Document| {
        let tags = json!([{ "date": document.published }]);
        json!({ "title": document.name, "snippet": document.text, "link": document.link, "pagemap": { "metatags": tags } })
    };
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
    let words = [
        ("excludeTerms", "two words \"OR\" \"-more\""),
        ("orTerms", "two words \"OR\" \"-more\""),
        ("hq", "two words \"OR\" \"-more\""),
    ];
    let others = [
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
    let capabilities = Capabilities::default()
        .with_estimated_count()
        .with_published()
        .with_max_results(100)
        .with_site_field("site")
        .with_approximate_field("exactTerms")
        .with_filter(
            Filter::contains("exactTerms", hostile),
            is("exactTerms", "two words OR -more"),
        )
        .with_query_operators(&[
            "OR", "AND", "AROUND", "-", "+", "|", "(", "..", "site:", "intitle:",
        ])
        .with_error_answer(|code, message| {
            let error = json!({ "code": code, "message": message, "errors": [], "status": "X" });
            Response::json(&json!({ "error": error })).with_status(code)
        })
        .with_filter(Filter::eq("site", "example.com"), |request| {
            is("siteSearch", "example.com")(request) && is("siteSearchFilter", "i")(request)
        })
        .with_filter(Filter::ne("site", "example.org"), |request| {
            is("siteSearch", "example.org")(request) && is("siteSearchFilter", "e")(request)
        })
        .with_filter(Filter::eq("lowRange", "1").and(Filter::eq("highRange", "9.5")), |request| {
            is("lowRange", "1")(request) && is("highRange", "9.5")(request)
        })
        .with_filter(Filter::is_in("lr", ["lang_en", "lang_de"]), is("lr", "lang_en|lang_de"));
    let capabilities = words.into_iter().fold(capabilities, |capabilities, (field, sent)| {
        capabilities.with_filter(Filter::eq(field, hostile), is(field, sent))
    });
    others.into_iter().fold(capabilities, |capabilities, (field, value)| {
        capabilities.with_filter(Filter::eq(field, value), is(field, value))
    })
}

fn is(name: &'static str, value: &'static str) -> impl Fn(&RecordedRequest) -> bool {
    move |request| request.all(name) == [value]
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
