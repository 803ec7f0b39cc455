//! A page, as it comes and as it is kept.

use serde::{Deserialize, Serialize};

/// A page that was fetched.
pub(super) struct Page {
    pub(super) body: Vec<u8>,
    /// Of its file; perhaps empty.
    pub(super) extension: String,
    pub(super) etag: Option<String>,
    pub(super) last_modified: Option<String>,
    /// The header `X-Robots-Tag`.
    pub(super) robots: Option<String>,
}

/// A page in the cache.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) url: String,
    /// Its name in the folder.
    pub(super) file: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) etag: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) last_modified: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) robots: Option<String>,
    /// Whether a walk that hasn't ended has read it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_read: bool,
}
