//! `RateLimited`: turns, waits, refusals.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use futures_util::{FutureExt, future::join_all};
use textsearch_compose::{RateLimit, RateLimited};
use textsearch_core::{Error, ErrorKind, SearchOptions, TextSearch as _};
use tokio::time::{Instant, advance};

use crate::support::{Source, failure, with_results};

const SECOND: Duration = Duration::from_secs(1);

/// Remembers when it was asked, in seconds.
#[derive(Clone)]
struct Clock {
    began: Instant,
    asked: Arc<Mutex<Vec<f32>>>,
}

impl Clock {
    fn new() -> Self {
        Self { began: Instant::now(), asked: Arc::default() }
    }

    fn source(&self) -> Source {
        let clock = self.clone();
        Source::ready("source", move |_| {
            clock.asked.lock().unwrap().push(clock.began.elapsed().as_secs_f32());
            with_results([])
        })
    }

    fn limited(&self, limit: RateLimit) -> RateLimited {
        RateLimited::new(self.source(), limit).unwrap()
    }

    fn asked(&self) -> Vec<f32> {
        self.asked.lock().unwrap().clone()
    }
}

async fn search(limited: &RateLimited) -> Result<(), Error> {
    limited.search("q", &SearchOptions::default()).await.map(drop)
}

#[tokio::test(start_paused = true)]
async fn callers_wait_for_their_turn() {
    let clock = Clock::new();
    let limited = clock.limited(RateLimit::new(2, SECOND));
    let all = join_all((0..4).map(|_| search(&limited))).await;
    assert!(all.iter().all(Result::is_ok));
    let asked: Vec<_> = clock.asked().iter().map(|time| (time * 10.0).round()).collect();
    assert_eq!(asked, [0.0, 5.0, 10.0, 15.0]);
}

#[tokio::test(start_paused = true)]
async fn a_burst_goes_at_once() {
    let clock = Clock::new();
    let limited = clock.limited(RateLimit::new(1, SECOND).with_burst(3));
    join_all((0..4).map(|_| search(&limited))).await;
    let asked: Vec<_> = clock.asked().iter().map(|time| time.round()).collect();
    assert_eq!(asked, [0.0, 0.0, 0.0, 1.0]);
}

#[tokio::test(start_paused = true)]
async fn without_a_wait_the_limit_is_an_error() {
    let clock = Clock::new();
    let limited = clock.limited(RateLimit::new(1, SECOND).with_max_wait(Duration::ZERO));
    search(&limited).await.unwrap();
    advance(SECOND / 4).await;
    let error = failure(&limited, &SearchOptions::default()).await;
    assert_eq!(error.to_string(), "source: more searches than the limit (1 in 1s)");
    assert_eq!(error.kind(), &ErrorKind::RateLimited);
    assert_eq!(error.retry_after(), Some(SECOND * 3 / 4));
    advance(SECOND * 3 / 4).await;
    search(&limited).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_caller_who_cannot_be_served_in_time_fails_at_once() {
    let clock = Clock::new();
    let limited = clock.limited(RateLimit::new(1, SECOND).with_max_wait(2 * SECOND));
    search(&limited).await.unwrap();
    let mut waiting: Vec<_> = (0..2).map(|_| Box::pin(search(&limited))).collect();
    assert!(waiting.iter_mut().all(|caller| caller.now_or_never().is_none()));
    let mut next = Box::pin(search(&limited));
    assert!((&mut next).now_or_never().is_none(), "the third turn may come in time");
    let error = failure(&limited, &SearchOptions::default()).now_or_never().unwrap();
    assert_eq!(error.retry_after(), Some(3 * SECOND));
    assert!(join_all(waiting).await.iter().all(Result::is_ok));
}

#[tokio::test(start_paused = true)]
async fn a_wait_ends_at_its_limit() {
    let clock = Clock::new();
    let limited = clock.limited(RateLimit::new(1, 4 * SECOND).with_max_wait(5 * SECOND));
    search(&limited).await.unwrap();
    let both = join_all((0..2).map(|_| search(&limited))).await;
    assert!(both[0].is_ok());
    assert_eq!(both[1].as_ref().unwrap_err().kind(), &ErrorKind::RateLimited);
    assert!(clock.began.elapsed() <= 5 * SECOND + SECOND / 100);
}

#[tokio::test(start_paused = true)]
async fn turns_come_in_the_order_of_arrival() {
    let clock = Clock::new();
    let limited = clock.limited(RateLimit::new(1, SECOND));
    let order = Arc::new(Mutex::new(Vec::new()));
    let callers = (0..5).map(|number| {
        let limited = limited.clone();
        let order = Arc::clone(&order);
        async move {
            search(&limited).await.unwrap();
            order.lock().unwrap().push(number);
        }
    });
    join_all(callers).await;
    assert_eq!(*order.lock().unwrap(), [0, 1, 2, 3, 4]);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_caller_gives_its_turn_to_the_next() {
    let clock = Clock::new();
    let limited = clock.limited(RateLimit::new(1, SECOND));
    search(&limited).await.unwrap();
    let mut first = Box::pin(search(&limited));
    let mut second = Box::pin(search(&limited));
    assert!((&mut first).now_or_never().is_none() && (&mut second).now_or_never().is_none());
    drop(first);
    second.await.unwrap();
    let asked: Vec<_> = clock.asked().iter().map(|time| time.round()).collect();
    assert_eq!(asked, [0.0, 1.0]);
}

#[tokio::test(start_paused = true)]
async fn a_search_dropped_after_its_turn_stays_counted() {
    let silent = Source::silent("silent");
    let limit = RateLimit::new(1, SECOND).with_max_wait(Duration::ZERO);
    let limited = RateLimited::new(silent.clone(), limit).unwrap();
    assert!(search(&limited).now_or_never().is_none());
    assert_eq!(search(&limited).await.unwrap_err().kind(), &ErrorKind::RateLimited);
    assert_eq!(silent.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn clones_share_the_limit() {
    let clock = Clock::new();
    let limited = clock.limited(RateLimit::new(1, SECOND).with_max_wait(Duration::ZERO));
    search(&limited.clone()).await.unwrap();
    assert!(search(&limited).await.is_err());
}

#[test]
fn impossible_limits_are_refused() {
    for (limit, name) in [
        (RateLimit::new(0, SECOND), "searches"),
        (RateLimit::new(1, Duration::ZERO), "period"),
        (RateLimit::new(u32::MAX, Duration::from_nanos(1)), "period"),
        (RateLimit::new(1, Duration::MAX), "period"),
        (RateLimit::new(1, SECOND).with_burst(0), "burst"),
        (RateLimit::new(1, SECOND * 3600).with_burst(u32::MAX), "burst"),
    ] {
        let error = RateLimited::new(Source::silent("silent"), limit).unwrap_err();
        let ErrorKind::InvalidOptions { option, .. } = error.kind() else { panic!("{error:?}") };
        assert_eq!(option, name);
    }
}

#[tokio::test]
async fn extreme_limits_do_no_harm() {
    let year = Duration::from_secs(365 * 24 * 3600);
    for limit in [
        RateLimit::new(u32::MAX, year).with_burst(u32::MAX),
        RateLimit::new(1, year).with_max_wait(Duration::ZERO),
        RateLimit::new(u32::MAX, Duration::from_secs(5)).with_max_wait(Duration::MAX),
    ] {
        let limited =
            RateLimited::new(Source::ready("source", |_| with_results([])), limit).unwrap();
        search(&limited).await.unwrap();
        let _second = search(&limited).now_or_never();
    }
}
