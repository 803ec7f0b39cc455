//! The schema of chunk records.

use std::sync::Arc;

use textsearch_core::{
    Error, Result,
    vector::{Collection, DataField, IndexKind, RecordDefinition, VectorCollection, VectorField},
};

use crate::{CONNECTOR, facts};

/// Names of a chunk record's fields, for filters and templates.
pub mod fields {
    /// The key: the document's id, `#`, and the index of the chunk.
    pub const KEY: &str = "id";
    /// The id of the document. Filterable.
    pub const DOCUMENT_ID: &str = "document_id";
    /// The title of the document.
    pub const DOCUMENT_NAME: &str = "document_name";
    /// The namespace, if the schema has namespaces. Filterable.
    pub const NAMESPACE: &str = "document_namespace";
    /// The title and the headings: the name of a result.
    pub const NAME: &str = "name";
    /// The headings above the chunk, joined by ` > `. Filterable.
    pub const HEADINGS: &str = "headings";
    /// The text: the value of a result.
    pub const TEXT: &str = "text";
    /// The link, with the fragment of the section or the place.
    pub const LINK: &str = "link";
    /// The index of the chunk in its document. Filterable.
    pub(crate) const CHUNK: &str = "chunk";
    pub(crate) const CHUNKS: &str = "chunks";
    /// The start in the document's text, in characters.
    pub const START: &str = "start";
    /// The end in the document's text, in characters.
    pub const END: &str = "end";
    /// Takes the place of the text, if the schema has references.
    pub(crate) const CHUNK_HASH: &str = "chunk_hash";
    /// The characters of the text before its range, if the text repeats a fence or a header. Outside the
    /// definition.
    pub(crate) const CHUNK_OPENING: &str = "chunk_opening";
    /// Only the first chunk's record has it.
    pub(crate) const FINGERPRINT: &str = "fingerprint";
    /// The embedding of name and text, if the schema has one.
    pub const EMBEDDING: &str = "embedding";
}

/// In the order of the definition.
pub(crate) const RESERVED: [&str; 16] = [
    fields::KEY,
    fields::DOCUMENT_ID,
    fields::DOCUMENT_NAME,
    fields::NAME,
    fields::HEADINGS,
    fields::TEXT,
    fields::LINK,
    fields::CHUNK,
    fields::CHUNKS,
    fields::START,
    fields::END,
    fields::FINGERPRINT,
    fields::NAMESPACE,
    fields::CHUNK_HASH,
    fields::CHUNK_OPENING,
    fields::EMBEDDING,
];

/// Terms without stop words: a title and a heading or two.
const MEAN_LENGTH_OF_NAMES: f64 = 5.0;

/// Texts have 1.
const WEIGHT_OF_NAMES: f64 = 2.0;

/// Terms without stop words. Chunks have at most 1,200 characters, and many are shorter.
const MEAN_LENGTH_OF_TEXTS: f64 = 50.0;

/// The configurable fields of a collection of chunks.
///
/// ```
/// use textsearch_core::vector::DataField;
/// use textsearch_documents::DocumentSchema;
///
/// let definition = DocumentSchema::default()
///     .with_language("en")
///     .with_dimensions(384)
///     .with_metadata(DataField::string("team").with_description("Who wrote it").offered_to_model())
///     .definition()?;
/// assert!(definition.data_field("team").is_some_and(|field| field.filterable));
/// # Ok::<(), textsearch_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DocumentSchema {
    /// The language of the documents, an ISO 639-1 code such as `en`. Full-text search uses its
    /// stemming and stop words. If not set, words match only as written.
    pub language: Option<String>,
    /// The assumed mean number of terms per chunk, without stop words: longer texts count for less.
    /// Default: 50, for chunks of the default size. It isn't measured, so that every store ranks
    /// alike.
    pub mean_length: f64,
    /// The dimensions of the embeddings. Default: no embeddings.
    pub dimensions: Option<usize>,
    /// The allowed metadata. All of it is filterable.
    pub metadata: Vec<DataField>,
    /// Whether the [facts](crate::Facts) of documents are stored, in filterable fields with their names.
    /// Default: false. A name in [`metadata`](Self::metadata) stays with the metadata, and that fact is
    /// left out.
    pub facts: bool,
    /// Whether several namespaces share the collection. Default: false. A store then needs
    /// [a namespace](crate::DocumentStore::with_namespace) to write. Without one, it searches all namespaces.
    pub namespaces: bool,
    /// Whether records hold references to the texts instead of the texts. Default: false. A search then
    /// needs [a service that fetches texts](crate::DocumentStore::with_source_texts). Full-text search reads
    /// the names alone, so give chunks [embeddings](Self::with_dimensions).
    pub references: bool,
    /// Whether names and texts can be searched by their words. Default: true. Turn it off for stores without
    /// full text.
    pub full_text: bool,
    /// The index of the embeddings. Default: exact search.
    pub index: IndexKind,
}

impl Default for DocumentSchema {
    fn default() -> Self {
        let mean_length = MEAN_LENGTH_OF_TEXTS;
        let namespaces = false;
        let references = false;
        let language = None;
        let dimensions = None;
        let metadata = Vec::new();
        let facts = false;
        let full_text = true;
        let index = IndexKind::default();
        Self {
            language,
            mean_length,
            dimensions,
            metadata,
            facts,
            namespaces,
            references,
            full_text,
            index,
        }
    }
}

impl DocumentSchema {
    /// Sets the language, an ISO 639-1 code.
    #[must_use]
    pub fn with_language(mut self, language: impl Into<String>) -> Self {
        self.language = Some(language.into());
        self
    }

    /// Gives chunks an embedding of name, headings and text. An embedding generator of the
    /// collection computes it. Default: none.
    #[must_use]
    pub fn with_dimensions(mut self, dimensions: usize) -> Self {
        self.dimensions = Some(dimensions);
        self
    }

    /// Allows the metadata that `field` describes, and filters on it.
    #[must_use]
    pub fn with_metadata(mut self, field: DataField) -> Self {
        self.metadata.push(field);
        self
    }

    /// Sets the index of the embeddings. Default: exact search.
    #[must_use]
    pub fn with_index(mut self, index: impl Into<IndexKind>) -> Self {
        self.index = index.into();
        self
    }

    /// Returns the definition of the collection.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions) if a metadata field
    /// has the name of another field, or if the language, the mean length or the dimensions are
    /// invalid.
    pub fn definition(&self) -> Result<RecordDefinition> {
        let mut definition = RecordDefinition::new(fields::KEY);
        definition.data = self.data_fields();
        for field in &self.metadata {
            if RESERVED.contains(&field.name.as_str()) {
                let allowed = format!("any but {}", RESERVED.join(", "));
                return Err(Error::invalid_options(CONNECTOR, "metadata", &field.name, allowed));
            }
            definition = definition.with_data(field.clone().filterable());
        }
        if self.facts {
            let is_free = |field: &DataField| definition.data_field(&field.name).is_none();
            let facts: Vec<DataField> = facts::fields().into_iter().filter(is_free).collect();
            definition.data.extend(facts);
        }
        if let Some(dimensions) = self.dimensions {
            let vector = VectorField::new(fields::EMBEDDING, dimensions);
            let vector = vector.with_index(self.index.clone());
            // Changed documents keep the vectors of chunks whose fields here are the same: see `reuse`.
            definition = definition.with_vector(vector.embedded_from([fields::NAME, fields::TEXT]));
        }
        let definition = definition
            .with_name_field(fields::NAME)
            .with_value_field(fields::TEXT)
            .with_link_field(fields::LINK);
        definition.validate(CONNECTOR)?;
        Ok(definition)
    }

    fn data_fields(&self) -> Vec<DataField> {
        let full_text = |name, mean_length, weight| {
            if !self.full_text {
                return DataField::string(name);
            }
            let field = DataField::string(name).with_mean_length(mean_length).with_weight(weight);
            match &self.language {
                Some(language) => field.full_text_in(language),
                None => field.full_text(),
            }
        };
        let text = if self.references {
            DataField::string(fields::TEXT)
        } else {
            full_text(fields::TEXT, self.mean_length, 1.0)
        };
        let namespace = DataField::string(fields::NAMESPACE).filterable().without_text_order();
        let hash = DataField::string(fields::CHUNK_HASH);
        let optional = [(self.namespaces, namespace), (self.references, hash)];
        let optional = optional.into_iter().filter_map(|(is_used, field)| is_used.then_some(field));
        let always = vec![
            DataField::string(fields::DOCUMENT_ID)
                .filterable()
                .with_description("The id of the document"),
            DataField::string(fields::DOCUMENT_NAME),
            full_text(fields::NAME, MEAN_LENGTH_OF_NAMES, WEIGHT_OF_NAMES),
            DataField::string(fields::HEADINGS)
                .filterable()
                .with_description("The headings above the text, such as `Guide > Install`"),
            text,
            DataField::string(fields::LINK),
            DataField::integer(fields::CHUNK)
                .filterable()
                .with_description("The place of the text in its document, from 0"),
            DataField::integer(fields::CHUNKS),
            DataField::integer(fields::START),
            DataField::integer(fields::END),
            DataField::string(fields::FINGERPRINT),
        ];
        always.into_iter().chain(optional).collect()
    }
}

pub(super) fn is_metadata(definition: &RecordDefinition, name: &str) -> bool {
    !RESERVED.contains(&name) && definition.data_field(name).is_some()
}

pub(super) fn check_has_namespaces(collection: &Arc<dyn VectorCollection>) -> Result<()> {
    if collection.definition().data_field(fields::NAMESPACE).is_some() {
        return Ok(());
    }
    let value = format_args!("without a field `{}` in `{}`", fields::NAMESPACE, collection.name());
    let allowed = "one made by `DocumentSchema` with `namespaces`";
    Err(Error::invalid_options(CONNECTOR, "definition", value, allowed))
}

pub(super) fn check(collection: &Collection) -> Result<()> {
    let definition = collection.definition();
    let fields = DocumentSchema::default().data_fields();
    let missing = fields.iter().find(|field| {
        let existing = definition.data_field(&field.name);
        !existing.is_some_and(|existing| {
            existing.kind == field.kind && (existing.filterable || !field.filterable)
        })
    });
    let name = match missing {
        Some(field) => field.name.as_str(),
        None if definition.key.name != fields::KEY => fields::KEY,
        None => return Ok(()),
    };
    let value = format_args!("without a fitting field `{name}` in `{}`", collection.name());
    Err(Error::invalid_options(CONNECTOR, "definition", value, "one made by `DocumentSchema`"))
}
