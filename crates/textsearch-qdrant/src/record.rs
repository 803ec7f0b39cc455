//! Conversion between records and points.

use std::{collections::HashMap, sync::Arc};

use qdrant_client::qdrant::{
    self, NamedVectors, PointId, PointStruct, SparseVector, Value, VectorsOutput, vector_output,
    vectors::VectorsOptions, vectors_output,
};
use textsearch_core::{
    Error, ErrorKind, Result,
    filter::lookup,
    text_analysis::SparseWriter,
    vector::{DataKind, KeyKind, RecordDefinition, StoredRecord},
};

use crate::{
    CONNECTOR,
    columns::{Columns, columns, structure, values},
    conversion::{self, Json, is_kept},
    filter::kind_of_key,
    key,
    path::{self, COLUMN_FIELDS, FIELDS, MOVED, RESERVED},
};

pub(crate) struct PointWriter<'a> {
    definition: &'a RecordDefinition,
    /// The filterable fields: name, the kind that conditions assume, and whether texts have an
    /// order.
    fields: Vec<(&'a str, DataKind, bool)>,
    terms: SparseWriter<'a>,
}

impl<'a> PointWriter<'a> {
    pub(crate) fn new(definition: &'a RecordDefinition, terms: SparseWriter<'a>) -> Self {
        let key = &definition.key;
        let key = (key.name.as_str(), kind_of_key(key.kind), key.text_order);
        let data = definition.data.iter().filter(|field| field.filterable);
        let data = data.map(|field| (field.name.as_str(), path::kind(field), field.text_order));
        Self { definition, fields: std::iter::once(key).chain(data).collect(), terms }
    }

    pub(crate) fn point(&mut self, record: &StoredRecord) -> PointStruct {
        PointStruct {
            id: Some(key::point(self.definition.key.kind, &record.key)),
            payload: self.payload(record),
            vectors: Some(self.vectors(record)),
        }
    }

    fn payload(&self, record: &StoredRecord) -> HashMap<String, Value> {
        let mut column_fields = Vec::new();
        let mut moved = Json::new();
        let mut fields = Vec::new();
        for (name, kind, is_ordered) in &self.fields {
            let Some(value) = lookup(&record.data, name) else { continue };
            let Columns { columns, is_in_columns } = columns(value, *kind, *is_ordered);
            if is_in_columns {
                column_fields.push(Value::from(*name));
                // Move the value: a condition on the field itself would misread it. JSON fields
                // aren't queried directly.
                if *kind != DataKind::Json {
                    moved.insert((*name).to_owned(), value.clone());
                }
            }
            if !columns.is_empty() {
                let columns = columns.into_iter().map(|(name, value)| (name.to_owned(), value));
                fields.push(((*name).to_owned(), structure(columns)));
            }
        }
        let unkept = record.data.iter().filter(|(_, value)| !is_kept(value));
        moved.extend(unkept.map(|(name, value)| (name.clone(), value.clone())));
        let kept = record.data.iter().filter(|(name, _)| !moved.contains_key(*name));
        let mut payload: HashMap<String, Value> =
            kept.map(|(name, value)| (name.clone(), value.clone().into())).collect();
        let parts = [
            (COLUMN_FIELDS, (!column_fields.is_empty()).then(|| values(column_fields))),
            (FIELDS, (!fields.is_empty()).then(|| structure(fields))),
            (MOVED, (!moved.is_empty()).then(|| serde_json::Value::from(moved).to_string().into())),
        ];
        let present = parts.into_iter().filter_map(|(name, part)| Some((name.to_owned(), part?)));
        let present: Vec<_> = present.collect();
        if !present.is_empty() {
            payload.insert(RESERVED.to_owned(), structure(present));
        }
        payload
    }

    fn vectors(&mut self, record: &StoredRecord) -> qdrant::Vectors {
        let dense = record.vectors.iter();
        let dense =
            dense.map(|(name, elements)| (path::vector(name).to_owned(), elements.to_vec().into()));
        let terms = self.terms.document(&record.data);
        let sparse = (!terms.is_empty()).then(|| {
            let sparse = SparseVector { indices: terms.numbers, values: terms.weights };
            (path::TERMS.to_owned(), sparse.into())
        });
        let vectors = NamedVectors { vectors: dense.chain(sparse).collect() };
        qdrant::Vectors { vectors_options: Some(VectorsOptions::Vectors(vectors)) }
    }
}

/// # Errors
/// Returns `Undecodable` if the point has no identifier, or one that isn't derived from the
/// record's text key: no request for that key would find the point.
pub(crate) fn read(
    definition: &RecordDefinition,
    id: Option<PointId>,
    payload: HashMap<String, Value>,
    vectors: Option<VectorsOutput>,
) -> Result<StoredRecord> {
    let mut data = conversion::object(payload);
    let reserved = path::take_reserved(&mut data);
    if let Some(moved) = reserved.get(MOVED).and_then(serde_json::Value::as_str) {
        data.extend(serde_json::from_str::<Json>(moved).map_err(undecodable)?);
    }
    let kind = definition.key.kind;
    let name = &definition.key.name;
    let point = key::key_of(id.clone());
    let point = point.ok_or_else(|| undecodable("a point has no identifier"))?;
    // Integer and UUID keys are the point's identifier, whatever the payload says.
    if kind != KeyKind::String {
        data.insert(name.clone(), (&point).into());
    }
    let at_point = |reason: &dyn std::fmt::Display| {
        undecodable(format_args!(
            "the point `{point}`: {reason}; points of other programs need integer or UUID keys"
        ))
    };
    let mut record = StoredRecord::new(data, definition).map_err(|error| at_point(&error))?;
    if kind == KeyKind::String && Some(key::point(kind, &record.key)) != id {
        let reason = format!("its identifier is not that of the key `{}`", record.key);
        return Err(at_point(&reason));
    }
    let is_known = |name: &str| definition.vectors.iter().any(|field| field.name == name);
    record.vectors.extend(dense(vectors).filter(|(name, _)| is_known(name)));
    Ok(record)
}

fn dense(vectors: Option<VectorsOutput>) -> impl Iterator<Item = (String, Arc<[f32]>)> {
    let named = match vectors.and_then(|vectors| vectors.vectors_options) {
        Some(vectors_output::VectorsOptions::Vectors(named)) => named.vectors,
        Some(vectors_output::VectorsOptions::Vector(unnamed)) => {
            HashMap::from([(String::new(), unnamed)])
        }
        None => HashMap::new(),
    };
    named.into_iter().filter_map(|(name, vector)| match vector.into_vector() {
        vector_output::Vector::Dense(dense) => {
            let name = if name.is_empty() { path::UNNAMED_VECTOR.to_owned() } else { name };
            Some((name, dense.data.into()))
        }
        _ => None,
    })
}

fn undecodable(reason: impl std::fmt::Display) -> Error {
    let message = format!("a point cannot be read as a record: {reason}");
    Error::new(ErrorKind::Undecodable, CONNECTOR, message)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use textsearch_core::vector::RecordKey;

    use super::*;

    fn stored(kind: KeyKind, id: PointId, payload: serde_json::Value) -> Result<StoredRecord> {
        let payload = payload.as_object().cloned().unwrap();
        let payload = payload.into_iter().map(|(name, value)| (name, value.into())).collect();
        read(&RecordDefinition::new("id").with_key_kind(kind), Some(id), payload, None)
    }

    #[test]
    fn integer_key_comes_from_the_point() {
        let record = stored(KeyKind::Integer, 7.into(), json!({ "id": 8 })).unwrap();
        assert_eq!((&record.key, &record.data["id"]), (&RecordKey::Integer(7), &json!(7)));
        let uuid = "67e55044-10b1-426f-9247-bb680e5fe0c8";
        let record = stored(KeyKind::Uuid, uuid.into(), json!({ "id": "another" })).unwrap();
        assert_eq!(record.key.to_string(), uuid);
    }

    #[test]
    fn text_key_of_another_point_is_undecodable() {
        let right = key::point(KeyKind::String, &"a".into());
        assert_eq!(stored(KeyKind::String, right, json!({ "id": "a" })).unwrap().key, "a".into());
        for payload in [json!({ "id": "a" }), json!({})] {
            let error = stored(KeyKind::String, 7.into(), payload).unwrap_err();
            assert_eq!(*error.kind(), ErrorKind::Undecodable);
            assert!(error.message().contains("the point `7`: "), "{error}");
        }
    }
}
