//! `/v1/search` and `/v1/capabilities`.

use reqwest::Method;
use serde_json::json;
use textsearch_core::{Error, ErrorKind, FixedSearch, TextSearchResult, filter::DateTime};
use textsearch_server::{SearchSource, ServerConfig, Services};

use crate::support::{Failing, documents, plain, send, start, values};

#[tokio::test]
async fn results_have_names_links_and_scores() {
    let answer = plain().await.post("/v1/search", json!({ "query": "x", "top": 1 })).await.ok();
    let expected = json!({
        "Name": "plan", "Value": "Acme sells anvils.", "Link": "https://acme.example/plan",
        "Source": "acme", "Score": 0.5,
    });
    assert_eq!(answer["results"], json!([expected]));
    assert_eq!(answer["truncated"], false);
    assert_eq!(answer["source"], "docs");
}

#[tokio::test]
async fn kind_selects_texts_or_records() {
    let server = plain().await;
    let texts = server.post("/v1/search", json!({ "query": "x", "kind": "texts", "top": 1 })).await;
    assert_eq!(texts.ok()["results"], json!(["Acme sells anvils."]));
    let records = server.post("/v1/search", json!({ "query": "x", "kind": "records" })).await.ok();
    assert_eq!(records["results"][2]["Source"], "globex");
}

#[tokio::test]
async fn filters_are_texts_or_objects() {
    let server = plain().await;
    let object = json!({ "field": "Source", "operator": "eq", "value": "globex" });
    for filter in [json!("Source = \"globex\""), object] {
        let body = json!({ "query": "x", "filter": filter, "include_total_count": true });
        let answer = server.post("/v1/search", body).await.ok();
        assert_eq!(values(&answer), ["Globex sells lasers."]);
        assert_eq!(answer["total_count"], json!({ "exact": 1 }));
    }
}

#[tokio::test]
async fn skip_leaves_out_the_best() {
    let answer = plain().await.post("/v1/search", json!({ "query": "x", "skip": 2 })).await.ok();
    assert_eq!(values(&answer), ["Globex sells lasers."]);
}

#[tokio::test]
async fn per_document_returns_each_link_once() {
    let chunk = |text: &str, link: &str| TextSearchResult::new(text).with_link(link);
    let chunks =
        [chunk("a1", "a.md#1"), chunk("a2", "a.md#2"), chunk("b1", "b.md"), chunk("c1", "c.md")];
    let source = SearchSource::new("docs", FixedSearch::new(chunks));
    let server = start(Services::new().with_source(source), ServerConfig::new()).await;
    let body = json!({
        "query": "x", "top": 2, "skip": 1, "per_document": true, "include_total_count": true,
    });
    let answer = server.post("/v1/search", body).await.ok();
    assert_eq!(values(&answer), ["b1", "c1"]);
    assert_eq!(answer["total_count"], json!(null));
}

#[tokio::test]
async fn a_wrong_filter_names_fields_and_operators() {
    let server = plain().await;
    let search = |filter| server.post("/v1/search", json!({ "query": "x", "filter": filter }));
    let problem = search(json!("Name > \"a\"")).await.problem(400);
    assert_eq!(problem["field"], "Name");
    assert!(problem["allowed"].as_array().unwrap().contains(&json!("starts_with")), "{problem}");
    assert!(problem["type"].as_str().unwrap().ends_with("#invalid-filter"), "{problem}");
    let problem = search(json!("Nme = \"a\"")).await.problem(400);
    assert!(problem["detail"].as_str().unwrap().contains("there are Source, Name"), "{problem}");
    let problem = search(json!("Name = ")).await.problem(400);
    assert_eq!((&problem["line"], &problem["column"]), (&json!(1), &json!(8)));
}

#[tokio::test]
async fn a_mistake_is_named_with_allowed_values() {
    let server = plain().await;
    let wrong = [
        (json!({ "query": "x", "top": 51 }), "top", json!(["0 to 50"])),
        (json!({ "query": "x", "skip": 10_001 }), "skip", json!(["0 to 10000"])),
        (
            json!({ "query": "x", "skip": 991, "top": 10, "per_document": true }),
            "skip",
            json!(["0 to 990"]),
        ),
        (json!({ "query": "x", "source": "web" }), "source", json!(["docs"])),
        (json!({ "query": "x", "mode": "hybrid" }), "mode", json!(["default"])),
    ];
    for (body, field, allowed) in wrong {
        let problem = server.post("/v1/search", body).await.problem(400);
        assert_eq!((&problem["field"], &problem["allowed"]), (&json!(field), &allowed));
    }
    for body in [json!({}), json!({ "query": "x", "filters": [] }), json!([])] {
        let problem = server.post("/v1/search", body).await.problem(400);
        assert_eq!(problem["line"], 1);
    }
}

#[tokio::test]
async fn modes_search_the_same_source_otherwise() {
    let other = FixedSearch::new([TextSearchResult::new("By meaning.")]);
    let source = SearchSource::new("docs", documents()).with_mode_name("text");
    let services = Services::new().with_source(source.with_mode("vector", other));
    let server = start(services, ServerConfig::new()).await;
    let answer = server.post("/v1/search", json!({ "query": "x", "mode": "vector" })).await.ok();
    assert_eq!(values(&answer), ["By meaning."]);
    let capabilities = server.get("/v1/capabilities").await.ok();
    assert_eq!(capabilities["sources"][0]["modes"], json!(["text", "vector"]));
}

#[tokio::test]
async fn large_results_are_truncated() {
    let texts = ["a", "b", "c"].map(|text| TextSearchResult::new(text.repeat(400)));
    let services = Services::new().with_source(SearchSource::new("docs", FixedSearch::new(texts)));
    let mut config = ServerConfig::new();
    config.max_response_bytes = 1_000;
    let server = start(services, config).await;
    let answer = server.post("/v1/search", json!({ "query": "x" })).await.ok();
    assert_eq!(answer["results"].as_array().unwrap().len(), 2);
    assert_eq!(answer["truncated"], true);
}

#[tokio::test]
async fn a_backends_failure_stays_hidden() {
    let error = Error::new(ErrorKind::Unavailable, "qdrant", "no route to 10.0.0.7");
    let services = Services::new().with_source(SearchSource::new("docs", Failing(error)));
    let server = start(services, ServerConfig::new()).await;
    let problem = server.post("/v1/search", json!({ "query": "x" })).await.problem(503);
    assert!(!problem.to_string().contains("10.0.0.7"), "{problem}");
}

#[tokio::test]
async fn errors_in_metadata_stay_hidden() {
    let page = TextSearchResult::new("A page.").with_metadata("date", "2026");
    let page = page.with_metadata("full_page_Error", "10.0.0.7 is refused");
    let source = SearchSource::new("web", FixedSearch::new([page]));
    let server = start(Services::new().with_source(source), ServerConfig::new()).await;
    for kind in ["results", "records"] {
        let answer = server.post("/v1/search", json!({ "query": "x", "kind": kind })).await.ok();
        assert_eq!(answer["results"][0]["Metadata"], json!({ "date": "2026" }));
    }
}

#[tokio::test]
async fn a_body_must_be_json() {
    let request = plain().await.request(Method::POST, "/v1/search").body("{\"query\":\"x\"}");
    send(request).await.problem(415);
}

#[tokio::test]
async fn capabilities_list_fields_with_operators() {
    let capabilities = plain().await.get("/v1/capabilities").await.ok();
    let source = &capabilities["sources"][0];
    assert_eq!((&source["name"], &source["connector"]), (&json!("docs"), &json!("fixed")));
    assert_eq!(source["open_world"], json!(null));
    assert_eq!(source["fields"][1]["name"], "Name");
    assert!(source["fields"][1]["operators"].as_array().unwrap().contains(&json!("eq")));
    assert_eq!(capabilities["limits"]["max_top"], 50);
    assert_eq!(capabilities["rights"], json!(["search", "prompt", "answer", "metrics"]));
    assert_eq!(capabilities["answers"], false);
}

#[tokio::test]
async fn half_life_puts_recent_results_first_and_explains_it() {
    let page = |text: &str, score: f64, date: &str| {
        let published = DateTime::parse(date).unwrap();
        TextSearchResult::new(text).with_score(score).with_published(published)
    };
    let pages = [page("old", 0.5, "2001-02-03"), page("new", 0.4, "2999-01-01")];
    let source = SearchSource::new("docs", FixedSearch::new(pages));
    let server = start(Services::new().with_source(source), ServerConfig::new()).await;
    let body = json!({ "query": "x", "half_life": "90d", "explain": true });
    let answer = server.post("/v1/search", body).await.ok();
    assert_eq!(values(&answer), ["new", "old"]);
    let step = &answer["results"][1]["Explanation"][0];
    assert_eq!(
        (&step["Name"], &step["RankBefore"], &step["Rank"]),
        (&json!("recency"), &json!(1), &json!(2))
    );
    assert_eq!((&step["Weight"], &step["Score"]), (&json!(0.5), &json!(0.25)));
    let plain = server.post("/v1/search", json!({ "query": "x" })).await.ok();
    assert_eq!(values(&plain), ["old", "new"]);
    assert!(plain["results"][0].get("Explanation").is_none());
}

#[tokio::test]
async fn impossible_ways_to_rank_or_explain_name_their_field() {
    let server = plain().await;
    for (field, body) in [
        ("half_life", json!({ "query": "x", "half_life": "soon" })),
        ("half_life", json!({ "query": "x", "half_life": "0d" })),
        ("explain", json!({ "query": "x", "kind": "texts", "explain": true })),
    ] {
        let problem = server.post("/v1/search", body).await.problem(400);
        assert_eq!(problem["field"], field);
    }
}
