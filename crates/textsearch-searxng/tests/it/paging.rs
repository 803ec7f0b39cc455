use textsearch_conformance::{Replay, Response};
use textsearch_core::{SearchOptions, TextSearchConnector, serde_json::json};

use crate::support::{config, instance_with, page, results, search, urls};

fn pages(sizes: &'static [usize]) -> Replay {
    Replay::scripted(move |asked| {
        let number: usize = asked.parameter("pageno").unwrap().parse().unwrap();
        let start: usize = sizes.iter().take(number - 1).sum();
        let size = sizes.get(number - 1).copied().unwrap_or(0);
        let results =
            (start..start + size).map(|number| page(&format!("http://x.example/{number}"), "a"));
        Response::json(&json!({ "results": results.collect::<Vec<_>>() }))
    })
}

#[tokio::test]
async fn skip_is_exact_for_any_page_size() {
    let instance = pages(&[7, 3, 12, 1, 9]);
    let results = results(&instance, "x", &SearchOptions::top(5).with_skip(8)).await;
    let expected: Vec<String> =
        (8..13).map(|number| format!("http://x.example/{number}")).collect();
    assert_eq!(urls(&results), expected);
    assert_eq!(instance.requests().len(), 3);
}

#[tokio::test]
async fn an_empty_page_ends_the_search() {
    let instance = pages(&[4, 4]);
    assert_eq!(results(&instance, "x", &SearchOptions::top(100)).await.len(), 8);
    let numbers: Vec<_> = instance
        .requests()
        .iter()
        .map(|asked| asked.parameter("pageno").map(str::to_owned))
        .collect();
    assert_eq!(numbers, ["1", "2", "3"].map(|number| Some(number.to_owned())));
}

#[tokio::test]
async fn a_repeated_page_ends_the_search() {
    let repeated = json!([page("http://x.example/1", "a"), { "title": "without an address" }]);
    let body = json!({ "results": repeated }).to_string();
    let instance = Replay::of([(200, body)]);
    let results = results(&instance, "x", &SearchOptions::top(100)).await;
    assert_eq!(urls(&results), ["http://x.example/1"]);
    assert_eq!(instance.requests().len(), 2);
}

#[tokio::test]
async fn max_pages_limits_the_requests() {
    let instance = pages(&[1; 40]);
    let search = search(config().with_max_pages(6), &instance);
    let results = search.records("x", &SearchOptions::top(30)).await.unwrap();
    assert_eq!(results.into_vec().await.unwrap().len(), 6);
    assert_eq!(instance.requests().len(), 6);
}

#[tokio::test]
async fn a_count_alone_takes_one_request() {
    let instance = instance_with(json!([page("http://x.example/1", "a")]));
    let search = search(config(), &instance);
    let options = SearchOptions::top(0).with_total_count(true);
    let count = search.records("x", &options).await.unwrap().total_count();
    assert_eq!(count.map(|count| count.value()), Some(7));
    assert_eq!(instance.requests().len(), 1);
}
