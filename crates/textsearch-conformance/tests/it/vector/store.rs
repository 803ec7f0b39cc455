//! A sabotaged store.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use textsearch_conformance::core::{
    Error, Result, async_trait,
    vector::{IndexKind, RecordDefinition, VectorCollection, VectorStore},
};
use textsearch_vector_inmemory::InMemoryVectorStore;

use super::{collection::SabotagedCollection, definitions, fault::Fault, fewer};

/// The store in memory with one fault.
pub(super) struct SabotagedStore {
    inner: InMemoryVectorStore,
    fault: Fault,
    /// Whether the server was restarted since the first connection.
    is_restarted: AtomicBool,
}

impl SabotagedStore {
    pub(super) fn new(fault: Fault) -> Self {
        Self { inner: InMemoryVectorStore::new(), fault, is_restarted: AtomicBool::new(false) }
    }

    /// Returns another connection to the same server.
    pub(super) fn reconnected(&self) -> Self {
        let was_connected = self.is_restarted.swap(true, Ordering::Relaxed);
        let inner = match self.fault {
            Fault::ForgetsOnRestart => InMemoryVectorStore::new(),
            _ => self.inner.clone(),
        };
        Self { inner, fault: self.fault, is_restarted: AtomicBool::new(was_connected) }
    }
}

pub(super) fn refused(option: &str, value: impl std::fmt::Display, allowed: &str) -> Error {
    Error::invalid_options("sabotaged", option, value, allowed)
}

#[async_trait]
impl VectorStore for SabotagedStore {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn collection_names(&self) -> Result<Vec<String>> {
        let mut names = self.inner.collection_names().await?;
        if self.fault == Fault::SortsNamesByLetter {
            names.sort_by_key(|name| name.to_lowercase());
        }
        Ok(names)
    }

    fn stored_collection(
        &self,
        name: &str,
        definition: RecordDefinition,
    ) -> Result<Arc<dyn VectorCollection>> {
        let mut changed = definitions::changed(self.fault, definition.clone());
        if self.fault == Fault::DoesLess {
            fewer::check_definition(&definition)?;
            changed.vectors.iter_mut().for_each(|field| field.index = IndexKind::Exact);
        } else if definition.vectors.iter().any(|field| field.index != IndexKind::Exact) {
            return Err(refused("index", "a graph", "exact"));
        }
        let store = match self.fault {
            Fault::KeepsRecordsPerHandle => &InMemoryVectorStore::new(),
            _ => &self.inner,
        };
        let name = match self.fault {
            Fault::FoldsCollectionNames => name.to_lowercase(),
            Fault::DropsQuotesOfCollections => name.replace(['"', '\''], ""),
            _ => name.to_owned(),
        };
        let inner = match (store.stored_collection(&name, changed), self.fault) {
            (Err(_), Fault::AcceptsInvalidDefinitions) => {
                store.stored_collection("any", RecordDefinition::new("id"))?
            }
            (inner, _) => inner?,
        };
        Ok(Arc::new(SabotagedCollection {
            inner,
            store: self.inner.clone(),
            shown: Arc::new(definitions::shown(self.fault, definition)),
            fault: self.fault,
            is_restarted: self.is_restarted.load(Ordering::Relaxed),
            is_busy: AtomicBool::new(false),
        }))
    }
}
