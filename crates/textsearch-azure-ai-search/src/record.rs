//! Records as documents.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use textsearch_core::{Error, Result, vector::StoredRecord};

use crate::{
    CONNECTOR,
    columns::{self, columns},
    handle::Index,
    key::document_key,
};

/// An [action](https://learn.microsoft.com/rest/api/searchservice/documents) of a batch.
#[derive(Serialize)]
struct Action<'a> {
    #[serde(rename = "@search.action")]
    action: &'static str,
    #[serde(flatten)]
    fields: BTreeMap<&'a str, Field<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Field<'a> {
    Text(String),
    Value(Value),
    Vector(&'a [f32]),
}

impl Index {
    /// Returns the action that replaces the whole document of `record`, as JSON.
    ///
    /// # Errors
    /// Returns `InvalidRecord` if the record doesn't fit.
    pub(crate) fn upload(&self, record: &StoredRecord) -> Result<String> {
        let mut fields = BTreeMap::new();
        fields.insert(self.definition.key.name.as_str(), Field::Text(document_key(&record.key)));
        for (field, edm) in columns(&self.definition) {
            let Some(value) = record.data.get(&field.name) else { continue };
            let held = columns::value(value, field, edm).map_err(|expected| {
                let fault = format!("its field `{}` must be {expected}", field.name);
                Error::invalid_record(CONNECTOR, &record.key, fault)
            })?;
            if !held.is_null() {
                fields.insert(field.name.as_str(), Field::Value(held));
            }
        }
        for (name, vector) in &record.vectors {
            fields.insert(name.as_str(), Field::Vector(vector));
        }
        let data = json(record, &record.data)?;
        fields.insert(self.data_field(), Field::Text(data));
        json(record, &Action { action: "upload", fields })
    }
}

fn json(record: &StoredRecord, value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| {
        Error::invalid_record(CONNECTOR, &record.key, format_args!("it cannot be JSON: {error}"))
    })
}
