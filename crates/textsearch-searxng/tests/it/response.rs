use textsearch_conformance::{Capabilities, Endpoint, Replay, Response, Subject};
use textsearch_core::{
    SearchOptions, SearchResults, TextSearchConnector, TextSearchRecord,
    filter::DateTime,
    results::TotalCount,
    serde_json::{self, json},
};
use textsearch_searxng::{SearxngConfig, SearxngResult, SearxngTextSearch};

use crate::support::{config, instance_with, results, search};

const ANSWER: &str = include_str!("../fixtures/what_is_the_semantic_kernel.json");

async fn answered(config: SearxngConfig) -> SearchResults<SearxngResult> {
    let instance = Replay::of([(200, ANSWER)]);
    search(config, &instance).records("x", &SearchOptions::top(3)).await.unwrap()
}

async fn records() -> Vec<SearxngResult> {
    answered(config()).await.into_vec().await.unwrap()
}

#[tokio::test]
async fn a_record_has_all_documented_fields() {
    let record = records().await.remove(0);
    let expected = json!({
        "Title": "Overview of the Semantic Kernel",
        "Url": "https://kernel.example/docs/overview",
        "Content": "The Semantic Kernel joins models & your own code; a Vec<String> stays as it is.",
        "Engine": "brave",
        "Engines": ["brave", "duckduckgo"],
        "Positions": [1, 2],
        "Score": 3.0,
        "Category": "general",
        "PublishedDate": "2024-08-14T09:30:00",
        "Pubdate": "2024-08-14 09:30:00",
        "Thumbnail": "https://kernel.example/small.png",
        "ParsedUrl": ["https", "kernel.example", "/docs/overview", "", "", ""],
        "Template": "default.html",
        "Views": "",
        "Author": "Ada Example",
        "Metadata": "",
    });
    assert_eq!(serde_json::to_value(&record).unwrap(), expected);
}

#[tokio::test]
async fn a_result_has_name_link_date_and_score() {
    let result = records().await[0].to_result();
    assert_eq!(result.name.as_deref(), Some("Overview of the Semantic Kernel"));
    assert_eq!(result.link.as_deref(), Some("https://kernel.example/docs/overview"));
    assert_eq!(result.published, DateTime::parse("2024-08-14T09:30:00Z").ok());
    assert_eq!(result.score, Some(3.0));
    assert_eq!(result.metadata["engines"], json!(["brave", "duckduckgo"]));
    assert_eq!(result.metadata["category"], "general");
}

#[tokio::test]
async fn text_falls_back_to_the_title() {
    let record = records().await.remove(1);
    assert_eq!(record.text(), "Kernels in four minutes");
    assert_eq!(record.length, Some(json!(243.0)));
    assert_eq!(record.views, Some(json!("12K")));
    assert_eq!(record.iframe_src.as_deref(), Some("https://video.example/embed/1"));
    assert_eq!((record.published_date, record.thumbnail, record.img_src), (None, None, None));
}

#[tokio::test]
async fn a_result_may_have_only_a_url() {
    let record = records().await.remove(2);
    assert_eq!(serde_json::to_value(&record).unwrap(), json!({ "Url": "https://bare.example/" }));
    assert_eq!(record.text(), "");
}

#[tokio::test]
async fn markup_is_kept_on_request() {
    let records = answered(config().with_markup_kept(true)).await.into_vec().await.unwrap();
    assert_eq!(records[0].title.as_deref(), Some("Overview of the <b>Semantic Kernel</b>"));
    assert!(records[0].content.as_deref().unwrap().contains("&amp;"));
}

#[tokio::test]
async fn data_about_the_search_becomes_metadata() {
    let results = answered(config()).await;
    assert_eq!(results.total_count(), Some(TotalCount::Estimated(41800)));
    let metadata = results.metadata();
    assert_eq!(metadata["query"], "What is the Semantic Kernel?");
    assert_eq!(metadata["answers"][0]["answer"], "A kit for building agents.");
    assert_eq!(metadata["corrections"], json!(["what is the semantic kernel"]));
    assert_eq!(metadata["infoboxes"][0]["infobox"], "Semantic Kernel");
    assert_eq!(metadata["suggestions"][1], "semantic kernel agents");
    assert_eq!(metadata["unresponsive_engines"][1], json!(["another engine", "CAPTCHA"]));
}

#[tokio::test]
async fn a_count_of_zero_is_unknown() {
    let body = json!({ "results": [], "number_of_results": 0, "answers": [] }).to_string();
    let instance = Replay::of([(200, body)]);
    let search = search(config(), &instance);
    let results = search.records("x", &SearchOptions::top(3)).await.unwrap();
    assert_eq!((results.total_count(), results.metadata().len()), (None, 0));
}

#[test]
fn the_schema_uses_template_names() {
    let search = search(config(), &Replay::of([(200, "")]));
    let schema = search.schema();
    let properties = schema.get("properties").unwrap();
    assert!(properties.get("PublishedDate").is_some() && properties.get("Url").is_some());
}

/// The conformance kit fails a case if the key appears in the log.
#[test]
fn engine_messages_stay_out_of_the_log() {
    let subject = || {
        let build = |_| SearxngTextSearch::new(config());
        Subject::over_http(build, |_, _| Response::json(&json!({})), Capabilities::default())
    };
    textsearch_conformance::run(subject, async |_| {
        let answer = json!({ "results": [], "unresponsive_engines": [["x", Endpoint::KEY]] });
        let instance = Replay::scripted(move |_| Response::json(&answer));
        let records = search(config(), &instance).records("x", &SearchOptions::top(3)).await;
        assert!(records.unwrap().into_vec().await.unwrap().is_empty());
    });
}

#[tokio::test]
async fn null_fields_are_missing() {
    let fields = ["title", "content", "engine", "engines", "positions", "score", "publishedDate"];
    let mut result = json!({ "url": "https://docs.rs/" });
    fields.iter().for_each(|name| result[*name] = json!(null));
    let instance = Replay::scripted(move |request| {
        let is_first = request.parameter("pageno") == Some("1");
        Response::json(&json!({ "results": if is_first { vec![result.clone()] } else { vec![] } }))
    });
    let records = search(config(), &instance).records("x", &SearchOptions::top(1)).await;
    let records = records.unwrap().into_vec().await.unwrap();
    assert_eq!(serde_json::to_value(&records).unwrap(), json!([{ "Url": "https://docs.rs/" }]));
}

#[tokio::test]
async fn mistyped_fields_count_as_missing() {
    let result = json!({
        "title": "A", "url": "https://a.example/", "content": "B", "engine": 3, "engines": ["brave", 4],
        "positions": [1, "2"], "score": "high", "publishedDate": 2024, "parsed_url": "a", "author": ["Ada"],
    });
    let instance = instance_with(json!([result, { "url": "https://b.example/" }]));
    let results = results(&instance, "x", &SearchOptions::top(5)).await;
    let expected = json!({
        "Title": "A", "Url": "https://a.example/", "Content": "B", "Engines": ["brave"], "Positions": [1],
    });
    assert_eq!(serde_json::to_value(&results[0]).unwrap(), expected);
    assert_eq!(results[1].url.as_deref(), Some("https://b.example/"));
}

#[tokio::test]
async fn a_result_with_a_mistyped_url_is_dropped() {
    let results =
        json!([{ "url": 7, "title": "A" }, { "url": "https://b.example/", "title": "B" }]);
    let search = search(config(), &instance_with(results));
    let records = search.records("x", &SearchOptions::top(1)).await.unwrap();
    let records = records.into_vec().await.unwrap();
    assert_eq!(records[0].title.as_deref(), Some("B"));
}

#[tokio::test]
async fn blank_link_is_left_out() {
    let instance = Replay::of([(200, r#"{"results": [{"title": "T", "url": " \n"}]}"#)]);
    let results = search(config(), &instance).records("x", &SearchOptions::top(1)).await.unwrap();
    let records = results.into_vec().await.unwrap();
    assert_eq!(records[0].to_result().link, None);
}
