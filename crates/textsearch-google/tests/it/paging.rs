use textsearch_conformance::Replay;
use textsearch_google::{ErrorKind, SearchOptions, TextSearchConnector};

use crate::support::{config, search};

fn answer(numbers: std::ops::Range<usize>) -> (u16, String) {
    let item = |number| format!("{{\"link\":\"https://example.com/{number}\"}}");
    let items: Vec<String> = numbers.map(item).collect();
    (200, format!("{{\"queries\":{{\"nextPage\":[{{}}]}},\"items\":[{}]}}", items.join(",")))
}

fn asked(replay: &Replay) -> Vec<(String, String)> {
    let pair = |number| {
        (replay.parameter(number, "start").unwrap(), replay.parameter(number, "num").unwrap())
    };
    (0..replay.requests().len()).map(pair).collect()
}

#[tokio::test]
async fn no_result_beyond_the_hundredth_is_requested() {
    let replay = Replay::of((0..10).map(|page| answer(page * 10..page * 10 + 10)));
    let options = SearchOptions::top(10).with_skip(90);
    let results = search(config(), &replay).records("x", &options).await.unwrap();
    let records = results.into_vec().await.unwrap();
    assert_eq!(records.len(), 10);
    assert_eq!(records[9].link, "https://example.com/99");
    let last = asked(&replay).pop().unwrap();
    assert_eq!(last, ("91".to_owned(), "10".to_owned()));
    assert_eq!(replay.requests().len(), 10);
}

#[tokio::test]
async fn repeats_do_not_lead_beyond_the_hundredth_result() {
    let pages = (0..10).map(|page| answer(page * 9..page * 9 + 10));
    let replay = Replay::of(pages);
    let results = search(config(), &replay).records("x", &SearchOptions::top(100)).await;
    assert_eq!(results.unwrap().into_vec().await.unwrap().len(), 91);
    assert_eq!(replay.requests().len(), 10);
}

#[tokio::test]
async fn skip_unread_starts_at_skip() {
    let replay = Replay::of([answer(90..100)]);
    let search = search(config().with_skip_unread(true), &replay);
    let options = SearchOptions::top(10).with_skip(90);
    let records = search.records("x", &options).await.unwrap().into_vec().await.unwrap();
    assert_eq!(records[0].link, "https://example.com/90");
    assert_eq!(asked(&replay), [("91".to_owned(), "10".to_owned())]);
}

#[tokio::test]
async fn skip_plus_top_beyond_100_is_rejected() {
    let replay = Replay::of([answer(0..10)]);
    let options = SearchOptions::top(10).with_skip(91);
    let error = search(config(), &replay).records("x", &options).await.unwrap_err();
    assert_eq!(error.to_string(), "google: `skip + top` is 91 + 10; expected at most 100");
    assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }));
    assert!(replay.requests().is_empty());
}

#[tokio::test]
async fn a_page_without_new_results_ends_the_search() {
    let replay = Replay::of([answer(0..10), answer(0..10)]);
    let results = search(config(), &replay).records("x", &SearchOptions::top(100)).await;
    assert_eq!(results.unwrap().into_vec().await.unwrap().len(), 10);
    assert_eq!(replay.requests().len(), 2);
}

#[tokio::test]
async fn a_count_alone_takes_one_request() {
    let body =
        r#"{"searchInformation":{"totalResults":"12"},"items":[{"link":"https://example.com"}]}"#;
    let replay = Replay::of([(200, body)]);
    let search = search(config(), &replay);
    search.records("x", &SearchOptions::top(0)).await.unwrap();
    assert!(replay.requests().is_empty());
    let options = SearchOptions::top(0).with_total_count(true);
    let results = search.records("x", &options).await.unwrap();
    assert_eq!(results.total_count().map(|count| count.value()), Some(12));
    assert_eq!(results.into_vec().await.unwrap(), []);
    assert_eq!(asked(&replay), [("1".to_owned(), "1".to_owned())]);
}

#[tokio::test]
async fn a_page_without_links_ends_the_search() {
    let page = r#"{"queries":{"nextPage":[{}]},"items":[{"title":"A"}]}"#;
    let replay = Replay::of([(200, page), (200, page)]);
    let results = search(config(), &replay).records("x", &SearchOptions::top(100)).await;
    assert_eq!(results.unwrap().into_vec().await.unwrap()[0].title, "A");
    assert_eq!(replay.requests().len(), 1);
}
