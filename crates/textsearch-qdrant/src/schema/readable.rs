//! What filters can rely on in a collection.

use std::collections::HashSet;

use qdrant_client::qdrant::{CollectionInfo, PayloadSchemaInfo, PayloadSchemaType};
use textsearch_core::vector::RecordDefinition;

use super::existing::has_columns;
use crate::path;

/// What a collection holds for filters beside the values themselves.
pub(crate) struct Readable {
    /// Whether its records have the columns of the fields that the definition makes filterable.
    pub(crate) has_columns: bool,
    /// The fields with a text index, in which a server looks for words and not for any part of a text.
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

    /// The least that any collection holds: a filter that needs no more can be sent without a look at it.
    pub(crate) fn least(definition: &RecordDefinition) -> Self {
        Self { has_columns: false, read_by_words: names(definition).collect() }
    }

    /// Whether every filter by the definition can rely on what it needs.
    pub(crate) fn is_complete(&self) -> bool {
        self.has_columns && self.read_by_words.is_empty()
    }
}

/// The fields that filters may name.
fn names(definition: &RecordDefinition) -> impl Iterator<Item = String> {
    let data = definition.data.iter().filter(|field| field.filterable).map(|field| &field.name);
    data.chain([&definition.key.name]).cloned()
}
