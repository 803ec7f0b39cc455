//! A search with a rate limit.

use std::{
    fmt,
    num::NonZeroU32,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use governor::{
    Quota, RateLimiter,
    clock::Clock,
    middleware::NoOpMiddleware,
    nanos::Nanos,
    state::{InMemoryState, NotKeyed},
};
use textsearch_core::{
    Error, ErrorKind, Result, SearchOptions, SearchResults, TextSearch,
    connector::TextSearchWrapper, results::AnyRecord,
};
use tokio::{
    sync::Mutex,
    time::{Instant, sleep, timeout_at},
};

const MAX_WAIT: Duration = Duration::from_secs(10);

/// Longer than any provider's plan, and short enough to count in nanoseconds.
const LONGEST_PERIOD: Duration = Duration::from_secs(366 * 24 * 60 * 60);

/// How often a [`RateLimited`] asks the inner search, and how long a caller waits.
///
/// ```
/// use std::time::Duration;
/// use textsearch_compose::RateLimit;
///
/// // Twenty a minute, five of them at once, and no waiting.
/// let limit = RateLimit::new(20, Duration::from_secs(60)).with_burst(5).with_max_wait(Duration::ZERO);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RateLimit {
    /// The number of searches in a period.
    pub searches: u32,
    /// The period.
    pub period: Duration,
    /// How many searches may follow each other at once after a pause: 1 by default.
    pub burst: u32,
    /// How long a caller waits at most: 10 seconds by default. With zero, a caller never waits.
    pub max_wait: Duration,
}

impl RateLimit {
    /// Allows `searches` in each `period`, evenly spread.
    pub const fn new(searches: u32, period: Duration) -> Self {
        Self { searches, period, burst: 1, max_wait: MAX_WAIT }
    }

    /// Sets how many searches may follow each other at once. They count: it takes a pause to have
    /// as many again.
    #[must_use]
    pub const fn with_burst(mut self, burst: u32) -> Self {
        self.burst = burst;
        self
    }

    /// Sets how long a caller waits at most.
    #[must_use]
    pub const fn with_max_wait(mut self, wait: Duration) -> Self {
        self.max_wait = wait;
        self
    }

    fn quota(&self, connector: &str) -> Result<Quota> {
        let invalid = |option, value: &dyn fmt::Display, allowed: &str| {
            Err(Error::invalid_options(connector, option, value, allowed))
        };
        let period = format!("{:?}", self.period);
        let Some(burst) = NonZeroU32::new(self.burst) else {
            return invalid("burst", &self.burst, "at least 1");
        };
        if self.period > LONGEST_PERIOD {
            return invalid("period", &period, "at most 366 days");
        }
        let Some(interval) = self.period.checked_div(self.searches) else {
            return invalid("searches", &0, "at least 1");
        };
        let Some(quota) = Quota::with_period(interval) else {
            return invalid("period", &period, "at least a nanosecond for each search");
        };
        if interval.checked_mul(self.burst).is_none_or(|pause| pause > LONGEST_PERIOD) {
            return invalid("burst", &self.burst, "as many searches as 366 days allow, at most");
        }
        Ok(quota.allow_burst(burst))
    }
}

/// The runtime's clock, which also times the waits.
struct RuntimeClock(Instant);

impl Clock for RuntimeClock {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        // A u64 of nanoseconds lasts for 584 years.
        Nanos::new(u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }
}

struct Gate {
    limiter: RateLimiter<NotKeyed, InMemoryState, RuntimeClock, NoOpMiddleware<Nanos>>,
    /// The time between two searches.
    interval: Duration,
    waiting: AtomicU32,
    /// Held by the caller who is next; the others queue up in order.
    turn: Mutex<()>,
}

impl Gate {
    /// Counts a search, or returns how long to wait until one is allowed.
    fn check(&self) -> Result<(), Duration> {
        self.limiter.check().map_err(|until| until.wait_time_from(self.limiter.clock().now()))
    }
}

/// Counts a caller who waits.
struct Waiting<'a>(&'a AtomicU32);

impl<'a> Waiting<'a> {
    fn new(count: &'a AtomicU32) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A search that asks the inner search at most so often, for a provider's limit.
///
/// - A caller over the limit waits for its turn, in order of arrival, up to
///   [`max_wait`](RateLimit::max_wait). If that isn't enough, the call fails with
///   [`RateLimited`](ErrorKind::RateLimited) and says when to
///   [retry](Error::retry_after).
/// - Clones share the limit.
/// - Each call counts as one, whether it succeeds or not. Later pages of a stream and the requests
///   that a connector sends again aren't counted: leave room for them.
/// - Dropping a caller that waits gives its turn to the next one. A search that was allowed stays
///   counted when it's dropped: its request may have been sent.
/// - The wrapper passes on results, order, counts, filters and other errors unchanged.
///
/// Calls that wait need a Tokio runtime with time enabled.
///
/// ```
/// use std::time::Duration;
/// use textsearch_compose::{RateLimit, RateLimited};
/// use textsearch_core::{ErrorKind, FixedSearch, SearchOptions, TextSearch, TextSearchResult};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_core::Result<()> {
/// let notes = FixedSearch::new([TextSearchResult::new("From a note.")]);
/// let limit = RateLimit::new(1, Duration::from_secs(60)).with_max_wait(Duration::ZERO);
/// let search = RateLimited::new(notes, limit)?;
///
/// search.search("note", &SearchOptions::top(3)).await?;
/// let error = search.search("note", &SearchOptions::top(3)).await.unwrap_err();
/// assert_eq!(error.kind(), &ErrorKind::RateLimited);
/// assert!(error.retry_after() > Some(Duration::from_secs(59)));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct RateLimited {
    inner: Arc<dyn TextSearch>,
    limit: RateLimit,
    gate: Arc<Gate>,
}

impl RateLimited {
    /// Limits the rate of `search`.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](ErrorKind::InvalidOptions), naming the setting, for no searches, no
    /// burst, and a period that is zero or longer than 366 days.
    pub fn new(search: impl TextSearch + 'static, limit: RateLimit) -> Result<Self> {
        let quota = limit.quota(search.name())?;
        let gate = Gate {
            limiter: RateLimiter::direct_with_clock(quota, RuntimeClock(Instant::now())),
            interval: quota.replenish_interval(),
            waiting: AtomicU32::new(0),
            turn: Mutex::new(()),
        };
        Ok(Self { inner: Arc::new(search), limit, gate: Arc::new(gate) })
    }

    /// Waits until a search is allowed, and counts it.
    async fn enter(&self) -> Result<()> {
        let wait = match self.gate.waiting.load(Ordering::Relaxed) {
            0 => match self.gate.check() {
                Ok(()) => return Ok(()),
                Err(wait) => wait,
            },
            // Each caller ahead takes one.
            ahead => self.gate.interval.saturating_mul(ahead),
        };
        if wait > self.limit.max_wait {
            return Err(self.refused(wait));
        }
        self.wait_in_line().await
    }

    async fn wait_in_line(&self) -> Result<()> {
        let deadline = Instant::now() + self.limit.max_wait.min(LONGEST_PERIOD);
        let _counted = Waiting::new(&self.gate.waiting);
        let Ok(_turn) = timeout_at(deadline, self.gate.turn.lock()).await else {
            return Err(self.refused(self.gate.interval));
        };
        while let Err(wait) = self.gate.check() {
            // A caller who cannot be served in time must not hold up the next one.
            if Instant::now() + wait > deadline {
                return Err(self.refused(wait));
            }
            sleep(wait).await;
        }
        Ok(())
    }

    fn refused(&self, wait: Duration) -> Error {
        let RateLimit { searches, period, .. } = self.limit;
        let message = format!("more searches than the limit ({searches} in {period:?})");
        Error::new(ErrorKind::RateLimited, self.inner.name(), message).with_retry_after(wait)
    }
}

impl TextSearchWrapper for RateLimited {
    fn inner(&self) -> &dyn TextSearch {
        &self.inner
    }

    async fn search_inner(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchResults<AnyRecord>> {
        self.enter().await?;
        self.inner.search_any(query, options).await
    }
}

impl fmt::Debug for RateLimited {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("RateLimited")
            .field("inner", &self.inner.name())
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}
