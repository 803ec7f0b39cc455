//! The kind `pinecone`.

use std::sync::Arc;

use textsearch_core::{Result, TextSearch};
use textsearch_mlindex::{IndexContext, Service};
use textsearch_pinecone::{PINECONE_API_KEY, PINECONE_ENDPOINT, PineconeConfig, PineconeStore};

use super::documents::{self, Abilities};

const HOSTED: &str = "https://api.pinecone.io";

/// As files name the namespace without a name.
const DEFAULT_NAMESPACE: &str = "default";

pub(super) async fn open(context: IndexContext) -> Result<Arc<dyn TextSearch>> {
    let service = Service::new(PINECONE_API_KEY, PINECONE_ENDPOINT).with_hosted_address(HOSTED);
    let access = context.connect(&service)?;
    let mut config = PineconeConfig::new(access.required_key()?).with_endpoint(access.address());
    if let Some(namespace) = context.settings.other.get("namespace") {
        let name = namespace.as_str().ok_or_else(|| {
            context.settings.invalid("namespace", "no text", "the name of a namespace")
        })?;
        config.namespace = (name != DEFAULT_NAMESPACE).then(|| name.to_owned());
    }
    documents::open(context, PineconeStore::new(config)?, Abilities::approximate_vectors()).await
}
