//! The laws of `top`, `skip` and lazily fetched pages.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use proptest::prelude::*;
use textsearch_core::{
    Error, ErrorKind, Result, SearchResults,
    results::{Page, TotalCount},
};

use crate::support::now;

/// Simulates a backend with `0..total` in pages of `size`; counts the pages after the first.
fn pages(total: usize, size: usize) -> (SearchResults<usize>, Arc<AtomicUsize>) {
    let page = move |start: usize| {
        let end = total.min(start + size);
        Page::new((start..end).collect(), (end < total).then_some(end))
    };
    let fetched = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&fetched);
    let results = SearchResults::paged(page(0), move |start| {
        counter.fetch_add(1, Ordering::Relaxed);
        async move { Ok(page(start)) }
    });
    (results, fetched)
}

proptest! {
    #[test]
    fn a_window_over_pages_equals_a_slice_of_the_whole(
        total in 0_usize..60, size in 1_usize..9, skip in 0_usize..70, top in 0_usize..70,
    ) {
        let (results, _) = pages(total, size);
        let expected: Vec<usize> = (0..total).skip(skip).take(top).collect();
        prop_assert_eq!(now(results.window(skip, top).into_vec()).unwrap(), expected);
    }

    #[test]
    fn a_window_fetches_no_page_that_it_does_not_need(
        total in 0_usize..60, size in 1_usize..9, skip in 0_usize..70, top in 0_usize..70,
    ) {
        let (results, fetched) = pages(total, size);
        now(results.window(skip, top).into_vec()).unwrap();
        let needed = if top == 0 { 0 } else { total.min(skip + top) };
        prop_assert_eq!(fetched.load(Ordering::Relaxed), needed.div_ceil(size).saturating_sub(1));
    }

    #[test]
    fn windows_compose(skip in 0_usize..9, top in 0_usize..9, inner_skip in 0_usize..9, inner_top in 0_usize..9) {
        let twice = pages(30, 4).0.window(inner_skip, inner_top).window(skip, top);
        let expected: Vec<usize> = (0..30).skip(inner_skip).take(inner_top).skip(skip).take(top).collect();
        prop_assert_eq!(now(twice.into_vec()).unwrap(), expected);
    }

    #[test]
    fn into_vec_equals_reading_one_by_one(
        items in prop::collection::vec(prop::collection::vec(0_u8..20, 0..6), 1..9),
        skip in 0_usize..9,
        top in 0_usize..20,
        read_before in 0_usize..5,
    ) {
        let results = || {
            let mut pages = items.clone().into_iter();
            let first = Page::new(pages.next().unwrap_or_default(), Some(()));
            let results = SearchResults::paged(first, move |()| {
                let items = pages.next();
                async move { let more = items.as_ref().map(|_| ());
                    Ok(Page::new(items.unwrap_or_default(), more)) }
            });
            results.window(skip, top)
        };
        let mut one_by_one = results();
        let mut read = Vec::new();
        while let Some(item) = now(one_by_one.next()) {
            read.push(item.unwrap());
        }
        let mut at_once = results();
        let mut begun: Vec<u8> = (0..read_before).map_while(|_| now(at_once.next())).map(Result::unwrap).collect();
        begun.extend(now(at_once.into_vec()).unwrap());
        prop_assert_eq!(begun, read);
    }
}

#[test]
fn the_second_page_waits_until_the_first_is_read() {
    let (mut results, fetched) = pages(4, 2);
    assert_eq!(now(results.next()).unwrap().unwrap(), 0);
    assert_eq!(now(results.next()).unwrap().unwrap(), 1);
    assert_eq!(fetched.load(Ordering::Relaxed), 0);
    assert_eq!(now(results.next()).unwrap().unwrap(), 2);
    assert_eq!(fetched.load(Ordering::Relaxed), 1);
}

#[test]
fn a_failed_page_is_the_last_item() {
    let mut results = SearchResults::paged(Page::new(vec![1], Some(())), |()| async {
        Err(Error::new(ErrorKind::Timeout, "test", "no answer within 10 s"))
    });
    assert_eq!(now(results.next()).unwrap().unwrap(), 1);
    assert_eq!(*now(results.next()).unwrap().unwrap_err().kind(), ErrorKind::Timeout);
    assert!(now(results.next()).is_none());
}

#[test]
fn a_window_passes_errors_through_and_does_not_count_them() {
    let broken = || Error::new(ErrorKind::Undecodable, "test", "broken record");
    let items: Vec<Result<u8>> = vec![Ok(1), Err(broken()), Ok(2), Ok(3)];
    let results = SearchResults::from_stream(futures_util::stream::iter(items)).window(1, 1);
    let read: Vec<Result<u8>> = now(futures_util::StreamExt::collect(results));
    assert!(read[0].is_err());
    assert_eq!(*read[1].as_ref().unwrap(), 2);
    assert_eq!(read.len(), 2);
}

#[test]
fn a_window_drops_its_source_with_its_last_result() {
    let held = Arc::new(());
    let watched = Arc::clone(&held);
    let results = SearchResults::from_vec(vec![1, 2, 3])
        .map(move |item| (Arc::strong_count(&watched), item).1);
    let mut window = results.window(0, 1);
    assert_eq!(now(window.next()).unwrap().unwrap(), 1);
    assert_eq!(Arc::strong_count(&held), 1);
}

#[test]
fn count_and_metadata_survive_every_change() {
    let metadata = [("request_id".to_owned(), "r-1".into())].into_iter().collect();
    let results = SearchResults::from_vec(vec![1, 2, 3])
        .with_total_count(TotalCount::Estimated(40))
        .with_metadata(metadata)
        .map(|item| item + 1)
        .window(0, 2);
    assert_eq!(results.total_count(), Some(TotalCount::Estimated(40)));
    assert_eq!(results.metadata()["request_id"], "r-1");
}

#[test]
fn a_finished_stream_stays_finished() {
    let ended = |mut results: SearchResults<usize>| {
        while now(results.next()).is_some() {}
        (0..3).for_each(|_| assert!(now(results.next()).is_none()));
    };
    ended(pages(5, 2).0);
    ended(pages(5, 2).0.window(1, 2));
    ended(pages(5, 2).0.map(|item| item + 1));
}

#[test]
fn a_page_that_only_repeats_is_the_last() {
    let fetched = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&fetched);
    let page = |number: usize| match number {
        1 => vec!["b", "", "c"],
        _ => vec!["a", "b", ""],
    };
    let results = SearchResults::paged_distinct(
        Page::new(page(0), Some(1)),
        move |number| {
            counted.fetch_add(1, Ordering::Relaxed);
            async move { Ok(Page::new(page(number), Some(number + 1))) }
        },
        |text| text,
    );
    assert_eq!(now(results.into_vec()).unwrap(), ["a", "b", "", "", "c"]);
    assert_eq!(fetched.load(Ordering::Relaxed), 2);
}

#[test]
fn a_repeat_with_a_new_result_without_text_ends_nothing() {
    let page = |number: usize| match number {
        0 => vec!["a"],
        1 => vec!["a", ""],
        _ => vec!["c"],
    };
    let results = SearchResults::paged_distinct(
        Page::new(page(0), Some(1)),
        move |number| async move { Ok(Page::new(page(number), (number < 2).then_some(2))) },
        |text| text,
    );
    assert_eq!(now(results.into_vec()).unwrap(), ["a", "", "c"]);
}

#[test]
fn an_empty_page_between_two_ends_nothing() {
    let page = |number: usize| match number {
        1 => Page::new(Vec::new(), Some(2)),
        2 => Page::new(vec!["b"], None),
        _ => Page::new(vec!["a"], Some(1)),
    };
    let results = SearchResults::paged_distinct(
        page(0),
        move |number| async move { Ok(page(number)) },
        |text| text,
    );
    assert_eq!(now(results.into_vec()).unwrap(), ["a", "b"]);
}

#[test]
fn endless_empty_pages_are_an_error() {
    let endless = SearchResults::paged(Page::new(vec![1], Some(())), |()| async {
        Ok(Page::new(Vec::new(), Some(())))
    });
    let mut endless = endless.window(0, 10);
    assert_eq!(now(endless.next()).unwrap().unwrap(), 1);
    assert_eq!(*now(endless.next()).unwrap().unwrap_err().kind(), ErrorKind::Backend);
    assert!(now(endless.next()).is_none());
}
