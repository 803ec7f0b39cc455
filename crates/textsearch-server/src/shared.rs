//! What all requests share.

use std::sync::Arc;

use bytes::Bytes;
use textsearch_core::chat::ChatCompletion;
use textsearch_mcp::http_server::Origins;

use crate::{
    ServerConfig, capacity::Capacity, metrics::Metrics, oauth::Resource, tenant::Directory,
};

pub(crate) struct Shared {
    pub(crate) config: ServerConfig,
    pub(crate) origins: Origins,
    pub(crate) tenants: Directory,
    /// The server as clients of the identity provider know it.
    pub(crate) resource: Option<Resource>,
    pub(crate) metrics: Metrics,
    pub(crate) capacity: Capacity,
    /// The model that answers.
    pub(crate) model: Option<Arc<dyn ChatCompletion>>,
    pub(crate) openapi: Bytes,
}
