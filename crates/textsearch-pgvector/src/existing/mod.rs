//! Tables that other programs created: which columns the fields of records have.

mod catalog;
mod column;
mod compare;
mod fit;

use serde_json::{Map, Value};
use textsearch_core::{
    Error, Result,
    vector::{KeyKind, RecordKey, StoredRecord},
};

pub(crate) use self::{
    catalog::{columns, definition, has_table, indexes, no_table},
    column::{Column, ColumnKind},
    fit::with_types,
};
use crate::{CONNECTOR, ExistingTable, columns::quoted};

/// The columns of the fields of a definition.
#[derive(Debug)]
pub(crate) struct Existing {
    pub(crate) key: Column,
    /// The data fields that have a column.
    pub(crate) data: Vec<Mapped>,
    /// Columns that each new row needs, and no field has.
    required: Vec<String>,
    settings: ExistingTable,
}

/// A data field and its column.
#[derive(Debug)]
pub(crate) struct Mapped {
    pub(crate) field: String,
    kind: textsearch_core::vector::DataKind,
    pub(crate) column: Column,
}

impl Existing {
    pub(crate) fn column(&self, field: &str) -> Option<&Column> {
        self.data.iter().find(|mapped| mapped.field == field).map(|mapped| &mapped.column)
    }

    /// Key and data as a list in JSON, which [`record`](Self::record) reads.
    pub(crate) fn selected(&self) -> String {
        let json = self.columns().map(Column::selected);
        // An array: functions have at most 100 arguments.
        format!("array_to_json(ARRAY[{}])::text", json.collect::<Vec<_>>().join(", "))
    }

    /// Reads what [`selected`](Self::selected) selects. Null is no value.
    pub(crate) fn record(&self, key: &str, text: &str) -> serde_json::Result<Map<String, Value>> {
        let values: Vec<Value> = serde_json::from_str(text)?;
        let names = [key].into_iter().chain(self.data.iter().map(|mapped| mapped.field.as_str()));
        let named =
            names.zip(self.columns().zip(values)).filter(|(_, (_, value))| !value.is_null());
        Ok(named.map(|(name, (column, value))| (name.to_owned(), column.read(value))).collect())
    }

    fn columns(&self) -> impl Iterator<Item = &Column> {
        [&self.key].into_iter().chain(self.data.iter().map(|mapped| &mapped.column))
    }

    /// The words of a full-text field; `None` if Postgres computes them from the field's column.
    pub(crate) fn text_vector(&self, field: &str) -> Option<String> {
        self.settings.text_vectors.get(field).map(|column| quoted(column))
    }

    /// Returns the error of a table that was dropped.
    pub(crate) fn missing(&self, name: &str) -> Error {
        no_table(name, &self.settings)
    }

    /// Checks that rows can hold the record.
    pub(crate) fn check_record(&self, record: &StoredRecord, key: &str) -> Result<()> {
        let name = record.key.to_string();
        let is_large = |key: &RecordKey| matches!(key, RecordKey::Integer(number) if i64::try_from(*number).is_err());
        if is_large(&record.key) || name.contains('\0') {
            return Err(Error::invalid_record(
                CONNECTOR,
                name,
                "its key doesn't fit into the column of keys",
            ));
        }
        let known = |field: &str| field == key || self.column(field).is_some();
        if let Some(field) = record.data.keys().find(|field| !known(field)) {
            let fault = format!("its field `{field}` has no column; add it to the definition");
            return Err(Error::invalid_record(CONNECTOR, name, fault));
        }
        for Mapped { field, kind, column } in &self.data {
            let value = record.data.get(field).unwrap_or(&Value::Null);
            if !column.holds(value, *kind) {
                let fault = format!(
                    "its field `{field}` holds {value}; the column `{}` has the type {}",
                    column.name, column.shown
                );
                return Err(Error::invalid_record(CONNECTOR, name, fault));
            }
        }
        Ok(())
    }

    /// Names, values for the parameters `c1`, `c2`, …, of the columns of key and data.
    pub(crate) fn written(&self) -> Vec<(String, String)> {
        let written = |(place, column): (usize, &Column)| {
            (column.sql(), column.written(&format!("c{}", place + 1)))
        };
        self.columns().enumerate().map(written).collect()
    }

    /// The parameter of each column of the data.
    pub(crate) fn parameters(&self, records: &[StoredRecord]) -> Vec<Vec<Option<String>>> {
        let values = |mapped: &Mapped| {
            let value = |record: &StoredRecord| {
                mapped.column.parameter(record.data.get(&mapped.field).unwrap_or(&Value::Null))
            };
            records.iter().map(value).collect()
        };
        self.data.iter().map(values).collect()
    }

    /// The type of an array of keys.
    pub(crate) fn keys_type(&self, kind: KeyKind) -> &'static str {
        match kind {
            KeyKind::Integer => "::bigint[]",
            KeyKind::Uuid => "::uuid[]",
            _ => "",
        }
    }
}
