//! Retries.

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use backon::{BackoffBuilder, ExponentialBuilder, Retryable as _};
use tokio::time::{Instant, sleep};

use super::{
    HttpSettings,
    failure::{Failure, Retry},
};
use crate::{Result, telemetry::metrics};

/// Longer than any sensible pause, and short enough that arithmetic cannot overflow.
const LONGEST_PAUSE: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Debug, Clone, Copy)]
pub(super) struct Attempt {
    /// Counts from 1.
    pub(super) number: u32,
    pub(super) start: Instant,
    pub(super) end: Instant,
}

/// Makes attempts until one succeeds, or another is not allowed or too late. Returns the last
/// error.
pub(super) async fn with_retries<T, Attempted>(
    settings: &HttpSettings,
    is_idempotent: bool,
    attempt: impl Fn(Attempt) -> Attempted,
) -> Result<T>
where
    Attempted: Future<Output = Result<T, Failure>>,
{
    let last = after(Instant::now(), settings.total_timeout);
    let attempts = AtomicU32::new(0);
    let next_attempt = || {
        let number = attempts.fetch_add(1, Ordering::Relaxed) + 1;
        let start = Instant::now();
        attempt(Attempt { number, start, end: after(start, settings.attempt_timeout).min(last) })
    };
    next_attempt
        .retry(pauses(settings))
        .sleep(sleep)
        .when(|failure| match failure.retry {
            Retry::Never => false,
            Retry::IfIdempotent => is_idempotent,
            Retry::Always => true,
        })
        .adjust(|failure, pause| {
            // The server's wish counts, unless it exceeds the time that is left.
            let pause = pause?.max(failure.error.retry_after().unwrap_or_default());
            (after(Instant::now(), pause) < last).then_some(pause)
        })
        .notify(announce)
        .await
        .map_err(|failure| failure.error.with_attempts(attempts.load(Ordering::Relaxed)))
}

/// Pauses double and have a random part, so that clients that failed together return apart.
fn pauses(settings: &HttpSettings) -> impl BackoffBuilder {
    ExponentialBuilder::new()
        .with_jitter()
        .with_min_delay(settings.backoff_base.min(LONGEST_PAUSE))
        .with_max_delay(settings.backoff_max.min(LONGEST_PAUSE))
        .with_max_times(usize::try_from(settings.max_attempts - 1).unwrap_or(usize::MAX))
}

/// Adds at most 30 years, so that the sum cannot overflow.
fn after(start: Instant, duration: Duration) -> Instant {
    let years = Duration::from_secs(30 * 365 * 24 * 60 * 60);
    start.checked_add(duration.min(years)).unwrap_or(start)
}

fn announce(failure: &Failure, pause: Duration) {
    metrics::count_retry(failure.error.connector(), failure.error.kind().name());
    tracing::debug!(
        textsearch.connector = failure.error.connector(),
        error.type = failure.error.kind().name(),
        pause_ms = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX),
        "the request failed and is tried again"
    );
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::{Error, ErrorKind};

    fn failure(retry: Retry) -> Failure {
        Failure::new(Error::new(ErrorKind::Unavailable, "brave", "not there"), retry)
    }

    fn asking_for(wait: Duration) -> Failure {
        let error = failure(Retry::Always).error.with_retry_after(wait);
        Failure::new(error, Retry::Always)
    }

    fn settings(attempts: u32) -> HttpSettings {
        HttpSettings::default().with_max_attempts(attempts)
    }

    /// Returns the times of the attempts and of the end.
    async fn times(settings: &HttpSettings, is_safe: bool, fail: impl Fn() -> Failure) -> Vec<f64> {
        let start = Instant::now();
        let times = RefCell::new(Vec::new());
        let result: Result<()> = with_retries(settings, is_safe, |_| async {
            times.borrow_mut().push(start.elapsed().as_secs_f64());
            Err(fail())
        })
        .await;
        assert_eq!(result.unwrap_err().message(), "not there");
        let mut times = times.into_inner();
        times.push(start.elapsed().as_secs_f64());
        times
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_double_up_to_the_longest_with_a_random_part() {
        let settings = settings(7).with_total_timeout(Duration::from_secs(1_000));
        for _ in 0..50 {
            let times = times(&settings, false, || failure(Retry::Always)).await;
            let pauses: Vec<f64> = times.windows(2).map(|two| two[1] - two[0]).collect();
            let shortest = [0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 0.0];
            assert_eq!(pauses.len(), shortest.len());
            for (pause, shortest) in pauses.iter().zip(shortest) {
                // Timers wake at the next millisecond.
                assert!((shortest..=2.0 * shortest + 0.002).contains(pause), "{pauses:?}");
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn clients_that_fail_together_retry_apart() {
        let settings = settings(5);
        let first = times(&settings, false, || failure(Retry::Always)).await;
        assert_ne!(first, times(&settings, false, || failure(Retry::Always)).await);
    }

    #[tokio::test(start_paused = true)]
    async fn possibly_executed_requests_are_retried_only_if_idempotent() {
        let cases = [
            (Retry::Never, true, 1),
            (Retry::Never, false, 1),
            (Retry::IfIdempotent, true, 3),
            (Retry::IfIdempotent, false, 1),
            (Retry::Always, true, 3),
            (Retry::Always, false, 3),
        ];
        for (retry, is_safe, attempts) in cases {
            let times = times(&settings(3), is_safe, || failure(retry)).await;
            assert_eq!(times.len(), attempts + 1, "{retry:?}, {is_safe}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn retry_after_is_kept_within_the_total_time() {
        let wait = Duration::from_secs(20);
        let granted = times(&settings(9), false, || asking_for(wait)).await;
        // A fourth attempt would come at 60 s, when the time is up.
        let seconds: Vec<u64> = granted.iter().map(|time| time.floor() as u64).collect();
        assert_eq!(seconds, [0, 20, 40, 40]);
        let long = times(&settings(9), false, || asking_for(Duration::from_secs(61))).await;
        assert_eq!(long, [0.0, 0.0]);
    }

    #[tokio::test(start_paused = true)]
    async fn an_attempt_ends_with_the_total_time_at_the_latest() {
        let settings = settings(2).with_total_timeout(Duration::from_secs(40));
        let lengths = RefCell::new(Vec::new());
        let result: Result<()> = with_retries(&settings, true, |attempt| {
            lengths.borrow_mut().push((attempt.number, (attempt.end - attempt.start).as_secs()));
            async {
                sleep(Duration::from_secs(29)).await;
                Err(asking_for(Duration::from_secs(1)))
            }
        })
        .await;
        assert!(result.is_err());
        assert_eq!(lengths.into_inner(), [(1, 30), (2, 10)]);
    }

    #[tokio::test(start_paused = true)]
    async fn huge_durations_do_not_overflow() {
        let now = Instant::now();
        assert!(after(now, Duration::MAX) > now);
        let settings = settings(40).with_backoff(Duration::MAX, Duration::MAX);
        let settings = settings.with_total_timeout(Duration::MAX);
        let times = times(&settings, true, || failure(Retry::Always)).await;
        assert_eq!(times.len(), 41);
        let longest = times.windows(2).map(|two| two[1] - two[0]).fold(0.0, f64::max);
        assert!(longest <= 2.0 * LONGEST_PAUSE.as_secs_f64() + 0.002, "{longest}");
    }
}
