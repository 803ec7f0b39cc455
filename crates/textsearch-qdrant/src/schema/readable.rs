//! What filters can rely on in a collection.

use std::collections::HashSet;

use qdrant_client::qdrant::{CollectionInfo, PayloadSchemaInfo, PayloadSchemaType};
use textsearch_core::vector::RecordDefinition;

use super::existing::has_columns;
use crate::path;

/// Which filters a collection supports.
pub(crate) struct Readable {
    /// Whether the records have columns for all filterable fields.
    pub(crate) has_columns: bool,
    /// Fields with a text index, in which the server finds words but not arbitrary substrings.
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

    /// Returns what any collection supports. A filter that needs no more is sent without checking
    /// the collection.
    pub(crate) fn of_any_collection(definition: &RecordDefinition) -> Self {
        Self { has_columns: false, read_by_words: names(definition).collect() }
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.has_columns && self.read_by_words.is_empty()
    }
}

fn names(definition: &RecordDefinition) -> impl Iterator<Item = String> {
    let data = definition.data.iter().filter(|field| field.filterable).map(|field| &field.name);
    data.chain([&definition.key.name]).cloned()
}
