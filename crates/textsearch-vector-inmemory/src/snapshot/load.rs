//! Converts section bodies to records. The bytes are untrusted.

use std::collections::VecDeque;

use textsearch_core::{
    BoxError, Error,
    vector::{RecordKey, StoredRecord, VectorField},
};

use super::{
    budget::Budget,
    bytes::Bytes,
    fault::{Fault, Result},
};
use crate::{
    error::CONNECTOR,
    rows::CHUNK_ROWS,
    schema::Schema,
    state::{Batch, Prepared, Preparer},
    vectors::{Elements, Vector},
};

/// Reused buffers: allocating fresh memory takes longer than filling it.
#[derive(Default)]
pub(crate) struct Memory {
    elements: Vec<Vec<f32>>,
}

/// Each batch has at most as many records as a chunk.
pub(crate) fn batches<'a>(
    body: &'a [u8],
    schema: &Schema,
    memory: &'a mut Memory,
    budget: &Budget,
) -> Result<Vec<Batch<'a>>> {
    let bytes = body.len();
    let mut body = Bytes(body);
    let texts = texts(&mut body)?;
    memory.elements.resize_with(schema.definition().vectors.len(), Vec::new);
    let fields = schema.definition().vectors.iter().zip(&mut memory.elements);
    let vectors =
        fields.map(|(field, memory)| Vectors::read(texts.len(), field, &mut body, memory));
    let vectors = vectors.collect::<Result<Vec<_>>>()?;
    if !body.0.is_empty() {
        return Err(Fault::Damaged("records end before their section"));
    }
    let marks: Vec<&[u8]> = vectors.iter().map(|vectors| vectors.marks).collect();
    budget.take_records(schema, texts.len(), &marks, bytes)?;
    let mut vectors: Vec<_> = vectors.iter().map(Vectors::by_record).collect();
    let batches = texts.chunks(CHUNK_ROWS);
    batches.map(|texts| batch(texts, &mut vectors, schema)).collect()
}

fn batch<'a>(
    texts: &[&[u8]],
    vectors: &mut [VecDeque<Option<&'a [f32]>>],
    schema: &Schema,
) -> Result<Batch<'a>> {
    let mut preparer = Preparer::new(schema);
    let mut next = || vectors.iter_mut().map(|vectors| vectors.pop_front().flatten()).collect();
    let records = texts.iter().map(|text| record(text, next(), schema, &mut preparer));
    let records = records.collect::<Result<_>>()?;
    Ok(Batch { records, terms: preparer.into_terms() })
}

fn record<'a>(
    text: &[u8],
    vectors: Vec<Option<&'a [f32]>>,
    schema: &Schema,
    preparer: &mut Preparer<'_>,
) -> Result<Prepared<'a>> {
    let data = serde_json::from_slice(text).map_err(invalid)?;
    let record = StoredRecord::new(data, schema.definition()).map_err(invalid)?;
    let vectors = checked(vectors, &record.key, schema)?;
    preparer.prepare(&record, vectors).map_err(invalid)
}

fn checked<'a>(
    vectors: Vec<Option<&'a [f32]>>,
    key: &RecordKey,
    schema: &Schema,
) -> Result<Vec<Option<Vector<'a>>>> {
    let vectors = vectors.into_iter().zip(&schema.definition().vectors);
    let checked = vectors.map(|(elements, field)| {
        let elements = elements.map(Elements::OfSnapshot);
        let vector = elements.map(|elements| Vector::checked(elements, field)).transpose();
        let name = &field.name;
        vector.map_err(|fault| {
            invalid(Error::invalid_record(CONNECTOR, key, format!("its vector `{name}` {fault}")))
        })
    });
    checked.collect()
}

fn invalid(error: impl Into<BoxError>) -> Fault {
    Fault::Invalid("a record", error.into())
}

fn texts<'a>(body: &mut Bytes<'a>) -> Result<Vec<&'a [u8]>> {
    let mut texts = Vec::new();
    for _ in 0..body.u64()? {
        let length = body.u64()?;
        texts.push(body.take(usize::try_from(length).unwrap_or(usize::MAX))?);
    }
    Ok(texts)
}

struct Vectors<'a> {
    /// For each record, whether it has a vector.
    marks: &'a [u8],
    elements: &'a [f32],
    dimensions: usize,
}

impl<'a> Vectors<'a> {
    fn read(
        records: usize,
        field: &VectorField,
        body: &mut Bytes<'a>,
        memory: &'a mut Vec<f32>,
    ) -> Result<Self> {
        let marks = body.take(records)?;
        if marks.iter().any(|mark| *mark > 1) {
            return Err(Fault::Damaged("the mark of a vector is neither 0 nor 1"));
        }
        let count = marks.iter().filter(|mark| **mark == 1).count();
        let size = field.dimensions.saturating_mul(4).saturating_mul(count);
        let (elements, _) = body.take(size)?.as_chunks::<4>();
        memory.clear();
        memory.extend(elements.iter().map(|bytes| f32::from_le_bytes(*bytes)));
        Ok(Self { marks, elements: memory, dimensions: field.dimensions })
    }

    fn by_record(&self) -> VecDeque<Option<&'a [f32]>> {
        let mut vectors = self.elements.chunks_exact(self.dimensions.max(1));
        self.marks.iter().map(|mark| if *mark == 1 { vectors.next() } else { None }).collect()
    }
}
