//! The capabilities of a connector.

use serde::Serialize;

/// The capabilities of a connector.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Capabilities {
    /// The connector's name in `--source`, errors and results.
    pub(crate) name: String,
    /// The crate that contains the connector.
    #[serde(rename = "crate")]
    pub(crate) crate_name: &'static str,
    /// The kinds of search it supports.
    pub(crate) searches: Vec<String>,
    /// The filter operators it supports.
    pub(crate) filters: Vec<&'static str>,
    /// How many results a search can page through; `None` if unlimited.
    pub(crate) most_results: Option<u64>,
    /// Whether it can report the total number of results.
    pub(crate) total_count: bool,
    /// Whether it needs an API key.
    pub(crate) needs_key: bool,
}
