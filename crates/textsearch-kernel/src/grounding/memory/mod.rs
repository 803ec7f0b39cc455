//! A memory: texts in a collection, by key and by relevance.

mod entry;
mod keys;
mod plugin;
mod plugin_options;
mod search;

pub use self::{
    entry::{MemoryEntry, MemoryWrite},
    plugin_options::{MemoryPluginOptions, MemoryWriter},
};

use std::{fmt, sync::Arc};

use serde_json::{Map, Value};
use textsearch_core::{
    Error, Filter, FilterableField, TextSearchResult,
    vector::{
        Collection, CollectionRecord, DataField, GetOptions, RecordDefinition, SearchMode,
        StoredRecord,
    },
};

use self::keys::Keys;

/// A memory of texts in a collection of any vector store.
///
/// It is a [`TextSearch`](textsearch_core::TextSearch), so it can also be the memory of the
/// [execution settings](super::MemoryConfig), ground a [chat](super::TextSearchProvider), or become
/// a [search plugin](crate::TextSearchPlugins). [`create_plugin`](Self::create_plugin) makes
/// functions for templates and models.
///
/// A clone uses the same records. Many callers may read and write at once.
///
/// # Namespaces
///
/// [`with_namespace`](Self::with_namespace) restricts the memory to the records of, say, one tenant:
///
/// - It reads and removes no other record, whatever the key or the query.
/// - Saved records belong to it. They are stored under prefixed keys, such as
///   `tenant=acme/budget-2024`, so that they replace no record outside it. Callers see the keys that
///   they chose.
///
/// ```
/// use textsearch_kernel::grounding::{MemoryEntry, TextMemory};
/// use textsearch_kernel::textsearch_core::vector::{DataField, VectorStore, VectorStoreExt as _};
///
/// async fn remember(store: impl VectorStore) -> textsearch_core::Result<()> {
///     let definition = TextMemory::definition().with_data(DataField::string("tenant").filterable());
///     let notes = store.dynamic_collection("notes", definition)?;
///     notes.ensure_exists().await?;
///     let memory = TextMemory::new(&notes).with_namespace("tenant", "acme");
///     memory.save(MemoryEntry::new("budget-2024", "The budget for 2024 is 1.2 million.")).await?;
///     let results = memory.recall("company budget by year", 3, None).await?;
///     assert_eq!(results[0].id.as_deref(), Some("budget-2024"));
///     Ok(())
/// }
/// ```
#[derive(Clone)]
pub struct TextMemory {
    collection: Collection,
    mode: SearchMode,
    min_score: Option<f64>,
    /// Fields and their values.
    namespaces: Vec<(String, String)>,
    fields: Vec<FilterableField>,
}

impl TextMemory {
    /// Creates a memory over `collection`, of records of any type.
    ///
    /// Saving needs a [`value_field`](RecordDefinition::value_field).
    pub fn new<R: CollectionRecord>(collection: &Collection<R>) -> Self {
        let fields = collection.definition().filterable_fields();
        Self {
            collection: Collection::new(Arc::clone(collection.stored())),
            mode: SearchMode::default(),
            min_score: None,
            namespaces: Vec::new(),
            fields,
        }
    }

    /// Returns a definition for a new collection: text keys in `id`; `text`, which full-text search
    /// reads; `name`; and `link`.
    ///
    /// Add fields for [namespaces](Self::with_namespace), which must be filterable, and a vector
    /// field [embedded from](textsearch_core::vector::VectorField::embedded_from) `text`.
    pub fn definition() -> RecordDefinition {
        RecordDefinition::new("id")
            .with_data(DataField::string("text").full_text())
            .with_data(DataField::string("name"))
            .with_data(DataField::string("link"))
            .with_value_field("text")
            .with_name_field("name")
            .with_link_field("link")
    }

    /// Sets how records are recalled.
    #[must_use]
    pub fn with_mode(mut self, mode: SearchMode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets the score that a recalled record must reach or beat, on the scale of the mode: see
    /// [`VectorStoreTextSearch::with_score_threshold`](textsearch_core::vector::VectorStoreTextSearch::with_score_threshold).
    /// No call can lower it.
    #[must_use]
    pub fn with_min_score(mut self, score: f64) -> Self {
        self.min_score = Some(score);
        self
    }

    /// Restricts the memory to the records whose filterable field `field` is `value`, and writes the
    /// field into saved records. A second namespace narrows the first.
    ///
    /// Writing needs text keys.
    #[must_use]
    pub fn with_namespace(mut self, field: impl Into<String>, value: impl Into<String>) -> Self {
        self.namespaces.push((field.into(), value.into()));
        // In any order, they are the same.
        self.namespaces.sort();
        self
    }

    /// Returns the collection, without the namespaces.
    pub fn collection(&self) -> &Collection {
        &self.collection
    }

    /// Returns the record with this key.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions) if the key is empty, longer than 512
    /// bytes, or has control characters. Also errors of the store.
    pub async fn retrieve(&self, key: &str) -> Result<Option<TextSearchResult>, Error> {
        let keys = self.keys();
        let candidates = keys.candidates(key).map_err(|message| self.invalid_key(key, message))?;
        let records = self.collection.get(&candidates, &GetOptions::default()).await?;
        let record = records.into_iter().find(|record| self.contains(record));
        Ok(record.map(|record| self.result_of(&record)))
    }

    /// Saves a record. Replaces an earlier record with the same key.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions) if the key is not of the collection's
    /// kind, empty, longer than 512 bytes, or has control characters; or if the collection has no
    /// field for a part of the entry. Also errors of the store.
    pub async fn save(&self, entry: MemoryEntry) -> Result<(), Error> {
        let stored = self.keys().own(&entry.key);
        let stored = stored.map_err(|message| self.invalid_key(&entry.key, message))?;
        let definition = self.collection.definition();
        let mut data = Map::new();
        data.insert(definition.key.name.clone(), Value::from(&stored));
        for (part, role, field, text) in [
            ("text", "value_field", &definition.value_field, Some(entry.text)),
            ("name", "name_field", &definition.name_field, entry.name),
            ("link", "link_field", &definition.link_field, entry.link),
        ] {
            match (field, text) {
                (_, None) => {}
                (Some(field), Some(text)) => drop(data.insert(field.clone(), text.into())),
                (None, Some(_)) => {
                    let allowed = format!("none: the collection's definition has no `{role}`");
                    return Err(self.invalid(part, "set", &allowed));
                }
            }
        }
        // Last, so that no part of the entry replaces one.
        for (field, value) in &self.namespaces {
            data.insert(field.clone(), value.as_str().into());
        }
        let record = StoredRecord::new(data, definition)?;
        self.collection.upsert(vec![record]).await
    }

    /// Removes the record with this key, if there is one.
    ///
    /// # Errors
    ///
    /// The errors of [`retrieve`](Self::retrieve), and
    /// [`UnsupportedFilter`](textsearch_core::ErrorKind::UnsupportedFilter) if a namespace's field is not filterable.
    pub async fn remove(&self, key: &str) -> Result<(), Error> {
        let keys = self.keys();
        let candidates = keys.candidates(key).map_err(|message| self.invalid_key(key, message))?;
        let Some(namespaces) = self.namespace_filter() else {
            return self.collection.delete(&candidates).await;
        };
        // One condition for the store: between a check and a deletion, the record could change hands.
        let names = candidates.iter().map(ToString::to_string);
        let key = Filter::is_in(&self.collection.definition().key.name, names);
        self.collection.delete_matching(&namespaces.and(key)).await
    }

    fn keys(&self) -> Keys<'_> {
        Keys { definition: self.collection.definition(), namespaces: &self.namespaces }
    }

    fn namespace_filter(&self) -> Option<Filter> {
        let conditions =
            self.namespaces.iter().map(|(field, value)| Filter::eq(field, value.as_str()));
        conditions.reduce(Filter::and)
    }

    fn contains(&self, record: &StoredRecord) -> bool {
        self.namespaces
            .iter()
            .all(|(field, value)| record.data.get(field).and_then(Value::as_str) == Some(value))
    }

    fn result_of(&self, record: &StoredRecord) -> TextSearchResult {
        let mut result = record.to_result(self.collection.definition());
        result.source = Some(self.collection.store_name().to_owned());
        self.with_own_key(result)
    }

    fn with_own_key(&self, mut result: TextSearchResult) -> TextSearchResult {
        if let Some(id) = &mut result.id {
            self.keys().shorten(id);
        }
        result
    }

    fn invalid_key(&self, key: &str, allowed: String) -> Error {
        self.invalid("key", &crate::text::shorten(key), &allowed)
    }

    fn invalid(&self, option: &str, actual: &str, allowed: &str) -> Error {
        Error::invalid_options(self.collection.store_name(), option, actual, allowed)
    }
}

impl fmt::Debug for TextMemory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("TextMemory")
            .field("store", &self.collection.store_name())
            .field("collection", &self.collection.name())
            .field("mode", &self.mode)
            .field("min_score", &self.min_score)
            .field("namespaces", &self.namespaces)
            .finish_non_exhaustive()
    }
}
