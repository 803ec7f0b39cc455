//! Embeddings of chunks that stay the same in a changed document.

use std::collections::HashMap;

use serde_json::Value;
use textsearch_core::{
    Result,
    vector::{GetOptions, StoredRecord, VectorField},
};

use super::{DocumentStore, record::StoredDocument};

/// Vectors are held in memory.
const MAX_CHUNKS: usize = 2048;

impl DocumentStore {
    /// Gives the records the stored vectors of chunks with the same name and text, so that only the others are
    /// embedded.
    pub(super) async fn reuse_vectors(
        &self,
        old: &StoredDocument,
        records: &mut [StoredRecord],
    ) -> Result<()> {
        let vectors = &self.stored.definition().vectors;
        if vectors.is_empty() || old.chunks > MAX_CHUNKS {
            return Ok(());
        }
        let keys: Vec<_> = (0..old.chunks).map(|index| self.key(&old.id, index)).collect();
        let stored = self.stored.get(&keys, &GetOptions::default().with_vectors(true)).await?;
        for field in vectors {
            let known = stored.iter().filter_map(|record| {
                Some((embedded(record, field)?, record.vectors.get(&field.name)?))
            });
            let known: HashMap<_, _> = known.collect();
            for record in records.iter_mut() {
                let vector = embedded(record, field).and_then(|text| known.get(&text).copied());
                if let Some(vector) = vector.cloned() {
                    record.vectors.insert(field.name.clone(), vector);
                }
            }
        }
        Ok(())
    }
}

/// Returns what the vector is made from; `None` if the store doesn't hold it.
fn embedded<'a>(record: &'a StoredRecord, field: &VectorField) -> Option<Vec<&'a str>> {
    let values = field.embedded_from.iter().map(|name| record.data.get(name));
    values.map(|value| value.and_then(Value::as_str)).collect()
}
