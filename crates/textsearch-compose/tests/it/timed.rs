//! `Timed`: the two limits.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use futures_util::{StreamExt, stream};
use textsearch_compose::Timed;
use textsearch_core::{
    ErrorKind, SearchOptions, SearchResults, TextSearch as _, results::TotalCount,
};
use tokio::time::{Instant, sleep};

use crate::support::{Dropped, Source, failure, page, pages, texts};

const SECOND: Duration = Duration::from_secs(1);

/// Returns a result each second, without an end.
fn ticking() -> Source {
    Source::ready("ticking", |_| {
        let ticks = stream::unfold((), |()| async {
            sleep(SECOND).await;
            Some((Ok(page("https://example.com/tick")), ()))
        });
        Ok(SearchResults::from_stream(ticks).with_total_count(TotalCount::Estimated(9)))
    })
}

fn top(results: usize) -> SearchOptions {
    SearchOptions::top(results)
}

#[tokio::test(start_paused = true)]
async fn a_late_first_page_is_a_timeout() {
    let dropped = Arc::default();
    let inside = Arc::clone(&dropped);
    let silent = Source::new("silent", move |_, _| {
        let dropped = Dropped(Arc::clone(&inside));
        async move {
            let _dropped = dropped;
            std::future::pending().await
        }
    });
    let began = Instant::now();
    let error = failure(&Timed::new(silent, 2 * SECOND), &top(1)).await;
    assert_eq!(error.kind(), &ErrorKind::Timeout);
    assert_eq!(error.to_string(), "silent: the first page took longer than the limit (2s)");
    assert_eq!(began.elapsed(), 2 * SECOND);
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn the_first_limit_leaves_the_stream_alone() {
    let search = Timed::new(ticking(), SECOND / 2);
    let mut answer = search.search("q", &top(5)).await.unwrap();
    for _ in 0..5 {
        assert_eq!(answer.next().await.unwrap().unwrap(), "tick");
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_ends_with_an_error_at_the_total_limit() {
    let search = Timed::new(ticking(), SECOND).with_total_timeout(SECOND * 5 / 2);
    let mut answer = search.search("q", &top(9)).await.unwrap();
    assert_eq!(answer.total_count(), Some(TotalCount::Estimated(9)));
    assert_eq!(answer.next().await.unwrap().unwrap(), "tick");
    assert_eq!(answer.next().await.unwrap().unwrap(), "tick");
    let began = Instant::now();
    let error = answer.next().await.unwrap().unwrap_err();
    assert_eq!(began.elapsed(), SECOND / 2);
    assert_eq!(
        error.to_string(),
        "ticking: all results together took longer than the limit (2.5s)"
    );
    assert_eq!(error.kind(), &ErrorKind::Timeout);
    assert!(answer.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn the_total_limit_holds_for_the_first_page() {
    let search = Timed::new(Source::silent("silent"), 9 * SECOND).with_total_timeout(SECOND);
    let began = Instant::now();
    failure(&search, &top(1)).await;
    assert_eq!(began.elapsed(), SECOND);
}

#[tokio::test(start_paused = true)]
async fn pauses_of_the_reader_count() {
    let search = Timed::new(pages(&["a", "b"]), SECOND).with_total_timeout(2 * SECOND);
    let mut answer = search.search("q", &top(2)).await.unwrap();
    answer.next().await.unwrap().unwrap();
    sleep(3 * SECOND).await;
    assert_eq!(answer.next().await.unwrap().unwrap_err().kind(), &ErrorKind::Timeout);
}

#[tokio::test]
async fn a_search_in_time_is_unchanged() {
    let search = Timed::new(pages(&["a", "b"]), Duration::MAX).with_total_timeout(Duration::MAX);
    let answer = search.search("q", &top(1)).await.unwrap();
    assert_eq!(answer.total_count(), Some(TotalCount::Exact(2)));
    assert_eq!(answer.into_vec().await.unwrap(), ["a"]);
    let limited = Timed::new(pages(&["a", "b"]), SECOND).with_total_timeout(9 * SECOND);
    assert_eq!(texts(&limited, &top(2)).await, ["a", "b"]);
}

#[tokio::test]
async fn a_stream_that_never_pauses_ends_at_the_limit() {
    let endless = Source::ready("endless", |_| {
        let pages = stream::repeat_with(|| Ok(page("https://example.com/again")));
        Ok(SearchResults::from_stream(pages))
    });
    let search = Timed::new(endless, SECOND).with_total_timeout(Duration::from_millis(20));
    let mut answer = search.search("q", &top(usize::MAX)).await.unwrap();
    let last = loop {
        let Some(item) = answer.next().await else { break None };
        if let Err(error) = item {
            break Some(error);
        }
    };
    assert_eq!(last.unwrap().kind(), &ErrorKind::Timeout);
    let after: Vec<_> = StreamExt::collect(answer).await;
    assert!(after.is_empty());
}
