//! Writing of records.

use std::{
    collections::BTreeMap,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use deadpool_postgres::Client;
use pgvector::Vector;
use serde_json::Value;
use textsearch_core::{
    Error, ErrorKind, Result,
    filter::DateTime,
    vector::{DataField, DataKind, RecordKey, StoredRecord, VectorField},
};
use tokio_postgres::types::ToSql;

use crate::{
    CONNECTOR, VectorType,
    columns::{check_values, columns, integer, microseconds},
    existing::Existing,
    table::Table,
    terms, ts_vector,
    vectors::{VectorColumn, bits},
};

/// Records of one statement.
const CHUNK: usize = 1_000;

type Column<'a> = Box<dyn ToSql + Send + Sync + 'a>;

impl Table {
    /// Stores all records or none.
    pub(crate) async fn put(&self, client: &mut Client, records: Vec<StoredRecord>) -> Result<()> {
        let failed = |error| self.error(error);
        let records = last_of_each_key(records);
        let sql = self.upsert()?;
        let statement = client.prepare_cached(&sql).await.map_err(failed)?;
        if records.len() <= CHUNK {
            let columns = self.arrays(&records)?;
            return client
                .execute(&statement, &references(&columns))
                .await
                .map(drop)
                .map_err(failed);
        }
        let transaction = client.transaction().await.map_err(failed)?;
        for chunk in records.chunks(CHUNK) {
            let columns = self.arrays(chunk)?;
            transaction.execute(&statement, &references(&columns)).await.map_err(failed)?;
        }
        transaction.commit().await.map_err(failed)
    }

    pub(crate) fn check_records(&self, records: &[StoredRecord]) -> Result<()> {
        self.existing.as_ref().map_or(Ok(()), Existing::check_writable)?;
        records.iter().try_for_each(|record| {
            self.definition.check_record(CONNECTOR, record)?;
            match &self.existing {
                Some(existing) => existing.check_record(record, &self.definition.key.name)?,
                None => check_values(record, &self.definition)?,
            }
            self.check_vectors(record)
        })
    }

    fn check_vectors(&self, record: &StoredRecord) -> Result<()> {
        for (field, column) in self.definition.vectors.iter().zip(&self.vectors) {
            let fault = record.vectors.get(&field.name).and_then(|vector| column.fault(vector));
            if let Some(fault) = fault {
                let fault = format!("its vector `{}` {fault}", field.name);
                return Err(Error::invalid_record(CONNECTOR, &record.key, fault));
            }
        }
        Ok(())
    }

    /// Returns the parameters of [`upsert`](Self::upsert).
    fn arrays<'a>(&self, records: &'a [StoredRecord]) -> Result<Vec<Column<'a>>> {
        let keys: Vec<String> = records.iter().map(|record| record.key.to_string()).collect();
        let vectors = |(field, column)| vectors(records, field, column);
        let vectors = self.definition.vectors.iter().zip(&self.vectors).map(vectors);
        if let Some(existing) = &self.existing {
            let data = existing.parameters(records).into_iter();
            let keys = [Box::new(keys) as Column<'a>].into_iter();
            return Ok(keys.chain(data.map(|texts| Box::new(texts) as _)).chain(vectors).collect());
        }
        let data = records.iter().map(|record| serde_json::to_string(&record.data));
        let data: Vec<String> = data.collect::<Result<_, _>>().map_err(|error| {
            let message = format!("a record cannot be written as JSON: {error}");
            Error::new(ErrorKind::Undecodable, CONNECTOR, message).with_source(error)
        })?;
        let mut all: Vec<Column<'a>> = vec![Box::new(keys), Box::new(data)];
        all.extend(columns(&self.definition).map(|field| values(records, field)));
        all.extend(vectors);
        let texts = self.ts_fields().map(|field| ts_vector::texts(records, field));
        all.extend(texts.map(|texts| Box::new(texts) as Column<'a>));
        if self.has_terms() {
            all.extend(self.terms(records));
        }
        Ok(all)
    }
}

impl Table {
    /// Returns the first and the last place of each record's terms, all terms, and all weights.
    fn terms<'a>(&self, records: &[StoredRecord]) -> [Column<'a>; 4] {
        let mut firsts = Vec::new();
        let mut lasts = Vec::new();
        let mut numbers = Vec::new();
        let mut weights = Vec::new();
        let mut writer = self.texts.writer();
        for record in records {
            let terms = terms::stored(writer.document(&record.data));
            firsts.push(numbers.len() as i32 + 1);
            numbers.extend(terms.numbers);
            weights.extend(terms.weights);
            lasts.push(numbers.len() as i32);
        }
        [Box::new(firsts), Box::new(lasts), Box::new(numbers), Box::new(weights)]
    }
}

/// Sorted by key, so that two writers lock rows in the same order and never wait for each other.
fn last_of_each_key(records: Vec<StoredRecord>) -> Vec<StoredRecord> {
    let by_key: BTreeMap<RecordKey, StoredRecord> =
        records.into_iter().map(|record| (record.key.clone(), record)).collect();
    by_key.into_values().collect()
}

fn values<'a>(records: &'a [StoredRecord], field: &DataField) -> Column<'a> {
    fn each<'a, T: ToSql + Send + Sync + 'a>(
        records: &'a [StoredRecord],
        field: &DataField,
        read: impl Fn(&'a Value) -> Option<T>,
    ) -> Column<'a> {
        let values = records.iter().map(|record| record.data.get(&field.name).and_then(&read));
        Box::new(values.collect::<Vec<_>>())
    }
    match field.kind {
        DataKind::Integer => each(records, field, |value| value.as_number().and_then(integer)),
        DataKind::Number => each(records, field, Value::as_f64),
        DataKind::Boolean => each(records, field, Value::as_bool),
        DataKind::DateTime => each(records, field, |value| {
            Some(system_time(microseconds(DateTime::parse(value.as_str()?).ok()?)))
        }),
        _ => each(records, field, Value::as_str),
    }
}

fn system_time(microseconds: i64) -> SystemTime {
    let distance = Duration::from_micros(microseconds.unsigned_abs());
    match microseconds {
        0.. => UNIX_EPOCH + distance,
        _ => UNIX_EPOCH - distance,
    }
}

fn vectors<'a>(
    records: &'a [StoredRecord],
    field: &VectorField,
    column: &VectorColumn,
) -> Column<'a> {
    let all = records.iter().map(|record| record.vectors.get(&field.name));
    match column.kind {
        VectorType::Bit => {
            Box::new(all.map(|vector| vector.map(|vector| bits(vector))).collect::<Vec<_>>())
        }
        _ => {
            let all = all.map(|vector| vector.map(|vector| Vector::from(vector.to_vec())));
            Box::new(all.collect::<Vec<_>>())
        }
    }
}

fn references<'a>(columns: &'a [Column<'_>]) -> Vec<&'a (dyn ToSql + Sync)> {
    columns.iter().map(|column| &**column as &(dyn ToSql + Sync)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use textsearch_core::vector::RecordDefinition;

    use super::*;

    #[test]
    fn the_last_record_of_a_key_is_kept_in_key_order() {
        let record = |key: &str, year: i64| {
            let data = json!({ "id": key, "year": year }).as_object().cloned().unwrap();
            StoredRecord::new(data, &RecordDefinition::new("id")).unwrap()
        };
        let kept = last_of_each_key(vec![record("b", 1), record("a", 2), record("b", 3)]);
        assert_eq!(kept, [record("a", 2), record("b", 3)]);
    }
}
