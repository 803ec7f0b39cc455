//! The kind `chroma`.

use std::sync::Arc;

use textsearch_chroma::{CHROMA_API_KEY, CHROMA_URL, ChromaConfig, ChromaStore};
use textsearch_core::{Result, TextSearch};
use textsearch_mlindex::{IndexContext, Service};

use super::documents::{self, Abilities};

/// Tenant and database are in the variables of the connector.
pub(super) async fn open(context: IndexContext) -> Result<Arc<dyn TextSearch>> {
    let access = context.connect(&Service::new(CHROMA_API_KEY, CHROMA_URL))?;
    let mut config = ChromaConfig::from_env()?;
    (config.url, config.api_key) = (access.address().to_owned(), access.key);
    documents::open(context, ChromaStore::new(config)?, Abilities::approximate_vectors()).await
}
