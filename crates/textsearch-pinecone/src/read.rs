//! Reads records by key.

use std::{collections::HashMap, sync::Arc};

use serde_json::Value;
use textsearch_core::{
    Result,
    vector::{RecordKey, StoredRecord},
};

use crate::{
    error::undecodable,
    handle::Handle,
    key::id_of,
    record::{DATA, GIVEN, VECTOR, ZERO},
    wire::{Fetched, Vector},
};

/// Maximum size of the identifiers in the URL of one request to read.
const MAX_URL_BYTES: usize = 6_000;

impl Handle {
    /// Returns the records with these keys, in this order.
    pub(crate) async fn read(
        &self,
        keys: &[RecordKey],
        with_vectors: bool,
    ) -> Result<Vec<StoredRecord>> {
        let field = &self.definition.key;
        let ids: Vec<String> = keys.iter().filter_map(|key| id_of(field, key)).collect();
        if ids.is_empty() {
            self.open().await?;
        }
        let mut distinct = ids.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let records = self.fetch(&distinct, with_vectors).await?;
        Ok(ids.iter().filter_map(|id| records.get(id).cloned()).collect())
    }

    /// Returns the records with these identifiers, which are distinct.
    pub(crate) async fn fetch(
        &self,
        ids: &[String],
        with_vectors: bool,
    ) -> Result<HashMap<String, StoredRecord>> {
        let mut records = HashMap::with_capacity(ids.len());
        for page in pages(ids, self.page(true)) {
            let query: Vec<(&str, &str)> = page.iter().map(|id| ("ids", id.as_str())).collect();
            let response: Fetched = self.get(&["vectors", "fetch"], &query).await?;
            for vector in response.vectors.into_values() {
                let id = vector.id.clone();
                records.insert(id, self.record(vector, with_vectors)?);
            }
        }
        Ok(records)
    }

    /// Reads the record of a vector.
    ///
    /// # Errors
    /// Returns `Undecodable` for a vector that this crate didn't write.
    pub(crate) fn record(&self, vector: Vector, with_vectors: bool) -> Result<StoredRecord> {
        let Vector { id, mut values, metadata } = vector;
        let metadata = metadata.unwrap_or_default();
        let text = |name: &str| metadata.get(name).and_then(Value::as_str);
        let data = text(DATA).ok_or_else(|| undecodable(&id, format_args!("no `{DATA}`")))?;
        let data = serde_json::from_str(data).map_err(|error| undecodable(&id, error))?;
        let mut record = StoredRecord::new(data, &self.definition)
            .map_err(|error| undecodable(&id, error.message()))?;
        if id_of(&self.definition.key, &record.key).as_deref() != Some(id.as_str()) {
            return Err(undecodable(&id, format_args!("its key is `{}`", record.key)));
        }
        let kind = text(VECTOR).unwrap_or_default();
        if kind == ZERO {
            values.fill(0.0);
        }
        if let (true, GIVEN | ZERO, Some(field)) =
            (with_vectors, kind, self.definition.vectors.first())
        {
            record.vectors.insert(field.name.clone(), Arc::from(values));
        }
        Ok(record)
    }
}

/// Splits identifiers into pages of at most `max`, and as many as a URL may hold.
fn pages(ids: &[String], max: usize) -> impl Iterator<Item = &[String]> {
    let mut rest = ids;
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let fits = |id: &&String| {
            // Each byte may be escaped, and `&ids=` is added.
            bytes += id.bytes().map(escaped).sum::<usize>() + 5;
            bytes <= MAX_URL_BYTES
        };
        let count = rest.iter().take(max).take_while(fits).count().max(1).min(rest.len());
        let (page, after) = rest.split_at_checked(count).filter(|(page, _)| !page.is_empty())?;
        rest = after;
        Some(page)
    })
}

fn escaped(byte: u8) -> usize {
    if byte.is_ascii_alphanumeric() { 1 } else { 3 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_fit_into_a_url() {
        let ids: Vec<String> = (0..100).map(|number| format!("{number:03}")).collect();
        let sizes = |ids: &[String], max| pages(ids, max).map(<[String]>::len).collect::<Vec<_>>();
        assert_eq!(sizes(&ids, 40), [40, 40, 20]);
        assert_eq!(sizes(&vec!["/".repeat(512); 8], 40), [3, 3, 2]);
        assert!(sizes(&[], 40).is_empty());
    }
}
