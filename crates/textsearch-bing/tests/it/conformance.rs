use serde_json::{Value, json};
use textsearch_conformance::{Capabilities, Document, RecordedRequest, Response};

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
            .map(|one| json!({ "name": one.name, "snippet": one.text, "url": one.link }))
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
        let phrases = ["intitle", "inbody", "inanchor", "feed", "hasfeed", "prefer"];
        let codes = ["language", "loc", "location", "filetype", "ext", "contains"];
        let filters = [
            Filter::eq("site", site),
            Filter::is_in("domain", [site, "example.org"]),
            Filter::eq("url", "example.com/documents/1"),
            Filter::ne("ip", "192.0.2.1"),
            Filter::eq("mkt", "en-US"),
            Filter::eq("safeSearch", "Strict"),
            Filter::eq("freshness", "2025-07-01..2025-07-31"),
            !Filter::eq("site", "example.org").or(Filter::eq("site", "example.net")),
        ];
        let phrases = phrases.map(|field| Filter::eq(field, "two \"words\" OR -more"));
        let codes = codes.map(|field| Filter::eq(field, "en"));
        let all = filters.into_iter().chain(phrases).chain(codes);
        let capabilities = Capabilities::default().with_total_count().with_site_field("site");
        all.fold(capabilities, Capabilities::with_filter)
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
            .map(|one| json!({ "name": one.name, "description": one.text, "url": one.link }))
            .collect();
        let total = documents.len();
        let body = json!({ "_type": "News", "totalEstimatedMatches": total, "value": articles });
        Response::json(&body)
    }

    fn capabilities() -> Capabilities {
        let codes = ["language", "loc", "location", "filetype", "ext", "contains"];
        let phrases = ["intitle", "inbody", "inanchor", "feed", "hasfeed", "prefer"];
        let filters = [
            Filter::eq("site", "example.com"),
            Filter::eq("domain", "example.com"),
            Filter::eq("url", "example.com/documents/1"),
            Filter::eq("ip", "192.0.2.1"),
            Filter::eq("mkt", "en-US"),
            Filter::eq("safeSearch", "Strict"),
            Filter::eq("freshness", "Day"),
            Filter::eq("sortBy", "Date"),
            Filter::eq("since", "1700000000"),
        ];
        let words = phrases.into_iter().chain(codes).map(|field| Filter::eq(field, "en"));
        let all = filters.into_iter().chain(words);
        let capabilities = Capabilities::default().with_total_count().with_site_field("site");
        all.fold(capabilities, Capabilities::with_filter)
    }

    textsearch_conformance::suite!(
        |endpoint| {
            let config = BingConfig::new(endpoint.key())
                .with_endpoint(endpoint.url().as_str())
                .with_http_settings(endpoint.http_settings().clone());
            BingNewsSearch::new(config)
        },
        answer,
        capabilities(),
    );
}
