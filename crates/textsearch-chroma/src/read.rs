//! Reading of records.

use std::{collections::HashMap, sync::Arc};

use textsearch_core::{
    Error, ErrorKind, Filter, Result,
    vector::{KeyKind, RecordDefinition, RecordKey, StoredRecord},
};

use crate::{
    CONNECTOR,
    client::{DOCUMENTS, Get, Got, NOTHING, VECTORS},
    error::undecodable,
    filter::Where,
    handle::Handle,
    record::{self, Read},
};

/// Records of one request.
const PAGE: usize = 1_000;

/// The server reads a document and its vector one after the other, and a write may come between them.
/// So documents are read before and after the vectors, until both are the same.
const ATTEMPTS: usize = 100;

impl Handle {
    /// Returns the records with these keys, in this order.
    pub(crate) async fn read(
        &self,
        keys: &[RecordKey],
        with_vectors: bool,
    ) -> Result<Vec<StoredRecord>> {
        let keys: Vec<RecordKey> =
            keys.iter().map(|key| self.definition.key.canonical(key).into_owned()).collect();
        let ids = self.ids_of(&keys);
        let mut by_key = HashMap::with_capacity(ids.len());
        for ids in ids.chunks(PAGE) {
            let records = self.page(ids, with_vectors).await?;
            by_key.extend(records.into_iter().map(|record| (record.key.clone(), record)));
        }
        if ids.is_empty() {
            self.check_exists().await?;
        }
        Ok(keys.iter().filter_map(|key| by_key.get(key).cloned()).collect())
    }

    /// Returns the ids of keys that can exist, each once.
    pub(crate) fn ids_of(&self, keys: &[RecordKey]) -> Vec<String> {
        let keys = keys.iter().filter(|key| self.definition.key.accepts(key));
        let mut ids: Vec<String> = keys.map(RecordKey::to_string).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// Returns the ids of all selected records.
    pub(crate) async fn select(&self, selection: &Where) -> Result<Vec<String>> {
        let get = Get { ids: None, selection, include: NOTHING };
        Ok(self.post_selection::<Got>("get", &get, selection).await?.ids)
    }

    /// Calls `each` with the selected records that match the filter.
    pub(crate) async fn for_each(
        &self,
        selection: &Where,
        filter: Option<&Filter>,
        with_vectors: bool,
        mut each: impl FnMut(StoredRecord),
    ) -> Result<()> {
        let ids = self.select(selection).await?;
        for ids in ids.chunks(PAGE) {
            let records = self.page(ids, with_vectors).await?;
            records.into_iter().filter(|record| record.matches(filter)).for_each(&mut each);
        }
        Ok(())
    }

    /// Returns the records with these ids, in any order.
    async fn page(&self, ids: &[String], with_vectors: bool) -> Result<Vec<StoredRecord>> {
        let mut before = self.documents(ids).await?;
        if !with_vectors {
            let records = before.values().map(|text| record(text, None, &self.definition));
            return records.map(|read| Ok(read?.record)).collect();
        }
        let mut records = Vec::new();
        let mut ids = ids.to_vec();
        for _ in 0..ATTEMPTS {
            let mut vectors = self.vectors(&ids).await?;
            let after = self.documents(&ids).await?;
            ids.clear();
            for (id, text) in &after {
                match vectors.remove(id) {
                    Some(vector) if before.get(id) == Some(text) => {
                        records.push(record(text, Some(vector), &self.definition)?.record);
                    }
                    _ => ids.push(id.clone()),
                }
            }
            if ids.is_empty() {
                return Ok(records);
            }
            before = after;
        }
        let message = "records changed while they were read, again and again; read them once more";
        Err(Error::new(ErrorKind::Unavailable, CONNECTOR, message))
    }

    /// Returns the documents by id.
    async fn documents(&self, ids: &[String]) -> Result<HashMap<String, String>> {
        let get = Get { ids: Some(ids), selection: &Where::ALL, include: DOCUMENTS };
        let got: Got = self.post("get", &get).await?;
        let documents = got.documents.unwrap_or_default();
        if documents.len() != got.ids.len() {
            return Err(undecodable("the response has not one document for each id"));
        }
        Ok(got.ids.into_iter().zip(documents.into_iter().map(Option::unwrap_or_default)).collect())
    }

    /// Returns the vectors by id.
    async fn vectors(&self, ids: &[String]) -> Result<HashMap<String, Vec<f32>>> {
        let get = Get { ids: Some(ids), selection: &Where::ALL, include: VECTORS };
        let got: Got = self.post("get", &get).await?;
        let vectors = got.embeddings.unwrap_or_default();
        if vectors.len() != got.ids.len() {
            return Err(undecodable("the response has not one embedding for each id"));
        }
        Ok(got.ids.into_iter().zip(vectors).collect())
    }

    pub(crate) fn key_of(&self, id: String) -> Result<RecordKey> {
        match self.definition.key.kind {
            KeyKind::Integer => id.parse().map(RecordKey::Integer).map_err(|_| {
                undecodable(format!("the id `{id}` is no key: keys are unsigned integers"))
            }),
            _ => Ok(RecordKey::String(id)),
        }
    }
}

/// Returns the record of a document, with its vector unless it is the placeholder.
fn record(text: &str, vector: Option<Vec<f32>>, definition: &RecordDefinition) -> Result<Read> {
    let mut read = record::read(text, definition)?;
    if let (Some(field), Some(mut vector), false) =
        (definition.vectors.first(), vector, read.lacks_vector)
    {
        if field.distance.needs_direction() {
            normalize(&mut vector);
        }
        read.record.vectors.insert(field.name.clone(), Arc::from(vector));
    }
    Ok(read)
}

/// The server returns such vectors with rounded lengths.
fn normalize(vector: &mut [f32]) {
    let squares = vector.iter().map(|element| f64::from(*element) * f64::from(*element));
    let length = squares.sum::<f64>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|element| *element = (f64::from(*element) / length) as f32);
    }
}
