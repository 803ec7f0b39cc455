//! `Cached`: key, single flight, kept results.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::{FutureExt, StreamExt, future::join_all, stream};
use textsearch_compose::{CacheSettings, Cached, Fallback, FanOut, FanOutSettings, Sources};
use textsearch_core::{
    Error, ErrorKind, Filter, FilterableField, SearchOptions, SearchResults, TextSearch as _,
    TextSearchResult,
    results::{Metadata, TotalCount},
};
use tokio::sync::Notify;

use crate::support::{
    Dropped, Found, Source, failure, page, pages, results, texts, try_texts, with_results,
};

/// Finds the number of the call.
fn counting() -> Source {
    Source::new("counting", |call, _| async move {
        with_results([TextSearchResult::new(call.to_string())])
    })
    .with_fields([FilterableField::string("Name", "")])
}

fn cached(source: &Source) -> Cached {
    Cached::new(source.clone(), CacheSettings::default()).unwrap()
}

fn top(results: usize) -> SearchOptions {
    SearchOptions::top(results)
}

#[tokio::test]
async fn the_same_search_is_asked_once() {
    let source = counting();
    let search = cached(&source);
    for _ in 0..3 {
        assert_eq!(texts(&search.clone(), &top(3)).await, ["0"]);
    }
    assert_eq!(source.calls(), 1);
}

#[tokio::test]
async fn searches_that_differ_in_anything_are_asked_apart() {
    let source = counting();
    let search = cached(&source);
    let filter = || Filter::eq("Name", "a");
    let different = [
        top(3),
        top(4),
        top(3).with_skip(1),
        top(3).with_total_count(true),
        top(3).with_filter(filter()),
        top(3).with_fixed_filter(filter()),
        top(3).with_filter(filter()).with_fixed_filter(filter()),
        top(3).with_filter(Filter::eq("Name", 1)),
        top(3).with_filter(Filter::eq("Name", 1.0)),
        top(3).with_filter(Filter::eq("Name", "1")),
        top(3).with_filter(Filter::eq("Name", "a\",\"b")),
    ];
    for round in 0..2 {
        for (number, options) in different.iter().enumerate() {
            assert_eq!(texts(&search, options).await, [number.to_string()], "{round}: {options:?}");
        }
    }
    search.search("Q", &top(3)).await.unwrap();
    assert_eq!(source.calls(), different.len() + 1);
}

#[tokio::test]
async fn a_hit_has_the_count_and_metadata_of_the_search() {
    let source = Source::ready("source", |_| {
        let facts = Metadata::from_iter([("took_ms".to_owned(), 7.into())]);
        Ok(with_results([page("https://example.com/a")])?
            .with_metadata(facts)
            .with_total_count(TotalCount::Estimated(9)))
    });
    let search = cached(&source);
    let first = results(&search, &top(1)).await;
    let answer = search.text_search_results("q", &top(1)).await.unwrap();
    assert_eq!(answer.total_count(), Some(TotalCount::Estimated(9)));
    assert_eq!(answer.metadata()["took_ms"], 7);
    assert_eq!(answer.into_vec().await.unwrap(), first);
    assert_eq!(source.calls(), 1);
}

/// Answers when notified, and counts how often it was dropped before.
fn waiting(gate: &Arc<Notify>, dropped: &Arc<AtomicUsize>) -> Source {
    let gate = Arc::clone(gate);
    let dropped = Arc::clone(dropped);
    Source::new("waiting", move |call, _| {
        let gate = Arc::clone(&gate);
        let dropped = Dropped(Arc::clone(&dropped));
        async move {
            gate.notified().await;
            std::mem::forget(dropped);
            with_results([TextSearchResult::new(call.to_string())])
        }
    })
}

#[tokio::test]
async fn concurrent_callers_share_one_search() {
    let gate = Arc::default();
    let source = waiting(&gate, &Arc::default());
    let search = cached(&source);
    let options = top(1);
    let callers = join_all((0..50).map(|_| texts(&search, &options)));
    gate.notify_one();
    assert!(callers.await.iter().all(|texts| *texts == ["0"]));
    assert_eq!(source.calls(), 1);
}

#[tokio::test]
async fn a_dropped_caller_leaves_the_search_to_the_others() {
    let gate = Arc::default();
    let dropped = Arc::default();
    let source = waiting(&gate, &dropped);
    let search = cached(&source);
    let options = top(1);
    let mut first = Box::pin(texts(&search, &options));
    assert!((&mut first).now_or_never().is_none());
    let mut second = Box::pin(texts(&search, &options));
    assert!((&mut second).now_or_never().is_none());
    drop(first);
    gate.notify_one();
    assert_eq!(second.await, ["0"]);
    assert_eq!((source.calls(), dropped.load(Ordering::SeqCst)), (1, 0));
}

#[tokio::test]
async fn a_search_stops_when_all_callers_are_dropped() {
    let gate = Arc::default();
    let dropped = Arc::default();
    let source = waiting(&gate, &dropped);
    let search = cached(&source);
    let options = top(1);
    for round in 1..300 {
        assert!(texts(&search, &options).now_or_never().is_none());
        assert_eq!(dropped.load(Ordering::SeqCst), round);
    }
    gate.notify_one();
    assert_eq!(texts(&search, &options).await, ["299"]);
}

/// Waits for the gate and then fails, the first time; finds something later.
fn failing_once(gate: &Arc<Notify>, fail: fn() -> Found) -> Source {
    let gate = Arc::clone(gate);
    Source::new("source", move |call, _| {
        let gate = Arc::clone(&gate);
        async move {
            if call > 0 {
                return with_results([TextSearchResult::new("better")]);
            }
            gate.notified().await;
            fail()
        }
    })
}

/// Opens the gate when three callers wait.
async fn failures_of_three(search: &Cached, gate: &Notify) -> Vec<Error> {
    let options = top(1);
    let mut callers: Vec<_> = (0..3).map(|_| Box::pin(failure(search, &options))).collect();
    assert!(callers.iter_mut().all(|caller| caller.now_or_never().is_none()));
    gate.notify_one();
    join_all(callers).await
}

#[tokio::test]
async fn errors_are_shared_and_not_kept() {
    let gate = Arc::default();
    let source = failing_once(&gate, || Err(Error::new(ErrorKind::Unavailable, "source", "down")));
    let search = cached(&source);
    for error in failures_of_three(&search, &gate).await {
        assert_eq!(error.kind(), &ErrorKind::Unavailable);
    }
    assert_eq!(texts(&search, &top(1)).await, ["better"]);
    assert_eq!(source.calls(), 2);
}

#[tokio::test]
async fn a_panic_is_an_error_for_all_callers() {
    let gate = Arc::default();
    let search = cached(&failing_once(&gate, || panic!("a source that panics")));
    for error in failures_of_three(&search, &gate).await {
        assert_eq!(error.to_string(), "source: the search panicked");
    }
    assert_eq!(texts(&search, &top(1)).await, ["better"]);
}

#[tokio::test]
async fn results_with_an_error_are_passed_on_and_not_kept() {
    let source = Source::ready("source", |_| {
        let items = [
            Ok(TextSearchResult::new("a")),
            Err(Error::new(ErrorKind::Undecodable, "source", "no record")),
            Ok(TextSearchResult::new("b")),
            Err(Error::new(ErrorKind::Unavailable, "source", "no page")),
        ];
        Ok(SearchResults::from_stream(stream::iter(items)))
    });
    let search = cached(&source);
    for _ in 0..2 {
        let answer = search.search("q", &top(5)).await.unwrap();
        let kinds = StreamExt::map(answer, |item| item.map_err(|error| error.kind().name()));
        let items: Vec<_> = kinds.collect().await;
        assert_eq!(items, [Ok("a".into()), Err("undecodable"), Ok("b".into()), Err("unavailable")]);
    }
    assert_eq!(source.calls(), 2);
}

/// Counts the results read from it.
fn endless(read: &Arc<AtomicUsize>) -> Source {
    let read = Arc::clone(read);
    Source::ready("endless", move |_| {
        let read = Arc::clone(&read);
        let pages = stream::repeat_with(move || {
            read.fetch_add(1, Ordering::SeqCst);
            Ok(page("https://example.com/again"))
        });
        Ok(SearchResults::from_stream(pages))
    })
}

#[tokio::test]
async fn the_call_reads_the_window_and_no_more() {
    let read = Arc::default();
    let search = cached(&endless(&read));
    let answer = search.search("q", &top(7)).await.unwrap();
    assert_eq!(read.load(Ordering::SeqCst), 7);
    assert_eq!(answer.into_vec().await.unwrap().len(), 7);
    texts(&search, &top(7)).await;
    assert_eq!(read.load(Ordering::SeqCst), 7);
}

#[tokio::test]
async fn a_search_for_too_many_results_stays_lazy() {
    let read = Arc::default();
    let source = endless(&read);
    let mut settings = CacheSettings::default();
    settings.max_results = 5;
    let search = Cached::new(source.clone(), settings).unwrap();
    let mut answer = search.search("q", &top(6)).await.unwrap();
    assert_eq!(read.load(Ordering::SeqCst), 0);
    answer.next().await.unwrap().unwrap();
    assert_eq!(read.load(Ordering::SeqCst), 1);
    search.search("q", &top(6)).await.unwrap();
    assert_eq!(source.calls(), 2);
}

#[tokio::test]
async fn results_are_asked_for_again_after_their_time() {
    let source = counting();
    let mut settings = CacheSettings::default();
    settings.time_to_live = Duration::from_nanos(1);
    let search = Cached::new(source.clone(), settings).unwrap();
    assert_eq!(texts(&search, &top(1)).await, ["0"]);
    assert_eq!(texts(&search, &top(1)).await, ["1"]);
}

#[tokio::test]
async fn a_filter_without_json_is_not_kept() {
    let source = counting();
    let search = cached(&source);
    let options = top(1).with_filter(Filter::eq("Name", f64::NAN));
    assert_eq!(texts(&search, &options).await, ["0"]);
    assert_eq!(texts(&search, &options).await, ["1"]);
}

#[tokio::test]
async fn filters_are_refused_before_the_cache_is_asked() {
    let source = counting().without_fixed_filters();
    let search = cached(&source);
    texts(&search, &top(1)).await;
    let error = try_texts(&search, &top(1).with_fixed_filter(Filter::eq("Name", "a"))).await;
    assert!(error.is_err());
    assert_eq!(source.calls(), 1);
}

#[test]
fn impossible_settings_are_refused() {
    type Change = fn(&mut CacheSettings);
    let cases: [(Change, &str); 4] = [
        (|settings| settings.time_to_live = Duration::ZERO, "time_to_live"),
        (|settings| settings.time_to_live = Duration::MAX, "time_to_live"),
        (|settings| settings.max_bytes = 0, "max_bytes"),
        (|settings| settings.max_entries = 0, "max_entries"),
    ];
    for (change, name) in cases {
        let mut settings = CacheSettings::default();
        change(&mut settings);
        let error = Cached::new(counting(), settings).unwrap_err();
        let ErrorKind::InvalidOptions { option, .. } = error.kind() else { panic!("{error:?}") };
        assert_eq!(option, name);
    }
}

#[tokio::test]
async fn results_that_lack_a_source_are_not_kept() {
    let dead = Source::failing("dead", ErrorKind::Unavailable);
    let notes = counting();
    let fallback = Fallback::new(Sources::new("dead", dead).with_source("notes", notes.clone()));
    let fallback = fallback.unwrap();
    let fan_out = Sources::new("inside", fallback.clone()).with_source("empty", pages(&[]));
    let fan_out = FanOut::new(fan_out, FanOutSettings::default()).unwrap();
    let of_both = [
        Cached::new(fallback, CacheSettings::default()).unwrap(),
        Cached::new(fan_out, CacheSettings::default()).unwrap(),
    ];
    for (number, search) in of_both.iter().enumerate() {
        texts(search, &top(1)).await;
        texts(search, &top(1)).await;
        assert_eq!(notes.calls(), 2 * (number + 1));
    }
}

#[tokio::test]
async fn a_fallback_from_no_results_is_kept() {
    let notes = counting();
    let sources = Sources::new("empty", pages(&[])).with_source("notes", notes.clone());
    let fallback = Fallback::new(sources).unwrap().with_on_no_results(true);
    let search = Cached::new(fallback, CacheSettings::default()).unwrap();
    texts(&search, &top(1)).await;
    texts(&search, &top(1)).await;
    assert_eq!(notes.calls(), 1);
}
