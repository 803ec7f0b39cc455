//! The records of a collection, as rows.

use rusqlite::{Connection, OptionalExtension as _, Row, params, params_from_iter, types::Value as Sql};
use textsearch_core::{
    Error, ErrorKind, Filter, Result,
    vector::{RecordDefinition, RecordKey, StoredRecord, VectorField},
};

use crate::{
    CONNECTOR,
    columns::{key_text, preselection, values},
    database::backend,
    refused,
};

pub(crate) fn collection_names(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare("SELECT name FROM collections ORDER BY name")?;
    statement.query_map((), |row| row.get(0))?.collect()
}

pub(crate) fn delete(connection: &Connection, name: &str) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM collections WHERE name = ?1", [name]).map(drop)
}

pub(crate) fn exists(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    connection.prepare("SELECT 1 FROM collections WHERE name = ?1")?.exists([name])
}

pub(crate) fn create(
    connection: &Connection,
    name: &str,
    definition: &RecordDefinition,
) -> Result<()> {
    let text = serde_json::to_string(definition).map_err(undecodable)?;
    let insert = "INSERT OR IGNORE INTO collections (name, definition) VALUES (?1, ?2)";
    connection.execute(insert, [name, &text]).map_err(backend)?;
    Opened::new(connection, name, definition).map(drop)
}

/// A collection that exists and fits its definition.
pub(crate) struct Opened<'a> {
    connection: &'a Connection,
    id: i64,
    definition: &'a RecordDefinition,
}

impl<'a> Opened<'a> {
    pub(crate) fn new(
        connection: &'a Connection,
        name: &str,
        definition: &'a RecordDefinition,
    ) -> Result<Self> {
        let select = "SELECT id, definition FROM collections WHERE name = ?1";
        let both = |row: &Row<'_>| Ok((row.get(0)?, row.get::<_, String>(1)?));
        let found = connection.query_row(select, [name], both).optional().map_err(backend)?;
        let Some((id, text)) = found else {
            return Err(Error::collection_not_found(CONNECTOR, name));
        };
        check_fits(definition, &serde_json::from_str(&text).map_err(undecodable)?)?;
        Ok(Self { connection, id, definition })
    }

    pub(crate) fn put(&self, record: &StoredRecord) -> Result<()> {
        self.delete(&record.key)?;
        let data = serde_json::to_string(&record.data).map_err(undecodable)?;
        let key = key_text(&record.key);
        let insert = "INSERT INTO records (collection, key, data) VALUES (?1, ?2, ?3)";
        self.execute(insert, params![self.id, key, data])?;
        for (field, value) in values(record, self.definition)? {
            let insert = "INSERT INTO fields (collection, key, field, value) VALUES (?1, ?2, ?3, ?4)";
            self.execute(insert, params![self.id, key, field, value])?;
        }
        for (field, elements) in &record.vectors {
            let bytes: Vec<u8> = elements.iter().flat_map(|one| one.to_le_bytes()).collect();
            let insert = "INSERT INTO vectors (collection, key, field, elements) VALUES (?1, ?2, ?3, ?4)";
            self.execute(insert, params![self.id, key, field, bytes])?;
        }
        Ok(())
    }

    pub(crate) fn delete(&self, key: &RecordKey) -> Result<()> {
        let key = self.definition.key.canonical(key);
        if !self.definition.key.accepts(&key) {
            return Ok(());
        }
        let delete = "DELETE FROM records WHERE collection = ?1 AND key = ?2";
        self.execute(delete, params![self.id, key_text(&key)])
    }

    pub(crate) fn get(&self, key: &RecordKey, with_vectors: bool) -> Result<Option<StoredRecord>> {
        let key = self.definition.key.canonical(key);
        if !self.definition.key.accepts(&key) {
            return Ok(None);
        }
        let select = "SELECT data FROM records WHERE collection = ?1 AND key = ?2";
        let text = |row: &Row<'_>| row.get::<_, String>(0);
        let found = self.connection.query_row(select, params![self.id, key_text(&key)], text);
        let Some(data) = found.optional().map_err(backend)? else { return Ok(None) };
        let mut record = self.record(&data)?;
        if with_vectors {
            self.add_vectors(&mut record)?;
        }
        Ok(Some(record))
    }

    pub(crate) fn add_vectors(&self, record: &mut StoredRecord) -> Result<()> {
        let select = "SELECT field, elements FROM vectors WHERE collection = ?1 AND key = ?2";
        let mut statement = self.connection.prepare_cached(select).map_err(backend)?;
        let both = |row: &Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, Vec<u8>>(1)?));
        let rows = statement.query_map(params![self.id, key_text(&record.key)], both);
        for row in rows.map_err(backend)? {
            let (field, bytes) = row.map_err(backend)?;
            record.vectors.insert(field, floats(&bytes).into());
        }
        Ok(())
    }

    /// Returns the matching records without vectors, by key.
    pub(crate) fn matching(&self, filter: Option<&Filter>) -> Result<Vec<StoredRecord>> {
        let select = "SELECT data FROM records WHERE records.collection = ?1 AND ";
        let found = self.select(select, Vec::new(), filter, |row| row.get(0))?;
        let records = found.into_iter().map(|data: String| self.record(&data));
        let records: Vec<_> = records.collect::<Result<_>>()?;
        Ok(records.into_iter().filter(|record| record.matches(filter)).collect())
    }

    /// Returns the matching records that have the vector, without vectors, with their scores.
    pub(crate) fn scored(
        &self,
        filter: Option<&Filter>,
        field: &VectorField,
        query: &[f32],
    ) -> Result<Vec<(StoredRecord, f64)>> {
        let select = "SELECT data, elements FROM records JOIN vectors USING (collection, key) \
                      WHERE records.collection = ?1 AND vectors.field = ?2 AND ";
        let both = |row: &Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, Vec<u8>>(1)?));
        let found = self.select(select, vec![Sql::Text(field.name.clone())], filter, both)?;
        let mut scored = Vec::new();
        for (data, bytes) in found {
            let record = self.record(&data)?;
            if record.matches(filter) {
                // Minus zero would order before zero.
                scored.push((record, field.distance.score(query, &floats(&bytes)) + 0.0));
            }
        }
        Ok(scored)
    }

    fn select<T>(
        &self,
        select: &str,
        parameters: Vec<Sql>,
        filter: Option<&Filter>,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let (condition, values) = preselection(filter, self.definition);
        let sql = format!("{select}{condition} ORDER BY records.key");
        let all = [Sql::Integer(self.id)].into_iter().chain(parameters).chain(values);
        let mut statement = self.connection.prepare_cached(&sql).map_err(backend)?;
        let rows = statement.query_map(params_from_iter(all), read).map_err(backend)?;
        rows.collect::<rusqlite::Result<_>>().map_err(backend)
    }

    fn record(&self, data: &str) -> Result<StoredRecord> {
        StoredRecord::new(serde_json::from_str(data).map_err(undecodable)?, self.definition)
    }

    fn execute(&self, sql: &str, parameters: impl rusqlite::Params) -> Result<()> {
        let mut statement = self.connection.prepare_cached(sql).map_err(backend)?;
        statement.execute(parameters).map(drop).map_err(backend)
    }
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    let (elements, _) = bytes.as_chunks::<4>();
    elements.iter().copied().map(f32::from_le_bytes).collect()
}

fn check_fits(definition: &RecordDefinition, existing: &RecordDefinition) -> Result<()> {
    if definition.key != existing.key {
        let found = &definition.key;
        let allowed = format!("{:?}", existing.key);
        return Err(refused(&definition.key.name, format_args!("{found:?}"), &allowed));
    }
    for field in &existing.data {
        if let Some(other) = definition.data_field(&field.name)
            && (other.kind, other.filterable) != (field.kind, field.filterable)
        {
            let allowed = format!("{:?}, filterable: {}", field.kind, field.filterable);
            return Err(refused(&field.name, format_args!("{:?}", other.kind), &allowed));
        }
    }
    for field in &existing.vectors {
        let other = definition.vectors.iter().find(|other| other.name == field.name);
        let shape = |field: &VectorField| (field.dimensions, field.distance);
        if other.map(shape) != Some(shape(field)) {
            let found = format!("{:?}", other.map(shape));
            return Err(refused(&field.name, found, &format!("{:?}", shape(field))));
        }
    }
    Ok(())
}

fn undecodable(error: serde_json::Error) -> Error {
    let message = "a stored text is no JSON of this program";
    Error::new(ErrorKind::Undecodable, CONNECTOR, message).with_source(error)
}
