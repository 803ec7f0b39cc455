//! The conformance suite.

use textsearch_conformance::{
    Capabilities, Document, RecordedRequest, Response,
    core::{
        Filter, TextSearchConnector, TextSearchRecord,
        serde_json::{Value, json},
    },
};
use textsearch_mediawiki::{MediaWikiConfig, MediaWikiTextSearch, WikiPage};

/// The connector makes links from titles, so a document's link is its title.
fn answer(request: &RecordedRequest, documents: &[Document]) -> Response {
    let (offset, limit) = (request.number("sroffset", 0), request.number("srlimit", 10).min(50));
    let found = documents.iter().skip(offset).take(limit);
    let found = found.map(|one| json!({ "title": one.link, "snippet": one.text }));
    let mut body = json!({ "query": {
        "searchinfo": { "totalhits": documents.len() },
        "search": found.collect::<Vec<Value>>(),
    }});
    if offset + limit < documents.len() {
        body["continue"] = json!({ "sroffset": offset + limit, "continue": "-||" });
    }
    Response::json(&body)
}

fn with_titles_as_links(page: &WikiPage) -> textsearch_conformance::core::TextSearchResult {
    let mut result = page.to_result();
    result.link = result.link.and(Some(page.title.clone()));
    result
}

textsearch_conformance::suite!(
    |endpoint| {
        let mut config = MediaWikiConfig::new("conformance/1.0").with_endpoint(endpoint.base());
        config.connection.api_key = endpoint.key().into();
        let config = config.with_http_settings(endpoint.http_settings().clone());
        Ok(MediaWikiTextSearch::new(config)?.with_result(with_titles_as_links))
    },
    answer,
    Capabilities::default()
        .with_max_results(10_000)
        .with_total_count()
        .with_filter(Filter::eq("namespace", 14))
        .with_filter(Filter::is_in("namespace", [0, 4])),
);
