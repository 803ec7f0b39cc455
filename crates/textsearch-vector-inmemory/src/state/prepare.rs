//! Checks records and prepares them for storing: all the work that needs no lock.

use std::sync::Arc;

use hashbrown::hash_table::{Entry, HashTable};
use serde_json::{Map, Value};
use textsearch_core::{
    Error, Result,
    filter::lookup,
    text_analysis::{DocumentTerms, TermReader, texts_of},
    vector::{RecordKey, StoredRecord, VectorField},
};

use crate::{
    error::CONNECTOR,
    rows::{KeyHash, Payload, PayloadWriter},
    schema::Schema,
    vectors::{Elements, Vector},
};

pub(crate) struct Prepared<'a> {
    pub(crate) payload: Arc<Payload>,
    pub(crate) hash: KeyHash,
    /// In the order of the definition.
    pub(crate) vectors: Vec<Option<Vector<'a>>>,
    /// The filterable fields in the order of the definition, null if missing.
    pub(crate) columns: Vec<Value>,
    /// The full-text fields in the order of the definition.
    pub(crate) texts: Vec<DocumentTerms>,
}

pub(crate) struct Batch<'a> {
    pub(crate) records: Vec<Prepared<'a>>,
    pub(crate) terms: Terms,
}

/// By full-text field.
pub(crate) type Terms = Vec<Vec<Arc<str>>>;

impl Batch<'_> {
    /// About as many as an entry of the log would have.
    pub(crate) fn bytes(&self) -> u64 {
        let vectors = |record: &Prepared<'_>| {
            let vectors = record.vectors.iter().flatten();
            vectors.map(|vector| size_of_val(&*vector.elements)).sum::<usize>()
        };
        let records = self.records.iter();
        records.map(|record| record.payload.json().len() + vectors(record)).sum::<usize>() as u64
    }

    #[must_use]
    pub(crate) fn last_of_each_key(mut self) -> Self {
        let is_last = are_last_of_their_keys(&self);
        if is_last.contains(&false) {
            let mut is_last = is_last.into_iter();
            self.records.retain(|_| is_last.next().unwrap_or_default());
        }
        self
    }
}

fn are_last_of_their_keys(batch: &Batch<'_>) -> Vec<bool> {
    let mut later: HashTable<&RecordKey> = HashTable::with_capacity(batch.records.len());
    let mut is_last = vec![true; batch.records.len()];
    for (is_last, record) in is_last.iter_mut().zip(&batch.records).rev() {
        let key = record.payload.key();
        let hash = record.hash.whole();
        match later.entry(hash, |known| *known == key, |known| KeyHash::new(known).whole()) {
            Entry::Occupied(_) => *is_last = false,
            Entry::Vacant(place) => drop(place.insert(key)),
        }
    }
    is_last
}

/// Checks and prepares all records before any lock is taken. Uses one thread: the work is bound by
/// memory access and allocation, and two threads were slower.
///
/// # Errors
///
/// Returns `InvalidRecord` for the first record that does not fit.
pub(crate) fn prepare(records: Vec<StoredRecord>, schema: &Schema) -> Result<Batch<'static>> {
    let mut preparer = Preparer::new(schema);
    let fields = &schema.definition().vectors;
    let records = records.iter().map(|record| {
        let vectors = fields.iter().map(|field| checked_vector(record, field));
        let vectors = vectors.collect::<Result<_>>()?;
        preparer.prepare(record, vectors)
    });
    let records = records.collect::<Result<_>>()?;
    Ok(Batch { records, terms: preparer.into_terms() })
}

pub(crate) struct Preparer<'s> {
    schema: &'s Schema,
    readers: Vec<TermReader<'s>>,
    writer: PayloadWriter,
}

impl<'s> Preparer<'s> {
    pub(crate) fn new(schema: &'s Schema) -> Self {
        Self { schema, readers: schema.term_readers(), writer: PayloadWriter::default() }
    }

    /// The vectors were checked.
    ///
    /// # Errors
    ///
    /// Returns `InvalidRecord` if the key or data do not fit.
    pub(crate) fn prepare<'a>(
        &mut self,
        record: &StoredRecord,
        vectors: Vec<Option<Vector<'a>>>,
    ) -> Result<Prepared<'a>> {
        self.schema.definition().check_fields(CONNECTOR, record)?;
        Ok(Prepared {
            payload: self.writer.payload(record.key.clone(), &record.data)?,
            hash: KeyHash::new(&record.key),
            vectors,
            columns: columns(&record.data, self.schema),
            texts: terms(&record.data, self.schema, &mut self.readers),
        })
    }

    pub(crate) fn into_terms(self) -> Terms {
        self.readers.into_iter().map(TermReader::into_terms).collect()
    }
}

fn columns(data: &Map<String, Value>, schema: &Schema) -> Vec<Value> {
    // Filters treat a missing field like null.
    schema.columns().iter().map(|name| lookup(data, name).cloned().unwrap_or_default()).collect()
}

pub(crate) fn terms(
    data: &Map<String, Value>,
    schema: &Schema,
    readers: &mut [TermReader<'_>],
) -> Vec<DocumentTerms> {
    let fields = schema.text_fields().iter().zip(readers);
    fields
        .map(|(field, reader)| {
            let texts = lookup(data, &field.name).map(texts_of).unwrap_or_default();
            reader.read(texts.iter().map(AsRef::as_ref))
        })
        .collect()
}

fn checked_vector(record: &StoredRecord, field: &VectorField) -> Result<Option<Vector<'static>>> {
    let Some(elements) = record.vectors.get(&field.name) else { return Ok(None) };
    match Vector::checked(Elements::OfRecord(Arc::clone(elements)), field) {
        Ok(vector) => Ok(Some(vector)),
        Err(fault) => Err(Error::invalid_record(
            CONNECTOR,
            &record.key,
            format_args!("its vector `{}` {fault}", field.name),
        )),
    }
}

impl Prepared<'_> {
    /// Restores the record to prepare it for another schema. `schema` is the one it was prepared
    /// for.
    pub(crate) fn to_record(&self, schema: &Schema) -> Result<StoredRecord> {
        let record = StoredRecord::new(self.payload.data()?, schema.definition())?;
        let vectors = self.vectors.iter().zip(&schema.definition().vectors);
        let vectors = vectors.filter_map(|(vector, field)| Some((field, vector.as_ref()?)));
        Ok(vectors.fold(record, |record, (field, vector)| {
            record.with_vector(&field.name, &*vector.elements)
        }))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use textsearch_core::vector::RecordDefinition;

    use super::*;

    const DIMENSIONS: usize = 4;

    fn records(count: usize) -> (Vec<StoredRecord>, Schema) {
        let field = VectorField::new("embedding", DIMENSIONS);
        let definition = RecordDefinition::new("id").with_vector(field);
        let record = |number: usize| {
            let data = Map::from_iter([("id".to_owned(), json!(number.to_string()))]);
            let record = StoredRecord::new(data, &definition).unwrap();
            record.with_vector("embedding", vec![number as f32 + 1.0; DIMENSIONS])
        };
        let records = (0..count).map(record).collect();
        (records, Schema::new(Arc::new(definition)))
    }

    #[test]
    fn prepared_records_convert_back_in_order() {
        for count in [0, 1, 10] {
            let (records, schema) = records(count);
            let batch = prepare(records.clone(), &schema).unwrap();
            let again = batch.records.iter().map(|record| record.to_record(&schema).unwrap());
            assert_eq!(again.collect::<Vec<_>>(), records);
        }
    }

    #[test]
    fn first_invalid_record_is_reported() {
        let (mut records, schema) = records(10);
        for number in [8, 6, 7] {
            records[number].vectors.insert("embedding".to_owned(), Arc::new([1.0]));
        }
        let error = prepare(records, &schema).err().unwrap();
        assert!(error.message().contains("`6`"), "{error}");
    }
}
