//! The metadata that an index stores about itself.

use serde::{Deserialize, Serialize};
use textsearch_core::vector::DataField;

use super::{
    PATH,
    embedder::{EmbeddedBy, Embedder},
    error::{ModelMismatch, Result},
    language::Language,
};
use crate::{Chunker, ChunkerConfig, DocumentSchema, facts};

const ENGLISH: &str = "en";

/// The schema of an index's documents, their chunk sizes, links and embedding model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Catalog {
    /// The language of full-text search; `None` if words match only as written.
    pub language: Option<String>,
    /// The metadata of the documents, without the path and the facts.
    pub fields: Vec<DataField>,
    /// Whether the [facts](crate::Facts) of documents are stored. Earlier versions stored none.
    #[serde(default)]
    pub facts: bool,
    /// The sizes of the chunks.
    #[serde(default)]
    pub chunker: ChunkerConfig,
    /// The URL where the files are published; `None` if links are paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_base: Option<String>,
    /// The model of the embeddings, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedded_by: Option<EmbeddedBy>,
}

impl Default for Catalog {
    /// Returns the catalog of an empty index: English, with facts, without embeddings.
    fn default() -> Self {
        let language = Some(ENGLISH.to_owned());
        let chunker = ChunkerConfig::default();
        Self {
            language,
            fields: Vec::new(),
            facts: true,
            chunker,
            link_base: None,
            embedded_by: None,
        }
    }
}

impl Catalog {
    /// Returns the schema of the documents.
    pub fn schema(&self) -> DocumentSchema {
        let path = DataField::string(PATH).with_description("The path of the file");
        let mut schema = DocumentSchema::default().with_metadata(path);
        schema.language = self.language.clone();
        schema.metadata.extend(self.fields.iter().cloned());
        schema.facts = self.facts;
        schema.dimensions = self.embedded_by.as_ref().map(|model| model.dimensions);
        schema
    }

    /// Adds the metadata field, unless a field of its name exists. Metadata and facts of one kind share
    /// a field.
    pub(super) fn add_field(&mut self, field: DataField) {
        let is_fact = |fact: &DataField| fact.name == field.name && fact.kind == field.kind;
        let is_known = field.name == PATH
            || self.fields.iter().any(|known| known.name == field.name)
            || (self.facts && facts::fields().iter().any(is_fact));
        if !is_known {
            self.fields.push(field);
        }
    }

    pub(super) fn check_embedder(&self, embedder: &Embedder) -> Result<(), ModelMismatch> {
        match &self.embedded_by {
            Some(embedded_by) => embedded_by.check(embedder),
            None => Err(ModelMismatch::NotEmbedded),
        }
    }

    /// Records that `embedder` embeds the documents. Embeds one text if the model doesn't know its
    /// dimensions.
    ///
    /// # Errors
    ///
    /// Returns [`Backend`](crate::ingest::IngestError::Backend) if the model fails.
    pub async fn with_embedder(mut self, embedder: &Embedder) -> Result<Self> {
        self.embedded_by = Some(EmbeddedBy::measured(embedder).await?);
        Ok(self)
    }

    /// Fails if another program wrote impossible sizes.
    pub(super) fn chunker(&self) -> Result<Chunker> {
        Ok(Chunker::new(self.chunker.clone())?)
    }

    pub(super) fn with_chunker(mut self, chunker: Option<&Chunker>) -> Self {
        if let Some(chunker) = chunker {
            self.chunker = chunker.config().clone();
        }
        self
    }

    /// An empty URL removes the stored one.
    pub(super) fn with_link_base(mut self, url: Option<&str>) -> Self {
        if let Some(url) = url {
            self.link_base = Some(url.to_owned()).filter(|url| !url.is_empty());
        }
        self
    }

    pub(super) fn with_language(mut self, language: &Language) -> Self {
        match language {
            Language::StoreDefault => {}
            Language::Stemmed(code) => self.language = Some(code.clone()),
            Language::ExactWords => self.language = None,
        }
        self
    }

    /// Returns the catalog after an update with `embedder`. Fails if the documents would not all
    /// have embeddings of one model.
    pub(super) async fn updated(known: Option<Self>, embedder: Option<&Embedder>) -> Result<Self> {
        let is_new = known.is_none();
        let mut catalog = known.unwrap_or_default();
        match (embedder, &catalog.embedded_by) {
            (None, None) => {}
            (None, Some(EmbeddedBy { model, .. })) => {
                return Err(ModelMismatch::NoModel { model: model.clone() }.into());
            }
            (Some(embedder), _) if is_new => return catalog.with_embedder(embedder).await,
            (Some(embedder), known) => {
                catalog.check_embedder(embedder)?;
                let dimensions = known.as_ref().map(|known| known.dimensions);
                // The model may have a new id.
                catalog.embedded_by =
                    dimensions.map(|dimensions| EmbeddedBy::new(embedder, dimensions));
            }
        }
        Ok(catalog)
    }
}
