use textsearch_bing::{SearchOptions, TextSearchConnector};
use textsearch_conformance::Replay;

use crate::support::{config, search};

fn answer(total: u64, numbers: std::ops::Range<usize>) -> (u16, String) {
    let page = |number| format!("{{\"url\":\"https://example.com/{number}\"}}");
    let pages: Vec<String> = numbers.map(page).collect();
    let value = pages.join(",");
    (200, format!("{{\"webPages\":{{\"totalEstimatedMatches\":{total},\"value\":[{value}]}}}}"))
}

fn asked(replay: &Replay) -> Vec<(String, String)> {
    let pair = |number| {
        (replay.parameter(number, "offset").unwrap(), replay.parameter(number, "count").unwrap())
    };
    (0..replay.requests().len()).map(pair).collect()
}

fn pairs<const N: usize>(expected: [(&str, &str); N]) -> Vec<(String, String)> {
    expected.map(|(offset, count)| (offset.to_owned(), count.to_owned())).to_vec()
}

#[tokio::test]
async fn a_page_has_at_most_50_results() {
    let replay = Replay::of([answer(1000, 0..50), answer(1000, 50..100)]);
    let results = search(config(), &replay).records("x", &SearchOptions::top(60)).await;
    assert_eq!(results.unwrap().into_vec().await.unwrap().len(), 60);
    assert_eq!(asked(&replay), pairs([("0", "50"), ("50", "50")]));
}

#[tokio::test]
async fn a_repeated_last_page_ends_the_search() {
    let replay = Replay::of([answer(1000, 0..50), answer(1000, 50..60), answer(1000, 50..60)]);
    let results = search(config(), &replay).records("x", &SearchOptions::top(500)).await;
    assert_eq!(results.unwrap().into_vec().await.unwrap().len(), 60);
    assert_eq!(asked(&replay), pairs([("0", "50"), ("50", "50"), ("100", "50")]));
}

#[tokio::test]
async fn no_request_goes_beyond_the_estimate() {
    let replay = Replay::of([answer(30, 0..30)]);
    let results = search(config(), &replay).records("x", &SearchOptions::top(50)).await;
    assert_eq!(results.unwrap().into_vec().await.unwrap().len(), 30);
    assert_eq!(replay.requests().len(), 1);
}

#[tokio::test]
async fn skip_is_exact_for_short_and_overlapping_pages() {
    let replay = Replay::of([answer(1000, 0..40), answer(1000, 35..80)]);
    let options = SearchOptions::top(5).with_skip(70);
    let results = search(config(), &replay).records("x", &options).await.unwrap();
    let pages = results.into_vec().await.unwrap();
    assert_eq!(pages[0].url, "https://example.com/70");
    assert_eq!(pages.len(), 5);
    assert_eq!(asked(&replay), pairs([("0", "50"), ("50", "50")]));
}

#[tokio::test]
async fn skip_unread_starts_at_skip() {
    let replay = Replay::of([answer(1000, 70..75)]);
    let options = SearchOptions::top(5).with_skip(70);
    let search = search(config().with_skip_unread(true), &replay);
    let pages = search.records("x", &options).await.unwrap().into_vec().await.unwrap();
    assert_eq!(pages[0].url, "https://example.com/70");
    assert_eq!(pages.len(), 5);
    assert_eq!(asked(&replay), pairs([("70", "5")]));
}

#[tokio::test]
async fn a_count_alone_takes_one_request() {
    let replay = Replay::of([answer(1000, 0..1)]);
    let search = search(config(), &replay);
    search.records("x", &SearchOptions::top(0)).await.unwrap();
    assert!(replay.requests().is_empty());
    let options = SearchOptions::top(0).with_total_count(true);
    let results = search.records("x", &options).await.unwrap();
    assert_eq!(results.total_count().map(|count| count.value()), Some(1000));
    assert_eq!(results.into_vec().await.unwrap(), []);
    assert_eq!(asked(&replay), pairs([("0", "1")]));
}

#[tokio::test]
async fn no_request_goes_beyond_the_largest_offset() {
    let pages = [answer(1_000_000, 0..50), answer(1_000_000, 50..100)];
    let replay = Replay::of(pages);
    let search = search(config().with_skip_unread(true), &replay);
    let options = SearchOptions::top(200).with_skip(65_500);
    let results = search.records("x", &options).await.unwrap();
    assert_eq!(results.into_vec().await.unwrap().len(), 50);
    assert_eq!(asked(&replay), pairs([("65500", "50")]));

    let error = search.records("x", &options.with_skip(65_536)).await.unwrap_err();
    let expected = "bing: `skip` is 65536; expected at most 65535 with `skip_unread`";
    assert_eq!(error.to_string(), expected);
    assert_eq!(replay.requests().len(), 1);
}

#[tokio::test]
async fn a_page_without_links_ends_the_search() {
    let page = r#"{"webPages":{"totalEstimatedMatches":1000,"value":[{"name":"A"}]}}"#;
    let replay = Replay::of([(200, page), (200, page)]);
    let results = search(config(), &replay).records("x", &SearchOptions::top(500)).await;
    assert_eq!(results.unwrap().into_vec().await.unwrap()[0].name, "A");
    assert_eq!(replay.requests().len(), 1);
}
