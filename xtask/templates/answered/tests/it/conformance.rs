//! The generated file as its author completes it, for a provider with the template's format.

use textsearch_acme::{AcmeConfig, AcmeTextSearch};
use textsearch_conformance::{
    Capabilities, Document, RecordedRequest, Response,
    core::serde_json::{Value, json},
};

fn answer(request: &RecordedRequest, documents: &[Document]) -> Response {
    assert_eq!(request.path, "/v1/search");
    let (offset, count) = (request.number("offset", 0), request.number("count", 20));
    let page = documents.iter().skip(offset).take(count.min(20));
    let result = |found: &Document| json!({ "title": found.name, "snippet": found.text, "url": found.link });
    let results: Vec<Value> = page.map(result).collect();
    Response::json(&json!({ "took": 12, "results": results }))
}

textsearch_conformance::suite!(
    |endpoint| {
        let address = format!("{}/v1/search", endpoint.base());
        let config = AcmeConfig::new(endpoint.key()).with_endpoint(address);
        let client = endpoint.http_client("acme");
        AcmeTextSearch::new(config).map(|search| search.with_http_client(client))
    },
    answer,
    Capabilities::default().with_error_answer(|status, message| {
        Response::json(&json!({ "message": message })).with_status(status)
    }),
);
