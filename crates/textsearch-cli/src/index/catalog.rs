//! What a store says of itself: the language of its words, and the fields that its documents have.

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use textsearch_core::vector::{
    DataField, GetOptions, RecordDefinition, StoredRecord, VectorStore as _,
};
use textsearch_documents::{Chunker, ChunkerConfig, DocumentSchema, DocumentStore};
use textsearch_vector_inmemory::InMemoryVectorStore;

use super::PATH;

/// The collection of chunks.
const DOCUMENTS: &str = "documents";

/// The collection whose one record says how the other is to be opened.
const CATALOG: &str = "catalog";
const KEY: &str = "id";
const CONTENT: &str = "content";

/// The language of a new store.
const ENGLISH: &str = "en";

/// How the documents of a store are read and what they have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Catalog {
    /// The language of the words; `None` for words as they are written.
    pub(super) language: Option<String>,
    /// The fields of the documents beside those that all have.
    pub(super) fields: Vec<DataField>,
}

impl Catalog {
    /// That of a store without documents.
    pub(super) fn new() -> Self {
        Self { language: Some(ENGLISH.to_owned()), fields: Vec::new() }
    }

    /// Takes the language that the user asks for, where one is.
    pub(super) fn with_language(mut self, asked: Option<&str>) -> Self {
        if let Some(language) = asked {
            self.language = Some(language.to_owned()).filter(|language| language != "none");
        }
        self
    }

    /// What `store` says of itself; `None` where it holds no documents.
    ///
    /// # Errors
    ///
    /// Where the store was made by another program, or by a newer version of this one.
    pub(super) async fn read(store: &InMemoryVectorStore) -> Result<Option<Self>> {
        let collection = store.stored_collection(CATALOG, definition())?;
        if !collection.exists().await? {
            return Ok(None);
        }
        let found = collection.get(&[DOCUMENTS.into()], &GetOptions::default()).await?;
        let content = found.into_iter().next().and_then(|mut record| record.data.remove(CONTENT));
        let content = content.context("it was not made by `textsearch index`")?;
        let catalog = serde_json::from_value(content);
        catalog.context("it was made by another version of `textsearch`").map(Some)
    }

    /// Writes what `store` is to say of itself.
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub(super) async fn write(&self, store: &InMemoryVectorStore) -> Result<()> {
        let collection = store.stored_collection(CATALOG, definition())?;
        collection.ensure_exists().await?;
        let record = json!({ KEY: DOCUMENTS, CONTENT: self });
        let Value::Object(data) = record else { return Ok(()) };
        collection.upsert(vec![StoredRecord::new(data, collection.definition())?]).await?;
        Ok(())
    }

    /// The documents in `store`.
    ///
    /// # Errors
    ///
    /// Where they cannot be of the kind that the catalog says.
    pub(super) async fn documents(&self, store: &InMemoryVectorStore) -> Result<DocumentStore> {
        let path = DataField::string(PATH).with_description("The path of the file");
        let mut schema = DocumentSchema::default().with_metadata(path);
        schema.language = self.language.clone();
        schema.metadata.extend(self.fields.iter().cloned());
        let chunker = Chunker::new(ChunkerConfig::default())?;
        Ok(DocumentStore::open(store, DOCUMENTS, &schema, chunker).await?)
    }
}

fn definition() -> RecordDefinition {
    RecordDefinition::new(KEY)
}
