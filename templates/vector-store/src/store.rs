//! The store.

use std::{path::Path, sync::Arc};

use textsearch_core::{
    Result, async_trait,
    vector::{IndexKind, RecordDefinition, VectorCollection, VectorStore},
};

use crate::{
    CONNECTOR, collection::{{type_name}}Collection, database::{Database, backend},
    records, refused,
};

/// A store of collections in a database file.
///
/// Searches are exact: they compare the query with all records that match the filter.
#[derive(Debug, Clone)]
pub struct {{type_name}}Store {
    database: Database,
}

impl {{type_name}}Store {
    /// Opens the file at `path`, or creates it.
    ///
    /// # Errors
    /// Returns `Backend` if the file can't be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Ok(Self { database: Database::open(path.as_ref())? })
    }
}

#[async_trait]
impl VectorStore for {{type_name}}Store {
    fn name(&self) -> &str {
        CONNECTOR
    }

    async fn collection_names(&self) -> Result<Vec<String>> {
        self.database.read(|connection| records::collection_names(connection).map_err(backend)).await
    }

    fn stored_collection(
        &self,
        name: &str,
        definition: RecordDefinition,
    ) -> Result<Arc<dyn VectorCollection>> {
        definition.validate(CONNECTOR)?;
        if name.is_empty() {
            return Err(refused("name", "empty", "a name"));
        }
        // Refuse whatever the database can't do.
        if definition.vectors.iter().any(|field| field.index != IndexKind::Exact) {
            return Err(refused("index", "not exact", "exact"));
        }
        if definition.full_text_fields().next().is_some() {
            return Err(refused("full_text", "a full-text field", "none"));
        }
        Ok(Arc::new({{type_name}}Collection::new(self.database.clone(), name, definition)))
    }
}
