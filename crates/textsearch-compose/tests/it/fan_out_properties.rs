//! `FanOut` over any rankings: pages, duplicates, losses and scores.

use std::collections::{BTreeMap, HashSet};

use futures_util::FutureExt;
use proptest::prelude::*;
use textsearch_compose::{FanOut, FanOutSettings, Sources};
use textsearch_core::{FixedSearch, SearchOptions, TextSearch as _, TextSearchResult};

const DEPTH: usize = 12;

/// A result of a source, by number. The spelling of a link depends on the source, too.
#[derive(Debug, Clone, Copy)]
enum Item {
    Page(u8),
    Text(u8),
    Chunk { page: u8, id: u8 },
}

fn items() -> impl Strategy<Value = Vec<Vec<Item>>> {
    let item = prop_oneof![
        4 => (0_u8..12).prop_map(Item::Page),
        2 => (0_u8..4).prop_map(Item::Text),
        1 => (0_u8..2, 0_u8..4).prop_map(|(page, id)| Item::Chunk { page, id }),
    ];
    prop::collection::vec(prop::collection::vec(item, 0..16), 1..5)
}

fn result(source: usize, position: usize, item: Item) -> TextSearchResult {
    match item {
        Item::Page(number) => {
            let link = match (source + position) % 4 {
                0 => format!("https://example.com/{number}"),
                1 => format!("https://EXAMPLE.com:443/{number}/"),
                2 => format!("https://example.com/{number}?utm_source={position}"),
                _ => format!("https://example.com/{number}#{position}"),
            };
            TextSearchResult::new(format!("page {number}")).with_link(link)
        }
        Item::Text(number) => TextSearchResult::new(format!("text {number}")),
        Item::Chunk { page, id } => TextSearchResult::new(format!("chunk {page}.{id}"))
            .with_link(format!("https://chunks.example/{page}#{id}"))
            .with_id(format!("{page}.{id}")),
    }
}

fn fan_out(rankings: &[Vec<Item>]) -> FanOut {
    let search = |(source, items): (usize, &Vec<Item>)| {
        let places = items.iter().enumerate();
        let results: Vec<_> =
            places.map(|(position, item)| result(source, position, *item)).collect();
        (source.to_string(), FixedSearch::new(results))
    };
    let mut searches = rankings.iter().enumerate().map(search);
    let (name, first) = searches.next().unwrap();
    let sources = searches
        .fold(Sources::new(name, first), |all, (name, search)| all.with_source(name, search));
    let mut settings = FanOutSettings::default();
    settings.depth = DEPTH;
    FanOut::new(sources, settings).unwrap()
}

fn window(search: &FanOut, skip: usize, top: usize) -> Vec<TextSearchResult> {
    let read = async {
        let options = SearchOptions::top(top).with_skip(skip);
        search.text_search_results("q", &options).await.unwrap().into_vec().await.unwrap()
    };
    read.now_or_never().expect("nothing here waits")
}

/// By text, which identifies an item.
fn reference(rankings: &[Vec<Item>]) -> BTreeMap<String, f64> {
    let mut scores = BTreeMap::new();
    for (source, items) in rankings.iter().enumerate() {
        let mut seen = HashSet::new();
        for (position, item) in items.iter().take(DEPTH).enumerate() {
            let text = result(source, position, *item).value;
            if seen.insert(text.clone()) {
                *scores.entry(text).or_insert(0.0) += 1.0 / (60.0 + (position + 1) as f64);
            }
        }
    }
    scores
}

fn in_a_runtime(test: impl FnOnce() -> Result<(), TestCaseError>) -> Result<(), TestCaseError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let _inside = runtime.enter();
    test()
}

proptest! {
    #[test]
    fn pages_in_a_row_are_one_large_page(rankings in items(), sizes in prop::collection::vec(1_usize..6, 1..12)) {
        in_a_runtime(|| {
            let search = fan_out(&rankings);
            let whole = window(&search, 0, DEPTH);
            let mut read = Vec::new();
            for size in sizes.into_iter().cycle() {
                let skip = read.len();
                if skip + size > DEPTH || skip >= whole.len() {
                    break;
                }
                read.extend(window(&search, skip, size));
            }
            prop_assert_eq!(&read[..], &whole[..read.len()]);
            Ok(())
        })?;
    }

    #[test]
    fn nothing_is_lost_or_repeated_and_scores_are_as_defined(rankings in items()) {
        in_a_runtime(|| {
            let expected = reference(&rankings);
            let results = window(&fan_out(&rankings), 0, DEPTH);
            prop_assert_eq!(results.len(), expected.len().min(DEPTH));
            let texts: HashSet<_> = results.iter().map(|result| &result.value).collect();
            prop_assert_eq!(texts.len(), results.len());
            for result in &results {
                let difference = (result.score.unwrap() - expected[&result.value]).abs();
                prop_assert!(difference < 1e-12, "{:?}", result);
            }
            let scores: Vec<_> = results.iter().map(|result| result.score.unwrap()).collect();
            prop_assert!(scores.is_sorted_by(|left, right| left >= right), "{:?}", scores);
            // Nothing better than the last one is missing.
            let last = scores.last().copied().unwrap_or_default();
            for (text, score) in &expected {
                prop_assert!(texts.contains(text) || *score <= last + 1e-12, "{} is lost", text);
            }
            Ok(())
        })?;
    }
}
