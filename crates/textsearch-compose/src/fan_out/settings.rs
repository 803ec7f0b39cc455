//! The settings of a fan-out.

use std::time::Duration;

use textsearch_core::{Error, Result};

use crate::sources::Combined;

const RANK_CONSTANT: u32 = 60;
const DEPTH: usize = 20;
const SOURCE_TIMEOUT: Duration = Duration::from_secs(10);

/// How a [`FanOut`](super::FanOut) asks its sources and fuses their rankings.
///
/// ```
/// use std::time::Duration;
/// use textsearch_compose::FanOutSettings;
///
/// let settings = FanOutSettings::default().with_depth(100).with_source_timeout(Duration::from_secs(2));
/// assert_eq!((settings.rank_constant, settings.min_sources), (60, 1));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FanOutSettings {
    /// The number of results to request from each source: 20 by default.
    pub depth: usize,
    /// The rank constant of the fusion: 60 by default.
    pub rank_constant: u32,
    /// How long a source may take for all its results: 10 seconds by default.
    pub source_timeout: Duration,
    /// The number of sources that must answer: 1 by default.
    pub min_sources: usize,
}

impl Default for FanOutSettings {
    fn default() -> Self {
        Self {
            depth: DEPTH,
            rank_constant: RANK_CONSTANT,
            source_timeout: SOURCE_TIMEOUT,
            min_sources: 1,
        }
    }
}

impl FanOutSettings {
    /// Sets the number of results to request from each source, for every page. It is also the
    /// maximum of `skip + top`. No source may have a lower maximum.
    #[must_use]
    pub fn with_depth(mut self, results: usize) -> Self {
        self.depth = results;
        self
    }

    /// Sets the rank constant. A larger one gives the top ranks less advantage.
    #[must_use]
    pub fn with_rank_constant(mut self, constant: u32) -> Self {
        self.rank_constant = constant;
        self
    }

    /// Sets how long a source may take. Its results up to then count.
    #[must_use]
    pub fn with_source_timeout(mut self, timeout: Duration) -> Self {
        self.source_timeout = timeout;
        self
    }

    /// Sets the number of sources that must answer. With fewer, the search fails.
    #[must_use]
    pub fn with_min_sources(mut self, sources: usize) -> Self {
        self.min_sources = sources;
        self
    }

    pub(super) fn check(&self, connector: &str, combined: &Combined) -> Result<()> {
        let count = combined.sources.len();
        if self.depth == 0 {
            return Err(Error::invalid_options(connector, "depth", 0, "at least 1"));
        }
        if self.min_sources == 0 || self.min_sources > count {
            let allowed = format!("from 1 to {count}, the number of sources");
            return Err(Error::invalid_options(
                connector,
                "min_sources",
                self.min_sources,
                allowed,
            ));
        }
        Ok(())
    }
}
