//! Configuration.

use textsearch_core::{
    Result,
    http::{Secret, closed_set},
    web::{Connection, settings},
};

/// Environment variable for the API key. [`LinkupConfig::from_env`] requires it.
pub const LINKUP_API_KEY: &str = "LINKUP_API_KEY";
/// Environment variable for the endpoint URL; see [`LinkupConfig::with_endpoint`].
pub const LINKUP_ENDPOINT: &str = "LINKUP_ENDPOINT";

/// Configuration of [`LinkupTextSearch`](crate::LinkupTextSearch).
///
/// The parameters are those of the [reference](https://docs.linkup.so/api-reference/search/search).
///
/// ```
/// use textsearch_linkup::{LinkupConfig, LinkupDepth};
///
/// let config = LinkupConfig::new("sesame").with_depth(LinkupDepth::Fast);
/// assert!(!format!("{config:?}").contains("sesame"));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LinkupConfig {
    /// API key, endpoint and HTTP settings.
    pub connection: Connection,
    /// How thorough a search is (`depth`). Default: standard.
    pub depth: LinkupDepth,
}

closed_set! {
    /// How thorough a search is. At the last two depths, a model plans the search, and follows
    /// instructions in the query.
    pub enum LinkupDepth {
        /// The fastest.
        Flash = "flash",
        /// Below a second.
        Fast = "fast",
        /// The default: several searches.
        Standard = "standard",
        /// The slowest: searches until it knows enough.
        Deep = "deep",
    }
}

settings!(impl LinkupConfig {
    depth => with_depth(depth: LinkupDepth) = depth;
});

impl LinkupConfig {
    /// Creates a configuration with this API key and default settings.
    pub fn new(api_key: impl Into<Secret>) -> Self {
        Self { connection: Connection::new::<Self>(api_key), depth: LinkupDepth::Standard }
    }

    /// Reads [`LINKUP_API_KEY`] and, if set, [`LINKUP_ENDPOINT`] from the environment.
    ///
    /// # Errors
    /// As [`Connection::from_env`].
    pub fn from_env() -> Result<Self> {
        Ok(Self { connection: Connection::from_env::<Self>()?, ..Self::new("") })
    }
}
