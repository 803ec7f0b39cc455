//! The contract of connectors.

use textsearch_conformance::{
    Capabilities, Document, RecordedRequest, Response,
    core::{
        Filter,
        serde_json::{Value, json},
    },
};
use {{crate_name}}::{
    {{type_name}}Config, {{type_name}}TextSearch,
};

/// Answers as {{type_name}} would if it held `documents`.
fn answer(request: &RecordedRequest, documents: &[Document]) -> Response {
    let offset = request.number("offset", 0);
    let count = request.number("count", 20);
    let page = documents.iter().skip(offset).take(count.min(20));
    let result = |one: &Document| json!({ "title": one.name, "snippet": one.text, "url": one.link });
    Response::json(&json!({ "results": page.map(result).collect::<Vec<Value>>() }))
}

textsearch_conformance::suite!(
    |endpoint| {
        let config = {{type_name}}Config::new({% if has_key %}endpoint.key(){% endif %}).with_endpoint(endpoint.base());
        {{type_name}}TextSearch::new(config.with_http_settings(endpoint.http_settings().clone()))
    },
    answer,
    Capabilities::default()
{%- unless has_key %}
        .without_key()
{%- endunless %}
        .with_max_results(1_000)
        .with_query_operators(&["OR", "-", "site:"])
        .with_error_answer(|status, message| Response::json(&json!({ "message": message })).with_status(status))
        .with_filter(Filter::eq("language", "de"), |request| request.all("lang") == ["de"]),
);
