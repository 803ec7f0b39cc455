//! The settings of a cache.

use std::{fmt, time::Duration};

use textsearch_core::{Error, Result};

const TIME_TO_LIVE: Duration = Duration::from_secs(300);
const MAX_BYTES: u64 = 64 * 1024 * 1024;
const MAX_ENTRIES: u64 = 10_000;
const MAX_RESULTS: usize = 1_000;

/// The time when an entry expires must be representable.
const LONGEST_TIME: Duration = Duration::from_secs(100 * 366 * 24 * 60 * 60);

/// How long and how much a [`Cached`](super::Cached) keeps.
///
/// ```
/// use std::time::Duration;
/// use textsearch_compose::CacheSettings;
///
/// let mut settings = CacheSettings::default();
/// settings.time_to_live = Duration::from_secs(60);
/// assert_eq!(settings.max_bytes, 64 * 1024 * 1024);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheSettings {
    /// How long results are kept: 5 minutes by default.
    pub time_to_live: Duration,
    /// The estimated bytes of all results and queries together: 64 MiB by default. A small search
    /// counts as `max_bytes / max_entries`.
    pub max_bytes: u64,
    /// The number of searches kept: 10,000 by default.
    pub max_entries: u64,
    /// The maximum `top` of a search that is kept: 1,000 by default. A search for more passes
    /// through, so that it stays lazy.
    pub max_results: usize,
}

impl Default for CacheSettings {
    fn default() -> Self {
        Self {
            time_to_live: TIME_TO_LIVE,
            max_bytes: MAX_BYTES,
            max_entries: MAX_ENTRIES,
            max_results: MAX_RESULTS,
        }
    }
}

impl CacheSettings {
    /// Returns the least weight of a search. It makes `max_bytes` limit the number of searches, too.
    pub(super) fn min_weight(&self) -> u64 {
        self.max_bytes.div_ceil(self.max_entries.max(1))
    }

    pub(super) fn check(&self, connector: &str) -> Result<()> {
        let invalid = |option, value: &dyn fmt::Display, allowed| {
            Err(Error::invalid_options(connector, option, value, allowed))
        };
        if self.time_to_live.is_zero() || self.time_to_live > LONGEST_TIME {
            let value = format!("{:?}", self.time_to_live);
            return invalid("time_to_live", &value, "more than zero, at most 100 years");
        }
        if self.max_bytes == 0 {
            return invalid("max_bytes", &0, "at least 1");
        }
        if self.max_entries == 0 {
            return invalid("max_entries", &0, "at least 1");
        }
        Ok(())
    }
}
