//! What all requests share.

use std::sync::Arc;

use bytes::Bytes;
use textsearch_mcp::http_server::Origins;
use tokio::sync::Semaphore;

use crate::{ServerConfig, metrics::Metrics, tenant::Directory};

pub(crate) struct Shared {
    pub(crate) config: ServerConfig,
    pub(crate) origins: Origins,
    pub(crate) tenants: Directory,
    pub(crate) metrics: Metrics,
    pub(crate) permits: Arc<Semaphore>,
    pub(crate) has_model: bool,
    pub(crate) openapi: Bytes,
}
