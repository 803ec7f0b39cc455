//! What all requests share.

use bytes::Bytes;
use textsearch_mcp::http_server::Origins;

use crate::{ServerConfig, capacity::Capacity, metrics::Metrics, tenant::Directory};

pub(crate) struct Shared {
    pub(crate) config: ServerConfig,
    pub(crate) origins: Origins,
    pub(crate) tenants: Directory,
    pub(crate) metrics: Metrics,
    pub(crate) capacity: Capacity,
    pub(crate) has_model: bool,
    pub(crate) openapi: Bytes,
}
