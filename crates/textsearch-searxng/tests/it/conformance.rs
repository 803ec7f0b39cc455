use textsearch_conformance::{
    Capabilities, Document, RecordedRequest, Response,
    core::{
        Filter,
        serde_json::{Value, json},
    },
};
use textsearch_searxng::{SearxngConfig, SearxngTextSearch};

const PAGE: usize = 10;

pub(crate) fn answer(request: &RecordedRequest, documents: &[Document]) -> Response {
    assert_eq!(request.path, "/search");
    assert_eq!(request.parameter("format"), Some("json"));
    let engine = request.parameter("engines").and_then(|names| names.split(',').next());
    let engine = engine.unwrap_or("duckduckgo");
    let start = (request.number("pageno", 1) - 1) * PAGE;
    let results =
        documents.iter().enumerate().skip(start).take(PAGE).map(|(position, document)| {
            json!({
                "url": document.link,
                "title": document.name,
                "content": document.text,
                "publishedDate": document.published,
                "engine": engine,
                "engines": [engine],
                "positions": [position + 1],
                "score": 1.0,
                "category": "general",
            })
        });
    Response::json(&json!({
        "query": request.parameter("q"),
        "number_of_results": documents.len(),
        "results": results.collect::<Vec<Value>>(),
        "answers": [],
        "corrections": [],
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": [],
    }))
}

fn is(name: &'static str, value: &'static str) -> impl Fn(&RecordedRequest) -> bool {
    move |request| request.all(name) == [value]
}

textsearch_conformance::suite!(
    |endpoint| {
        let config = SearxngConfig::new(endpoint.base()).with_authorization(endpoint.key());
        let client = endpoint.http_client("searxng");
        SearxngTextSearch::new(config).map(|search| search.with_http_client(client))
    },
    answer,
    Capabilities::default()
        .with_estimated_count()
        .with_published()
        .with_site_field("site")
        .with_query_operators(&["!", ":", "<", "-", "+", "OR", "AND", "NOT", "|", "(", "site:"])
        .with_marks("<span class=\"highlight\">", "</span>")
        .with_error_answer(|status, message| {
            Response::json(&json!({ "error": message })).with_status(status)
        })
        .with_filter(Filter::eq("site", "example.com"), |request| {
            let query = request.parameter("q").unwrap_or_default();
            query.split(' ').any(|word| word == "site:example.com")
        })
        .with_filter(Filter::eq("language", "de"), is("language", "de"))
        .with_filter(Filter::eq("time_range", "week"), is("time_range", "week"))
        .with_filter(Filter::eq("category", "news"), is("categories", "news"))
        .with_filter(
            Filter::is_in("engine", ["wikipedia", "brave"]),
            is("engines", "wikipedia,brave"),
        )
        .with_filter(Filter::eq("safesearch", 2), is("safesearch", "2"))
);
