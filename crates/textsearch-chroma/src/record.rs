//! A record's data as the text that Chroma calls its document: JSON, so nothing is rounded or lost.

use serde_json::{Map, Value};
use textsearch_core::{
    Error, Result,
    vector::{RecordDefinition, StoredRecord},
};

use crate::{CONNECTOR, error::undecodable};

/// Marks a record without its vector, in the document and in the metadata. Chroma has no such
/// records, so another vector takes the place.
pub(crate) const NO_VECTOR: &str = "textsearch_no_vector";

pub(crate) fn lacks_vector(record: &StoredRecord, definition: &RecordDefinition) -> bool {
    definition.vectors.first().is_some_and(|field| !record.vectors.contains_key(&field.name))
}

/// # Errors
/// Returns `InvalidRecord` if the data hold the reserved name.
pub(crate) fn write(record: &StoredRecord, definition: &RecordDefinition) -> Result<String> {
    let key = &record.key;
    if record.data.contains_key(NO_VECTOR) {
        let fault = format!("its field `{NO_VECTOR}` is reserved for this connector; rename it");
        return Err(Error::invalid_record(CONNECTOR, key, fault));
    }
    let mut text = serde_json::to_string(&record.data).map_err(|error| {
        undecodable(format!("the record `{key}` cannot be written as JSON: {error}"))
    })?;
    if lacks_vector(record, definition) {
        // The data hold at least the key.
        text.insert_str(1, &format!("\"{NO_VECTOR}\":true,"));
    }
    Ok(text)
}

/// A record that was read, without its vectors.
pub(crate) struct Read {
    pub(crate) record: StoredRecord,
    pub(crate) lacks_vector: bool,
}

pub(crate) fn read(text: &str, definition: &RecordDefinition) -> Result<Read> {
    let mut data: Map<String, Value> = serde_json::from_str(text)
        .map_err(|error| undecodable(format!("a document is no record: {error}")))?;
    let lacks_vector = data.remove(NO_VECTOR).is_some();
    Ok(Read { record: StoredRecord::new(data, definition)?, lacks_vector })
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use textsearch_core::{ErrorKind, vector::VectorField};

    use super::*;

    fn definition() -> RecordDefinition {
        RecordDefinition::new("id").with_vector(VectorField::new("embedding", 2))
    }

    fn record(data: Value) -> StoredRecord {
        StoredRecord::new(data.as_object().cloned().unwrap(), &definition()).unwrap()
    }

    #[test]
    fn data_survive_with_and_without_a_vector() {
        let data = json!({ "id": "a", "x": [1, 1.0, null, u64::MAX], "y": { "z": "\0é" } });
        let without = record(data);
        let with = without.clone().with_vector("embedding", [1.0, 2.0]);
        for (record, lacks_vector) in [(&with, false), (&without, true)] {
            let text = write(record, &definition()).unwrap();
            let read = read(&text, &definition()).unwrap();
            assert_eq!((&read.record.data, read.lacks_vector), (&record.data, lacks_vector));
        }
    }

    #[test]
    fn the_reserved_field_is_refused() {
        let error = write(&record(json!({ "id": "a", NO_VECTOR: 1 })), &definition()).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::invalid_record("a"));
    }
}
