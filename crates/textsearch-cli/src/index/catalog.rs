//! What a store says of itself: the language of its words, and the fields that its documents have.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use textsearch_core::{
    Error, ErrorKind,
    vector::{DataField, EmbeddingCollection, EmbeddingGenerator, GetOptions, StoredRecord},
};
use textsearch_documents::{Chunker, ChunkerConfig, DocumentSchema, DocumentStore, KeptEmbeddings};

use super::{
    Documents, PATH,
    ownership::{catalog, documents, is_file_of_ours, is_unused, not_ours},
};
use crate::{
    arguments::NO_LANGUAGE,
    embeddings::{EmbeddedBy, Embedder, finished_before},
    errors::usage,
    store::{OpenStore, rebuilding},
};

pub(super) const KEY: &str = "id";
const CONTENT: &str = "content";

/// The key of the one record.
const DOCUMENTS: &str = "documents";

/// The language of a new store.
const ENGLISH: &str = "en";

/// How the documents of a store are read and what they have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Catalog {
    /// The language of the words; `None` for words as they are written.
    pub(super) language: Option<String>,
    /// The fields of the documents beside those that all have.
    pub(super) fields: Vec<DataField>,
    /// The model that made the embeddings; `None` for a store without them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) embedded_by: Option<EmbeddedBy>,
}

impl Catalog {
    /// That of a store without documents.
    pub(super) fn new() -> Self {
        Self { language: Some(ENGLISH.to_owned()), fields: Vec::new(), embedded_by: None }
    }

    /// Takes the language that the user asks for, where one is.
    pub(super) fn with_language(mut self, asked: Option<&str>) -> Self {
        if let Some(language) = asked {
            self.language = Some(language.to_owned()).filter(|language| language != NO_LANGUAGE);
        }
        self
    }

    /// Takes the model that is to fill a store which has no documents yet.
    ///
    /// # Errors
    ///
    /// Those of the model.
    pub(super) async fn with_embeddings_by(mut self, embedder: &Embedder) -> Result<Self> {
        self.embedded_by = Some(EmbeddedBy::measured(embedder).await?);
        Ok(self)
    }

    /// Takes the prefixes of `embedder`, and what it is called now, whose embeddings fit those of the store at `location`.
    ///
    /// # Errors
    ///
    /// Those of [`check_embeddings`](Self::check_embeddings).
    pub(super) fn with_details_of(mut self, embedder: &Embedder, location: &str) -> Result<Self> {
        self.check_embeddings(embedder, location)?;
        if let Some(embedded_by) = &mut self.embedded_by {
            *embedded_by = EmbeddedBy::new(embedder, embedded_by.dimensions);
        }
        Ok(self)
    }

    /// The model that made the embeddings, if there are any.
    pub(super) fn embedded_by(&self) -> Option<&EmbeddedBy> {
        self.embedded_by.as_ref()
    }

    /// Whether embeddings of `embedder` fit those of the store at `location`.
    ///
    /// # Errors
    ///
    /// Wrong use, where the store has others or none.
    pub(super) fn check_embeddings(&self, embedder: &Embedder, location: &str) -> Result<()> {
        match &self.embedded_by {
            Some(embedded_by) => embedded_by.check(embedder, location),
            None => Err(usage(format!(
                "the store has no embeddings: try without --embeddings, or {}",
                rebuilding(location, " --embeddings MODEL")
            ))),
        }
    }

    /// Whether documents may be added without an embedding to the store at `location`.
    ///
    /// # Errors
    ///
    /// Wrong use that names the model, where all others have one: a search by meaning would not find them.
    pub(super) fn check_no_embeddings(&self, location: &str) -> Result<()> {
        match &self.embedded_by {
            None => Ok(()),
            Some(EmbeddedBy { model, .. }) => Err(usage(format!(
                "the store has embeddings of `{model}`: try --embeddings with that model, or {}",
                rebuilding(location, "")
            ))),
        }
    }

    /// What `store` says of itself; `None` where it has no collection of documents.
    ///
    /// # Errors
    ///
    /// Where the store was made by another program, or by a newer version of this one.
    pub(super) async fn read(store: &OpenStore) -> Result<Option<Self>> {
        let Some(content) = Self::content(store).await? else {
            // Others have their collections on a server too, but not in a file of ours.
            let is_free =
                is_unused(store).await? && (store.is_on_server || is_file_of_ours(store).await?);
            return if is_free { Ok(None) } else { Err(not_ours()) };
        };
        // A run that ended before it made the documents leaves nothing that another would have to fit.
        if !documents(store)?.exists().await? {
            return Ok(None);
        }
        let catalog = serde_json::from_value(content);
        catalog.context("it was made by another version of `textsearch`").map(Some)
    }

    /// What `store` says of itself, whatever version wrote it; `None` where it says nothing that this program writes.
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub(super) async fn content(store: &OpenStore) -> Result<Option<Value>> {
        let collection = catalog(store)?;
        if !collection.exists().await? {
            return Ok(None);
        }
        let found = collection.get(&[DOCUMENTS.into()], &GetOptions::default()).await?;
        let content = found.into_iter().next().and_then(|mut record| record.data.remove(CONTENT));
        Ok(content.filter(Value::is_object))
    }

    /// Writes what `store` is to say of itself.
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub(super) async fn write(&self, store: &OpenStore) -> Result<()> {
        let collection = catalog(store)?;
        collection.ensure_exists().await?;
        let record = json!({ KEY: DOCUMENTS, CONTENT: self });
        let Value::Object(data) = record else { return Ok(()) };
        collection.upsert(vec![StoredRecord::new(data, collection.definition())?]).await?;
        Ok(())
    }

    /// The documents in `store`, with embeddings by `embedder` where there is one.
    ///
    /// # Errors
    ///
    /// Where they cannot be of the kind that the catalog says.
    pub(super) async fn documents(
        &self,
        store: &OpenStore,
        embedder: Option<Embedder>,
    ) -> Result<DocumentStore> {
        let mut collection =
            store.store.stored_collection(&store.documents, self.schema().definition()?)?;
        let exists = collection.ensure_exists().await;
        exists.map_err(|error| self.refused(error, &store.location))?;
        if let Some(embedder) = embedder {
            let generator = self.kept(store, embedder)?;
            collection = Arc::new(EmbeddingCollection::new(collection, generator));
        }
        Ok(DocumentStore::new(collection, Chunker::new(ChunkerConfig::default())?)?)
    }

    /// Returns the model of `embedder`, which keeps what it makes if `store` says where.
    fn kept(&self, store: &OpenStore, embedder: Embedder) -> Result<Arc<dyn EmbeddingGenerator>> {
        let Embedder { generator, fingerprint, prefixes } = embedder;
        let (Some(path), Some(embedded_by)) = (&store.kept_embeddings, &self.embedded_by) else {
            return Ok(generator);
        };
        let model = json!([generator.model_id(), fingerprint, prefixes.passage]).to_string();
        let kept = KeptEmbeddings::open(path, generator, model, embedded_by.dimensions)?;
        Ok(Arc::new(kept.with_finished_before(finished_before)))
    }

    /// The same, to be searched.
    ///
    /// # Errors
    ///
    /// As [`documents`](Self::documents).
    pub(super) async fn into_documents(
        self,
        store: &OpenStore,
        embedder: Option<Embedder>,
    ) -> Result<Documents> {
        let documents = self.documents(store, embedder).await?;
        let location = store.location.clone();
        Ok(Documents { documents, embedded_by: self.embedded_by, location, why_empty: None })
    }

    /// What `error` is to a user, where the collection at `location` is not made for these documents.
    fn refused(&self, error: Error, location: &str) -> anyhow::Error {
        if !matches!(error.kind(), ErrorKind::InvalidOptions { .. }) {
            return error.into();
        }
        let embeddings = if self.embedded_by.is_some() { " --embeddings MODEL" } else { "" };
        usage(format!(
            "the store `{location}` was made for other documents: {}: try {}",
            error.message(),
            rebuilding(location, embeddings)
        ))
    }

    fn schema(&self) -> DocumentSchema {
        let path = DataField::string(PATH).with_description("The path of the file");
        let mut schema = DocumentSchema::default().with_metadata(path);
        schema.language = self.language.clone();
        schema.metadata.extend(self.fields.iter().cloned());
        schema.dimensions = self.embedded_by.as_ref().map(|model| model.dimensions);
        schema
    }
}

#[cfg(test)]
mod tests {
    use textsearch_vector_inmemory::InMemoryVectorStore;

    use super::*;

    #[tokio::test]
    async fn a_store_that_was_made_for_other_documents_is_to_be_rebuilt() {
        let store = OpenStore::in_memory(InMemoryVectorStore::new());
        let catalog = |dimensions| {
            let embedded_by = EmbeddedBy {
                model: "m".to_owned(),
                fingerprint: None,
                dimensions,
                prefixes: Default::default(),
            };
            Catalog { embedded_by: Some(embedded_by), ..Catalog::new() }
        };
        catalog(2).documents(&store, None).await.unwrap();
        let error = catalog(3).documents(&store, None).await.unwrap_err().to_string();
        assert!(error.starts_with("the store `FILE` was made for other documents: "), "{error}");
        assert!(error.contains("2 dimensions"), "{error}");
        let advice = "try `textsearch index PATH --store FILE --rebuild --embeddings MODEL` with every path that the \
                      store is to hold";
        assert!(error.ends_with(advice), "{error}");
    }
}
