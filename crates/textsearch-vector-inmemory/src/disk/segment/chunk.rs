//! A run of rows on disk. Its parts are read when they are first used.

use std::sync::{Arc, OnceLock};

use serde_json::Value;
use textsearch_core::{
    Result,
    vector::{RecordKey, VectorField},
};

use super::{
    directory::{ChunkEntry, VectorEntry},
    rows::StoredRows,
};
use crate::{
    columns::Column,
    disk::file::{Block, CHECKSUM, DataFile, once},
    rows::{Bitmap, CHUNK_ROWS, KeyHash, Payload},
    schema::Schema,
    simd::Line,
    snapshot::Bytes,
    state::Prepared,
    terms::TextLength,
    vectors::{Coding, Elements, Scaling, Vector, VectorBlock, lines_a_row},
};

/// Payloads and vectors stay on disk. A cell keeps its content in memory after the first read.
pub(crate) struct StoredChunk {
    file: Arc<DataFile>,
    entry: ChunkEntry,
    fields: Vec<VectorField>,
    ends: OnceLock<Vec<u64>>,
    lengths: OnceLock<Vec<Vec<TextLength>>>,
    keys: OnceLock<Column>,
    columns: Vec<OnceLock<Column>>,
    blocks: Vec<OnceLock<VectorBlock>>,
}

impl StoredChunk {
    pub(super) fn new(file: &Arc<DataFile>, entry: ChunkEntry, schema: &Schema) -> Result<Self> {
        let fields = schema.definition().vectors.clone();
        let is_sound = entry.rows <= CHUNK_ROWS
            && entry.vectors.iter().all(|vectors| vectors.rows <= entry.rows)
            && entry.vectors.len() == fields.len()
            && entry.columns.len() == schema.columns().len();
        if !is_sound {
            return Err(file.damaged(file.length(), "its fields are not those of the definition"));
        }
        Ok(Self::of_parts(Arc::clone(file), entry, fields))
    }

    fn of_parts(file: Arc<DataFile>, entry: ChunkEntry, fields: Vec<VectorField>) -> Self {
        Self {
            columns: entry.columns.iter().map(|_| OnceLock::new()).collect(),
            blocks: entry.vectors.iter().map(|_| OnceLock::new()).collect(),
            ends: OnceLock::new(),
            lengths: OnceLock::new(),
            keys: OnceLock::new(),
            file,
            entry,
            fields,
        }
    }

    /// Returns the same chunk, of which nothing was read.
    pub(in crate::disk) fn unread(&self) -> Self {
        Self::of_parts(Arc::clone(&self.file), self.entry.clone(), self.fields.clone())
    }

    pub(crate) fn rows(&self) -> usize {
        self.entry.rows
    }

    /// # Errors
    ///
    /// Returns an error if the file cannot be read or is damaged, as do the functions below.
    pub(crate) fn payload(&self, offset: usize) -> Result<Payload> {
        let payload = self.payload_or_free(offset)?;
        payload.ok_or_else(|| self.damaged(self.entry.ends, "a record is missing"))
    }

    /// Returns `None` for a row that had no record when the segment was written.
    fn payload_or_free(&self, offset: usize) -> Result<Option<Payload>> {
        let ends = once(&self.ends, || self.numbers(self.entry.ends, self.rows()))?;
        let before = offset.checked_sub(1).map_or(Some(0), |before| ends.get(before).copied());
        let range = before.zip(ends.get(offset).copied());
        let length =
            range.and_then(|(start, end)| end.checked_sub(start.saturating_add(CHECKSUM as u64)));
        let (Some((start, _)), Some(length)) = (range, length) else {
            return Err(self.damaged(self.entry.ends, "a record has no place"));
        };
        let block = Block { at: self.entry.payloads.saturating_add(start), length };
        payload(&self.file.block(block)?).ok_or_else(|| self.damaged(block, "a record is cut off"))
    }

    pub(crate) fn block(&self, place: usize) -> Result<&VectorBlock> {
        let parts = self.blocks.get(place).zip(self.entry.vectors.get(place));
        let (Some((cell, entry)), Some(field)) = (parts, self.fields.get(place)) else {
            return Err(self.damaged(self.entry.ends, "a vector field is missing"));
        };
        once(cell, || {
            let codes = self.file.block(entry.codes)?;
            let rows = StoredRows::new(&self.file, entry.elements, field.dimensions);
            vector_block(&codes, entry, field, rows)
                .ok_or_else(|| self.damaged(entry.codes, "the codes of vectors are cut off"))
        })
    }

    pub(crate) fn column(&self, place: usize) -> Result<&Column> {
        let Some((cell, block)) = self.columns.get(place).zip(self.entry.columns.get(place)) else {
            return Err(self.damaged(self.entry.ends, "a column is missing"));
        };
        once(cell, || {
            let values: Vec<Value> = serde_json::from_slice(&self.file.block(*block)?)
                .map_err(|error| self.damaged(*block, &error.to_string()))?;
            let mut column = Column::default();
            let values = values.iter().take(CHUNK_ROWS).enumerate();
            values.for_each(|(offset, value)| column.set(offset, value));
            Ok(column)
        })
    }

    pub(crate) fn key_column(&self) -> Result<&Column> {
        once(&self.keys, || {
            let mut column = Column::default();
            for offset in 0..self.rows() {
                if let Some(payload) = self.payload_or_free(offset)? {
                    column.set(offset, &Value::from(payload.key()));
                }
            }
            Ok(column)
        })
    }

    /// Returns the key of a record, from the keys if they were read, or from its payload.
    pub(crate) fn key(&self, offset: usize) -> Result<RecordKey> {
        let known = self.keys.get().and_then(|column| match column.get(offset) {
            Value::String(key) => Some(RecordKey::String(key.clone())),
            Value::Number(key) => key.as_u64().map(RecordKey::Integer),
            _ => None,
        });
        known.map_or_else(|| self.payload(offset).map(Payload::into_key), Ok)
    }

    pub(crate) fn read_lengths(&self) -> Result<()> {
        once(&self.lengths, || {
            let bytes = self.file.block(self.entry.lengths)?;
            let bits = bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
            let lengths: Vec<_> = bits.map(TextLength::from_bits).collect();
            Ok(lengths.chunks(self.rows().max(1)).map(<[_]>::to_vec).collect())
        })
        .map(drop)
    }

    /// Empty until [`read_lengths`](Self::read_lengths) was called.
    pub(crate) fn lengths(&self) -> &[Vec<TextLength>] {
        self.lengths.get().map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the record without texts, and their lengths, to be written again.
    pub(in crate::disk) fn prepared(
        &self,
        offset: usize,
    ) -> Result<(Prepared<'static>, Vec<TextLength>)> {
        self.read_lengths()?;
        let payload = self.payload(offset)?;
        let mut vectors = Vec::new();
        for (place, field) in self.fields.iter().enumerate() {
            let row = self.block(place)?.row(offset, field.dimensions)?;
            let vector =
                row.map(|row| Vector::checked(Elements::OfRecord(Arc::from(&*row)), field));
            let vector = vector.transpose();
            vectors.push(vector.map_err(|fault| self.damaged(self.entry.ends, &fault))?);
        }
        let columns =
            (0..self.columns.len()).map(|place| Ok(self.column(place)?.get(offset).clone()));
        let record = Prepared {
            hash: KeyHash::new(payload.key()),
            payload: Arc::new(payload),
            vectors,
            columns: columns.collect::<Result<_>>()?,
            texts: Vec::new(),
        };
        let lengths = self.lengths().iter();
        let lengths = lengths.map(|lengths| lengths.get(offset).copied().unwrap_or_default());
        Ok((record, lengths.collect()))
    }

    fn numbers(&self, block: Block, count: usize) -> Result<Vec<u64>> {
        let bytes = self.file.block(block)?;
        let numbers = bytes.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes));
        let numbers: Vec<u64> = numbers.collect();
        if numbers.len() == count {
            Ok(numbers)
        } else {
            Err(self.damaged(block, "it is not of all rows"))
        }
    }

    fn damaged(&self, block: Block, fault: &str) -> textsearch_core::Error {
        self.file.damaged(block.at, fault)
    }
}

/// The length of the key, the key and the data. Returns `None` if they are cut off.
fn payload(bytes: &[u8]) -> Option<Option<Payload>> {
    let mut rest = Bytes(bytes);
    let length = rest.u32().ok()?;
    if length == 0 {
        return Some(None);
    }
    let key: RecordKey = serde_json::from_slice(rest.take(length as usize).ok()?).ok()?;
    Some(Some(Payload::of_json(key, std::str::from_utf8(rest.0).ok()?)))
}

fn vector_block(
    bytes: &[u8],
    entry: &VectorEntry,
    field: &VectorField,
    rows: StoredRows,
) -> Option<VectorBlock> {
    let mut rest = Bytes(bytes);
    let present = Bitmap::from_bytes(rest.take(CHUNK_ROWS / 8).ok()?);
    if present.rows().any(|row| usize::from(row) >= entry.rows) {
        return None;
    }
    let number = |bytes: &[u8; 4]| f32::from_le_bytes(*bytes);
    let norms = rest.take(entry.rows * 4).ok()?.as_chunks().0.iter().map(number).collect();
    let coded = Coding::for_field(field).map_or(0, |_| entry.rows);
    let scalings = rest.take(coded * 8).ok()?.as_chunks::<8>().0.iter().filter_map(|bytes| {
        let (scale, loss) = bytes.split_first_chunk()?;
        Some(Scaling { scale: number(scale), loss: number(loss.first_chunk()?) })
    });
    let lines = rest.take(coded * lines_a_row(field.dimensions) * 64).ok()?;
    let lines = lines.as_chunks().0.iter().map(|line| Line(*line)).collect();
    rest.0
        .is_empty()
        .then(|| VectorBlock::from_parts(present, norms, scalings.collect(), lines, rows))
}
