//! The one retry loop: how often, after which pauses, and until when.

use std::{
    hash::{BuildHasher, Hasher, RandomState},
    time::Duration,
};

use tokio::time::{Instant, sleep};

use super::{
    HttpSettings,
    failure::{Failure, Retry},
};
use crate::{Error, Result};

/// A day: beyond all reason, and far from what arithmetic with it could overflow.
const LONGEST_PAUSE: Duration = Duration::from_secs(24 * 60 * 60);

/// One attempt of several, as the attempt itself needs to know it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attempt {
    /// Counts from 1.
    pub(super) number: u32,
    pub(super) start: Instant,
    pub(super) end: Instant,
}

/// The attempts of one request.
struct Attempts<'a> {
    settings: &'a HttpSettings,
    is_idempotent: bool,
    end: Instant,
}

/// Makes attempts until one succeeds, or until another one is not allowed, not worth it or too late.
///
/// # Errors
/// The error of the last attempt.
pub(super) async fn with_retries<T, Attempted>(
    settings: &HttpSettings,
    is_idempotent: bool,
    attempt: impl Fn(Attempt) -> Attempted,
) -> Result<T>
where
    Attempted: Future<Output = Result<T, Failure>>,
{
    let attempts = Attempts::new(settings, is_idempotent);
    let mut number = 1;
    loop {
        let failure = match attempt(attempts.attempt(number)).await {
            Ok(value) => return Ok(value),
            Err(failure) => failure,
        };
        let pause = attempts.pause_after(number, failure)?;
        sleep(pause).await;
        number += 1;
    }
}

impl<'a> Attempts<'a> {
    fn new(settings: &'a HttpSettings, is_idempotent: bool) -> Self {
        let end = after(Instant::now(), settings.total_timeout);
        Self { settings, is_idempotent, end }
    }

    fn attempt(&self, number: u32) -> Attempt {
        let start = Instant::now();
        let end = after(start, self.settings.attempt_timeout).min(self.end);
        Attempt { number, start, end }
    }

    /// How long to wait before the next attempt, or the error where there is none.
    fn pause_after(&self, number: u32, failure: Failure) -> Result<Duration> {
        let Failure { error, retry } = failure;
        let pause = self.backoff(number).max(error.retry_after().unwrap_or_default());
        let is_in_time = after(Instant::now(), pause) < self.end;
        if number >= self.settings.max_attempts || !self.allows(retry) || !is_in_time {
            return Err(error);
        }
        announce(&error, number, pause);
        Ok(pause)
    }

    fn allows(&self, retry: Retry) -> bool {
        match retry {
            Retry::Never => false,
            Retry::IfIdempotent => self.is_idempotent,
            Retry::Always => true,
        }
    }

    /// A random part of a pause that doubles: clients that failed together do not come back together.
    fn backoff(&self, number: u32) -> Duration {
        let doubled = 2_u32.saturating_pow(number.saturating_sub(1));
        let longest = self.settings.backoff_base.saturating_mul(doubled);
        let longest = longest.min(self.settings.backoff_max).min(LONGEST_PAUSE);
        longest.mul_f64(random_part())
    }
}

/// A number from 0 to 1. The keys that the standard library gives to each new hasher are random enough to keep clients
/// apart, and spare the users of this crate a dependency.
fn random_part() -> f64 {
    let bits = RandomState::new().build_hasher().finish() >> 32;
    f64::from(u32::try_from(bits).unwrap_or(u32::MAX)) / f64::from(u32::MAX)
}

/// A time that far ahead that it does not matter when exactly, where the sum would overflow.
fn after(start: Instant, duration: Duration) -> Instant {
    let years = Duration::from_secs(30 * 365 * 24 * 60 * 60);
    start.checked_add(duration.min(years)).unwrap_or(start)
}

fn announce(error: &Error, number: u32, pause: Duration) {
    tracing::debug!(
        textsearch.connector = error.connector(),
        error.type = error.kind().name(),
        attempt = number,
        pause_ms = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX),
        "the request failed and is tried again"
    );
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::ErrorKind;

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

    /// When attempts were made, where each fails like `fail`; the last time is that of the end.
    async fn times(settings: &HttpSettings, is_safe: bool, fail: impl Fn() -> Failure) -> Vec<f64> {
        let (start, times) = (Instant::now(), RefCell::new(Vec::new()));
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
    async fn pauses_are_a_random_part_of_a_doubling_and_none_follows_the_last_attempt() {
        for _ in 0..50 {
            let times = times(&settings(6), false, || failure(Retry::Always)).await;
            let pauses: Vec<f64> = times.windows(2).map(|two| two[1] - two[0]).collect();
            let longest = [0.5, 1.0, 2.0, 4.0, 8.0, 0.0];
            assert_eq!(pauses.len(), longest.len());
            // Timers wake at the next millisecond.
            let is_within = |(pause, longest): (&f64, &f64)| *pause <= longest + 0.002;
            assert!(pauses.iter().zip(&longest).all(is_within), "{pauses:?}");
            assert_eq!(pauses[5], 0.0);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn doubling_ends_at_the_longest_pause() {
        let settings = settings(100).with_total_timeout(Duration::from_secs(100_000));
        let times = times(&settings, false, || failure(Retry::Always)).await;
        assert_eq!(times.len(), 101);
        let longest = times.windows(2).map(|two| two[1] - two[0]).fold(0.0, f64::max);
        assert!(longest > 4.0 && longest <= 8.002, "{longest}");
    }

    #[tokio::test(start_paused = true)]
    async fn what_the_server_may_have_done_is_repeated_only_where_that_does_no_harm() {
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
    async fn a_wish_of_the_server_is_granted_where_it_fits_into_the_total_time() {
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

    #[test]
    fn pauses_spread_evenly() {
        let parts: Vec<f64> = (0..4000).map(|_| random_part()).collect();
        assert!(parts.iter().all(|part| (0.0..=1.0).contains(part)));
        for quarter in [0.0, 0.25, 0.5, 0.75] {
            let within = parts.iter().filter(|part| (quarter..quarter + 0.25).contains(*part));
            let count = within.count();
            assert!((850..1150).contains(&count), "{count} of 4000 from {quarter} on");
        }
    }

    #[test]
    fn durations_beyond_all_reason_do_not_overflow() {
        let now = Instant::now();
        assert!(after(now, Duration::MAX) > now);
        let settings = settings(u32::MAX).with_backoff(Duration::MAX, Duration::MAX);
        let settings = settings.with_total_timeout(Duration::MAX);
        let attempts = Attempts::new(&settings, true);
        let pause = attempts.pause_after(1_000_000, failure(Retry::Always)).unwrap();
        assert!(pause <= LONGEST_PAUSE);
    }
}
