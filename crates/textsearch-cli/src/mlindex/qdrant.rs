//! The kind `qdrant`.

use std::sync::Arc;

use textsearch_core::{Result, TextSearch};
use textsearch_mlindex::{IndexContext, Service};
use textsearch_qdrant::{QDRANT_API_KEY, QDRANT_URL, QdrantConfig, QdrantStore, UNNAMED_VECTOR};

pub(super) async fn open(mut context: IndexContext) -> Result<Arc<dyn TextSearch>> {
    let service = Service::new(QDRANT_API_KEY, QDRANT_URL).with_port(grpc_port);
    let access = context.connect(&service)?;
    let mut config = QdrantConfig::new(access.address());
    (config.nodes, config.api_key) = (access.addresses, access.key);
    let store = QdrantStore::new(config)?;
    let known = store.existing_definition(context.settings.required_index()?).await?;
    // Whatever the file calls it, it has no name on the server.
    if matches!(known.vectors.as_slice(), [only] if only.name == UNNAMED_VECTOR) {
        context.settings.fields.embedding = None;
    }
    context.text_search(&store, known)
}

/// Files name the port of the REST interface, or none.
fn grpc_port(port: Option<u16>) -> Option<u16> {
    match port {
        None | Some(6333) => Some(6334),
        other => other,
    }
}
