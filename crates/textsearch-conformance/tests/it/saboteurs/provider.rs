//! The library's service: how it answers, and its capabilities.

use textsearch_conformance::{
    Capabilities, Document, Endpoint, RecordedRequest, Response,
    core::{
        Filter,
        serde_json::{Value, json},
    },
};

pub(super) const PAGE: usize = 10;
pub(super) const MAXIMUM: usize = 100;

/// Pages count from 0. Names and texts are HTML.
pub(super) fn answer(request: &RecordedRequest, documents: &[Document]) -> Response {
    assert_eq!(request.path, "/search");
    let key = request.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    assert_eq!(key, Some(Endpoint::KEY));
    let page = documents.iter().skip(request.number("page", 0) * PAGE).take(PAGE);
    let hits = page.map(|document| {
        json!({ "name": document.name, "text": document.text, "link": document.link, "published": document.published })
    });
    Response::json(&json!({ "total": documents.len(), "hits": hits.collect::<Vec<Value>>() }))
}

/// Wraps texts in a tag that is also a mark.
pub(super) fn answer_in_tags(request: &RecordedRequest, documents: &[Document]) -> Response {
    let wrapped = documents.iter().cloned().map(|mut document| {
        document.text = format!("<em>{}</em>", document.text);
        document
    });
    answer(request, &wrapped.collect::<Vec<_>>())
}

pub(super) fn error_answer(status: u16, message: &str) -> Response {
    Response::json(&json!({ "error": { "code": status, "message": message } })).with_status(status)
}

pub(super) fn capabilities() -> Capabilities {
    capabilities_but_three()
        .with_max_results(MAXIMUM)
        .with_query_operators(&["OR", "AND", "NOT", "-", "+", "|", "(", "site:", "title:"])
        .with_error_answer(error_answer)
}

/// Forgets what most connectors must declare.
pub(super) fn capabilities_but_three() -> Capabilities {
    let parameter = |name: &'static str, value: &'static str| {
        move |request: &RecordedRequest| request.all(name) == [value]
    };
    let parameter_or_part = |name: &'static str, value: &'static str| {
        let part = format!("{name}:{value}");
        move |request: &RecordedRequest| {
            let joined = request.parameter("filter").unwrap_or_default();
            request.all(name) == [value] || joined.split(',').any(|other| other == part)
        }
    };
    let word = |word: &'static str| {
        let word = format!(" {word} ");
        move |request: &RecordedRequest| {
            let query = request.parameter("q").unwrap_or_default();
            format!(" {query} ").contains(&word)
        }
    };
    Capabilities::default()
        .with_total_count()
        .with_published()
        .with_site_field("site")
        .with_approximate_field("title")
        .with_marks("<em>", "</em>")
        .with_filter(Filter::eq("tenant", "a"), parameter("tenant", "a"))
        .with_filter(Filter::ne("tenant", "b"), parameter("not_tenant", "b"))
        .with_filter(Filter::is_in("tenant", ["a", "b"]), |request| {
            request.all("tenant") == ["a", "b"]
        })
        .with_filter(Filter::contains("title", "two words"), word("title:\"two words\""))
        .with_filter(!Filter::contains("title", "draft"), word("-title:draft"))
        .with_filter(Filter::eq("site", "example.com"), word("site:example.com"))
        .with_filter(Filter::eq("kind", "book"), parameter("kind", "book"))
        .with_filter(Filter::ge("published", "2025-01-01"), parameter_or_part("from", "2025-01-01"))
        .with_filter(Filter::le("published", "2025-01-31"), parameter_or_part("to", "2025-01-31"))
        .with_filter(
            Filter::ge("changed", "2025-03-31T08:00:00Z"),
            parameter("since", "2025-03-31T08:00:00Z"),
        )
        .with_filter(
            Filter::le("changed", "2025-03-31T08:00:00Z"),
            parameter("until", "2025-03-31T08:00:00Z"),
        )
        .with_filter(Filter::eq("author", "Ada"), parameter_or_part("author", "Ada"))
        .with_filter(Filter::starts_with("author", "A"), parameter_or_part("author_prefix", "A"))
        .with_filter(Filter::eq("namespace", 4), parameter("ns", "4"))
}
