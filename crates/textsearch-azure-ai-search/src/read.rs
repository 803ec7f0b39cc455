//! Records from documents.

use std::{collections::HashMap, sync::Arc};

use serde_json::{Map, Value};
use textsearch_core::{
    Result,
    vector::{RecordKey, StoredRecord},
};

use crate::{
    error::undecodable,
    filter::any_text,
    handle::Index,
    key::document_key,
    wire::{PAGE, SearchRequest},
};

/// Maximum size of a page with vectors; an element takes about 12 bytes of JSON.
const PAGE_BYTES: usize = 8 * 1024 * 1024;
const ELEMENT_BYTES: usize = 12;

impl Index {
    /// Returns the fields to read.
    pub(crate) fn selected<'a>(&'a self, vectors: impl IntoIterator<Item = &'a str>) -> String {
        let own = [self.definition.key.name.as_str(), self.data_field()];
        own.into_iter().chain(vectors).collect::<Vec<_>>().join(",")
    }

    pub(crate) fn vector_names(&self, enabled: bool) -> impl Iterator<Item = &str> {
        let vectors = self.definition.vectors.iter().filter(move |_| enabled);
        vectors.map(|field| field.name.as_str())
    }

    /// The most records of one response, with vectors or without.
    pub(crate) fn page_size(&self, with_vectors: bool) -> usize {
        let vectors = self.definition.vectors.iter().filter(|_| with_vectors);
        let elements: usize = vectors.map(|field| field.dimensions).sum();
        (PAGE_BYTES / (elements * ELEMENT_BYTES).max(1)).clamp(1, PAGE)
    }

    pub(crate) fn record(
        &self,
        mut fields: Map<String, Value>,
        with_vectors: bool,
    ) -> Result<StoredRecord> {
        let is_no_record = |fault: &dyn std::fmt::Display| {
            undecodable(&format!("a document of the index `{}` is no record", self.name), fault)
        };
        let Some(Value::String(data)) = fields.get(self.data_field()) else {
            return Err(is_no_record(&format_args!("it lacks `{}`", self.data_field())));
        };
        let data = serde_json::from_str(data).map_err(|error| is_no_record(&error))?;
        let mut record = StoredRecord::new(data, &self.definition)?;
        for name in self.vector_names(with_vectors) {
            let vector = fields.remove(name).unwrap_or_default();
            record.vectors.extend(elements(&vector).map(|vector| (name.to_owned(), vector)));
        }
        Ok(record)
    }

    /// Reads the records with these keys, in this order.
    pub(crate) async fn read(
        &self,
        keys: &[RecordKey],
        with_vectors: bool,
    ) -> Result<Vec<StoredRecord>> {
        let field = &self.definition.key;
        let keys: Vec<RecordKey> =
            keys.iter().map(|key| field.canonical(key).into_owned()).collect();
        let mut distinct: Vec<&RecordKey> = keys.iter().filter(|key| field.accepts(key)).collect();
        distinct.sort_unstable();
        distinct.dedup();
        let mut records: HashMap<RecordKey, StoredRecord> = HashMap::new();
        for chunk in distinct.chunks(self.page_size(with_vectors)) {
            let mut left: Vec<&RecordKey> = chunk.to_vec();
            loop {
                let documents: Vec<String> = left.iter().map(|key| document_key(key)).collect();
                let documents: Vec<&str> = documents.iter().map(String::as_str).collect();
                let request = SearchRequest {
                    filter: Some(any_text(&field.name, &documents).0),
                    select: Some(self.selected(self.vector_names(with_vectors))),
                    top: Some(left.len()),
                    ..SearchRequest::default()
                };
                let page = self.page(&request).await?;
                let is_early = page.is_cut(usize::MAX) && !page.value.is_empty();
                for document in page.value {
                    let record = self.record(document.fields, with_vectors)?;
                    records.insert(record.key.clone(), record);
                }
                let before = left.len();
                left.retain(|key| !records.contains_key(*key));
                if left.is_empty() || !is_early {
                    break;
                }
                if left.len() == before {
                    return Err(undecodable(
                        &format!("a page of the index `{}`", self.name),
                        "it promises more and has no requested record",
                    ));
                }
            }
        }
        if distinct.is_empty() {
            self.check_exists().await?;
        }
        Ok(keys.iter().filter_map(|key| records.get(key).cloned()).collect())
    }
}

/// A document without the vector has null or an empty list.
pub(crate) fn elements(vector: &Value) -> Option<Arc<[f32]>> {
    let items = vector.as_array().filter(|items| !items.is_empty())?;
    items.iter().map(|item| item.as_f64().map(|element| element as f32)).collect()
}
