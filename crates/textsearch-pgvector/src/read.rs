//! Records from rows.

use std::{collections::HashMap, sync::Arc};

use serde_json::{Map, Value};
use textsearch_core::{
    Error, ErrorKind, Result,
    vector::{KeyKind, RecordKey, Scored, StoredRecord},
};
use tokio_postgres::{GenericClient, Row, types::Type};

use crate::{
    CONNECTOR,
    query::Query,
    table::{Part, Table},
};

impl Table {
    /// Reads the columns that [`selected`](Self::selected) names, which come first.
    pub(crate) fn record(&self, row: &Row, part: Part) -> Result<StoredRecord> {
        let data: &str = row.try_get(0).map_err(|error| undecodable(self, error))?;
        let data = match part {
            Part::Key => self.only_key(data),
            _ => match &self.existing {
                Some(existing) => existing.record(&self.definition.key.name, data),
                None => serde_json::from_str(data),
            },
        };
        let data = data.map_err(|error| undecodable(self, error))?;
        let mut record = StoredRecord::new(data, &self.definition)?;
        if part == Part::DataAndVectors {
            for (place, field) in self.definition.vectors.iter().enumerate() {
                let vector: Option<Vec<f32>> =
                    row.try_get(place + 1).map_err(|error| undecodable(self, error))?;
                let vector = vector.map(|vector| (field.name.clone(), Arc::from(vector)));
                record.vectors.extend(vector);
            }
        }
        Ok(record)
    }

    /// Reads a record and its score, which is the last column.
    pub(crate) fn scored(&self, row: &Row, part: Part) -> Result<Scored<StoredRecord>> {
        let record = self.record(row, part)?;
        let score = row.try_get(row.len() - 1).map_err(|error| self.error(error))?;
        Ok(Scored::new(record, score, Arc::clone(&self.definition)))
    }

    fn only_key(&self, key: &str) -> serde_json::Result<Map<String, Value>> {
        let field = &self.definition.key;
        let value = match field.kind {
            KeyKind::Integer => serde_json::from_str(key)?,
            _ => Value::from(key),
        };
        Ok(Map::from_iter([(field.name.clone(), value)]))
    }

    /// Reads the records with these keys, in this order.
    pub(crate) async fn get(
        &self,
        client: &impl GenericClient,
        keys: &[RecordKey],
        part: Part,
    ) -> Result<Vec<StoredRecord>> {
        let keys: Vec<RecordKey> =
            keys.iter().map(|key| self.definition.key.canonical(key).into_owned()).collect();
        let mut query = Query::default();
        let condition = self.with_keys(&keys, &mut query);
        let selected = self.selected(part);
        query.sql = format!("SELECT {selected} FROM {} WHERE {condition}", self.sql);
        let rows = query.rows(client).await.map_err(|error| self.error(error))?;
        let records = rows.iter().map(|row| {
            let record = self.record(row, part)?;
            Ok((record.key.clone(), record))
        });
        let records: HashMap<RecordKey, StoredRecord> = records.collect::<Result<_>>()?;
        Ok(keys.iter().filter_map(|key| records.get(key).cloned()).collect())
    }

    /// Returns the condition of the rows with these keys.
    pub(crate) fn with_keys(&self, keys: &[RecordKey], query: &mut Query) -> String {
        let can_exist = |key: &&RecordKey| {
            self.definition.key.accepts(key)
                && match key {
                    RecordKey::String(key) => !key.contains('\0'),
                    RecordKey::Integer(key) => {
                        self.existing.is_none() || i64::try_from(*key).is_ok()
                    }
                }
        };
        let texts: Vec<String> = keys.iter().filter(can_exist).map(RecordKey::to_string).collect();
        let cast = match (&self.existing, self.definition.key.kind) {
            (Some(existing), kind) => existing.keys_type(kind),
            (None, KeyKind::Integer) => "::numeric[]",
            _ => "",
        };
        format!("{} = ANY (${}{cast})", self.key, query.bind(texts, Type::TEXT_ARRAY))
    }
}

fn undecodable(table: &Table, error: impl std::error::Error + Send + Sync + 'static) -> Error {
    let message = format!("a row of the collection `{}` is no record: {error}", table.name);
    Error::new(ErrorKind::Undecodable, CONNECTOR, message).with_source(error)
}
