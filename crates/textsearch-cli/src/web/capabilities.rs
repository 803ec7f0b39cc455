//! What a connector can do.

use serde::Serialize;

/// What a connector can do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Capabilities {
    /// What `--source`, errors and results call it.
    pub(crate) name: String,
    /// The crate that it is in.
    #[serde(rename = "crate")]
    pub(crate) crate_name: &'static str,
    /// How it finds what fits.
    pub(crate) searches: Vec<String>,
    /// The filter operators that it can apply.
    pub(crate) filters: Vec<&'static str>,
    /// How far a search can page; `None` for as far as there are results.
    pub(crate) most_results: Option<u64>,
    /// Whether it can tell how many results there are in all.
    pub(crate) total_count: bool,
    /// Whether it needs an account somewhere.
    pub(crate) needs_key: bool,
}
