use serde_json::{Value, json};
use textsearch_conformance::{Capabilities, Document, RecordedRequest, Response};

fn shared_capabilities() -> Capabilities {
    Capabilities::default()
        .with_estimated_count()
        .with_published()
        .with_site_field("site")
        .with_query_operators(&[
            "OR", "AND", "NOT", "NEAR", "-", "+", "|", "&", "(", "site:", "intitle:",
        ])
        .with_error_answer(|status, message| {
            let error = json!({ "code": "X", "message": message });
            let body = json!({ "_type": "ErrorResponse", "errors": [error] });
            Response::json(&body).with_status(status)
        })
}

fn with_phrases(capabilities: Capabilities) -> Capabilities {
    let fields = ["intitle", "inbody", "inanchor", "feed", "hasfeed"];
    fields.into_iter().fold(capabilities, |capabilities, field| {
        let filter = textsearch_bing::Filter::contains(field, "two \"words\" OR -more");
        let sent = format!(" {field}:\"two words OR -more\" ");
        capabilities.with_filter(filter, has(&sent)).with_approximate_field(field)
    })
}

fn is(name: &'static str, value: &'static str) -> impl Fn(&RecordedRequest) -> bool {
    move |request| request.all(name) == [value]
}

/// Whether the query has the words.
fn has(words: &str) -> impl Fn(&RecordedRequest) -> bool + use<> {
    let words = words.to_owned();
    move |request| {
        let query = request.parameter("q").unwrap_or_default();
        format!(" {query} ").contains(&words)
    }
}

fn asked<'a>(
    request: &RecordedRequest,
    documents: &'a [Document],
    largest: usize,
) -> impl Iterator<Item = &'a Document> {
    let count = request.number("count", 10);
    assert!((1..=largest).contains(&count), "count is {count}");
    assert!(request.header("Ocp-Apim-Subscription-Key").is_some(), "there is no key");
    documents.iter().skip(request.number("offset", 0)).take(count)
}

mod web {
    use textsearch_bing::{BingConfig, BingTextSearch, Filter};

    use super::*;

    fn answer(request: &RecordedRequest, documents: &[Document]) -> Response {
        let pages: Vec<Value> = asked(request, documents, 50)
            .map(|document| json!({ "name": document.name, "snippet": document.text, "url": document.link, "datePublished": document.published }))
            .collect();
        if pages.is_empty() {
            return Response::json(&json!({ "_type": "SearchResponse" }));
        }
        let total = documents.len();
        let pages = json!({ "totalEstimatedMatches": total, "value": pages });
        Response::json(&json!({ "_type": "SearchResponse", "webPages": pages }))
    }

    fn capabilities() -> Capabilities {
        let site = "example.com";
        let codes = ["language", "loc", "location", "filetype", "ext", "contains"];
        let capabilities = shared_capabilities()
            .with_filter(Filter::eq("site", site), has(" site:example.com "))
            .with_filter(
                Filter::is_in("domain", [site, "example.org"]),
                has(" (domain:example.com OR domain:example.org) "),
            )
            .with_filter(
                Filter::eq("url", "example.com/documents/1"),
                has(" url:example.com/documents/1 "),
            )
            .with_filter(Filter::ne("ip", "192.0.2.1"), has(" -ip:192.0.2.1 "))
            .with_filter(Filter::eq("mkt", "en-US"), is("mkt", "en-US"))
            .with_filter(Filter::eq("safeSearch", "Strict"), is("safeSearch", "Strict"))
            .with_filter(
                Filter::eq("freshness", "2025-07-01..2025-07-31"),
                is("freshness", "2025-07-01..2025-07-31"),
            )
            .with_filter(
                !Filter::eq("site", "example.org").or(Filter::eq("site", "example.net")),
                |request| {
                    let sent = has(" -site:example.org ");
                    sent(request) && has(" -site:example.net ")(request)
                },
            );
        let words = codes.map(|code| (code, "en"));
        let words = words.into_iter().chain([("prefer", "\"two words\"")]);
        let capabilities = words.fold(capabilities, |capabilities, (field, sent)| {
            let filter = Filter::eq(field, sent.replace('"', ""));
            capabilities.with_filter(filter, has(&format!(" {field}:{sent} ")))
        });
        with_phrases(capabilities)
    }

    textsearch_conformance::suite!(
        |endpoint| {
            let config = BingConfig::new(endpoint.key())
                .with_endpoint(endpoint.url().as_str())
                .with_http_settings(endpoint.http_settings().clone());
            BingTextSearch::new(config)
        },
        answer,
        capabilities(),
    );
}

mod news {
    use textsearch_bing::{BingConfig, BingNewsSearch, Filter};

    use super::*;

    fn answer(request: &RecordedRequest, documents: &[Document]) -> Response {
        let articles: Vec<Value> = asked(request, documents, 100)
            .map(|document| json!({ "name": document.name, "description": document.text, "url": document.link, "datePublished": document.published }))
            .collect();
        let total = documents.len();
        let body = json!({ "_type": "News", "totalEstimatedMatches": total, "value": articles });
        Response::json(&body)
    }

    fn capabilities() -> Capabilities {
        let codes = ["language", "loc", "location", "filetype", "ext", "contains"];
        let words = [
            ("site", "example.com"),
            ("domain", "example.com"),
            ("url", "example.com/documents/1"),
            ("ip", "192.0.2.1"),
        ];
        let parameters = [
            ("mkt", "en-US"),
            ("safeSearch", "Strict"),
            ("freshness", "Day"),
            ("sortBy", "Date"),
            ("since", "1700000000"),
        ];
        let capabilities =
            parameters.into_iter().fold(shared_capabilities(), |capabilities, (field, value)| {
                capabilities.with_filter(Filter::eq(field, value), is(field, value))
            });
        let words = words.into_iter().chain(codes.map(|field| (field, "en")));
        let capabilities = words.fold(capabilities, |capabilities, (field, value)| {
            capabilities.with_filter(Filter::eq(field, value), has(&format!(" {field}:{value} ")))
        });
        let prefer = Filter::eq("prefer", "two words");
        with_phrases(capabilities.with_filter(prefer, has(" prefer:\"two words\" ")))
    }

    textsearch_conformance::suite!(
        |endpoint| {
            let config = BingConfig::new(endpoint.key())
                .with_endpoint(endpoint.url().as_str())
                .with_http_settings(endpoint.http_settings().clone());
            BingNewsSearch::new(config.for_news())
        },
        answer,
        capabilities(),
    );
}
