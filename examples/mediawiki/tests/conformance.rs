//! The conformance suite.

use textsearch_conformance::{
    Capabilities, Document, RecordedRequest, Response,
    core::{
        Filter,
        serde_json::{Value, json},
    },
};
use textsearch_mediawiki::{MediaWikiConfig, MediaWikiTextSearch};

fn answer(request: &RecordedRequest, documents: &[Document]) -> Response {
    let offset = request.number("sroffset", 0);
    let limit = request.number("srlimit", 10).min(50);
    let found = documents.iter().skip(offset).take(limit);
    let found = found.map(|one| json!({ "title": one.name, "snippet": one.text, "timestamp": one.published }));
    let mut body = json!({ "query": {
        "searchinfo": { "totalhits": documents.len() },
        "search": found.collect::<Vec<Value>>(),
    }});
    if offset + limit < documents.len() {
        body["continue"] = json!({ "sroffset": offset + limit, "continue": "-||" });
    }
    Response::json(&body)
}

fn error_answer(status: u16, message: &str) -> Response {
    let code = if status == 429 { "ratelimited" } else { "badvalue" };
    Response::json(&json!({ "error": { "code": code, "info": message } }))
        .with_status(status)
        .with_header("MediaWiki-API-Error", code)
}

textsearch_conformance::suite!(
    |endpoint| {
        let mut config = MediaWikiConfig::new("conformance/1.0").with_endpoint(endpoint.base());
        config.connection.api_key = endpoint.key().into();
        MediaWikiTextSearch::new(config.with_http_settings(endpoint.http_settings().clone()))
    },
    answer,
    Capabilities::default()
        .with_max_results(10_000)
        .with_estimated_count()
        .with_published()
        .with_made_links()
        .with_marks("<span class=\"searchmatch\">", "</span>")
        .with_plain_names()
        .with_query_operators(&[
            "OR",
            "AND",
            "NOT",
            "-",
            "!",
            "intitle:",
            "insource:",
            "talk:",
            "all:"
        ])
        .with_error_answer(error_answer)
        .with_filter(Filter::eq("namespace", 14), |request| request.all("srnamespace") == ["14"])
        .with_filter(Filter::is_in("namespace", [0, 4]), |request| {
            request.all("srnamespace") == ["0|4"]
        }),
);
