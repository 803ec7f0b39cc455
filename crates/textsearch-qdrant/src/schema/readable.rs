//! What filters can rely on in a collection.

use std::collections::HashSet;

use qdrant_client::qdrant::{CollectionInfo, PayloadSchemaInfo, PayloadSchemaType};
use textsearch_core::vector::RecordDefinition;

use super::existing::has_columns;
use crate::path;

/// The properties of a collection that determine which filters it supports.
pub(crate) struct Readable {
    /// Whether the records have columns for all fields that the definition makes filterable.
    pub(crate) has_columns: bool,
    /// The fields with a text index, in which the server finds words but not arbitrary substrings.
    pub(crate) read_by_words: HashSet<String>,
}

impl Readable {
    pub(crate) fn new(info: &CollectionInfo, definition: &RecordDefinition) -> Self {
        let indexed = |name: &String| {
            let index = info.payload_schema.get(&path::native(name));
            index.map(PayloadSchemaInfo::data_type) == Some(PayloadSchemaType::Text)
        };
        let read_by_words = names(definition).filter(indexed).collect();
        Self { has_columns: has_columns(info, definition), read_by_words }
    }

    /// Returns the minimum that any collection supports. A filter that needs no more can be sent
    /// without checking the collection.
    pub(crate) fn least(definition: &RecordDefinition) -> Self {
        Self { has_columns: false, read_by_words: names(definition).collect() }
    }

    /// Returns whether every filter allowed by the definition works.
    pub(crate) fn is_complete(&self) -> bool {
        self.has_columns && self.read_by_words.is_empty()
    }
}

/// Returns the names of the filterable fields.
fn names(definition: &RecordDefinition) -> impl Iterator<Item = String> {
    let data = definition.data.iter().filter(|field| field.filterable).map(|field| &field.name);
    data.chain([&definition.key.name]).cloned()
}
