//! The settings of a fan-out.

use std::time::Duration;

use textsearch_core::{Error, Result, results::RANK_CONSTANT};

use crate::sources::Combined;

const DEPTH: usize = 20;
const SOURCE_TIMEOUT: Duration = Duration::from_secs(10);

/// How a [`FanOut`](super::FanOut) asks its sources and fuses their rankings.
///
/// ```
/// use std::time::Duration;
/// use textsearch_compose::FanOutSettings;
///
/// let mut settings = FanOutSettings::default();
/// settings.source_timeout = Duration::from_secs(2);
/// assert_eq!((settings.rank_constant, settings.min_sources), (60, 1));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FanOutSettings {
    /// The number of results to request from each source, for every page: 20 by default. It is also
    /// the maximum of `skip + top`. No source may have a lower maximum.
    pub depth: usize,
    /// The rank constant of the fusion: 60 by default. A larger one gives the top ranks less
    /// advantage.
    pub rank_constant: u32,
    /// How long a source may take for all its results: 10 seconds by default. Its results up to then
    /// count.
    pub source_timeout: Duration,
    /// The number of sources that must answer: 1 by default. With fewer, the search fails.
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
