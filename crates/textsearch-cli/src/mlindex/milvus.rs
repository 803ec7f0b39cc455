//! The kind `milvus`.

use std::sync::Arc;

use textsearch_core::{Result, TextSearch};
use textsearch_milvus::{MILVUS_TOKEN, MILVUS_URL, MilvusConfig, MilvusStore};
use textsearch_mlindex::{IndexContext, Service};

use super::documents::{self, Abilities};

/// Database and consistency level are in the variables of the connector.
pub(super) async fn open(context: IndexContext) -> Result<Arc<dyn TextSearch>> {
    let service = Service::new(MILVUS_TOKEN, MILVUS_URL).with_port(|port| port.or(Some(19530)));
    let access = context.connect(&service)?;
    let mut config = MilvusConfig::from_env_with_url(access.address())?;
    config.token = access.key;
    documents::open(context, MilvusStore::new(config)?, Abilities::all()).await
}
