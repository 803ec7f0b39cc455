//! What a connector can do.

use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Capabilities {
    /// The name in `--source`, or of the store.
    pub(crate) name: String,
    #[serde(rename = "crate")]
    pub(crate) crate_name: &'static str,
    pub(crate) searches: Vec<String>,
    pub(crate) filters: Vec<&'static str>,
    /// `None` if unlimited.
    pub(crate) max_results: Option<u64>,
    pub(crate) total_count: bool,
    pub(crate) needs_key: bool,
}
