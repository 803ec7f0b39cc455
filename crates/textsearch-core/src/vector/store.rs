//! A store of collections.

use std::sync::Arc;

use async_trait::async_trait;

use super::{RecordDefinition, VectorCollection};
use crate::Result;

/// A store of collections, as a backend implements it.
///
/// Put [`#[async_trait]`](crate::async_trait) on each `impl`. Without it, the compiler reports E0195:
/// "lifetimes do not match method in trait".
///
/// ```compile_fail,E0195
/// use std::sync::Arc;
/// use textsearch_core::{Error, Result, vector::{RecordDefinition, VectorCollection, VectorStore}};
///
/// struct Store;
///
/// impl VectorStore for Store { // write `#[textsearch_core::async_trait]` above
///     fn name(&self) -> &str {
///         "store"
///     }
///
///     async fn collection_names(&self) -> Result<Vec<String>> {
///         Ok(Vec::new())
///     }
///
///     fn stored_collection(&self, _: &str, _: RecordDefinition) -> Result<Arc<dyn VectorCollection>> {
///         Err(Error::invalid_options("store", "definition", "any", "none: this store is an example"))
///     }
/// }
/// ```
#[async_trait]
pub trait VectorStore: Send + Sync {
    /// Returns the connector's short name, such as `inmemory`, for errors and spans.
    fn name(&self) -> &str;

    /// Returns the names of the existing collections, in alphabetical order.
    ///
    /// # Errors
    ///
    /// Any kind that an unreachable store causes.
    async fn collection_names(&self) -> Result<Vec<String>>;

    /// Returns a handle on the collection `name`. Creates nothing yet.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](crate::ErrorKind::InvalidOptions) if the name is empty, the
    /// definition is [invalid](RecordDefinition::validate), or the backend cannot hold such
    /// records.
    fn stored_collection(
        &self,
        name: &str,
        definition: RecordDefinition,
    ) -> Result<Arc<dyn VectorCollection>>;
}

#[async_trait]
impl<S: VectorStore + ?Sized> VectorStore for Arc<S> {
    fn name(&self) -> &str {
        (**self).name()
    }

    async fn collection_names(&self) -> Result<Vec<String>> {
        (**self).collection_names().await
    }

    fn stored_collection(
        &self,
        name: &str,
        definition: RecordDefinition,
    ) -> Result<Arc<dyn VectorCollection>> {
        (**self).stored_collection(name, definition)
    }
}
