//! Limits the memory that a file may take when opened: a few bytes can request gigabytes.

use std::cell::Cell;

use super::fault::{Fault, Result};
use crate::{rows::CHUNK_ROWS, schema::Schema};

/// What any file may take, in bytes.
const SMALL: u64 = 256 << 20;

/// How many times its own size a file may take in addition. Files written by this store stay far
/// below.
const GROWTH: u64 = 16;

/// An element and its 8-bit copy, in bytes.
const ELEMENT: usize = 5;

/// Bytes of a filterable value as read, and of its index.
const COLUMN: usize = 34;

/// Bytes for a text: its length, and what is kept until its words are indexed.
const TEXT: usize = 28;

/// Bytes of an empty collection: its schema, state and locks.
const COLLECTION: usize = 4 << 10;

/// Bytes per byte of a definition's JSON: the parsed JSON, the definition and the schema.
const DEFINITION: usize = 16;

pub(crate) struct Budget {
    limit: u64,
    left: Cell<u64>,
}

impl Budget {
    pub(crate) fn of_file(length: u64) -> Self {
        let limit = length.saturating_mul(GROWTH).saturating_add(SMALL);
        Self { limit, left: Cell::new(limit) }
    }

    /// `bytes` is the length of the definition's JSON.
    pub(super) fn take_collection(&self, bytes: usize) -> Result<()> {
        self.take(bytes.saturating_mul(DEFINITION).saturating_add(COLLECTION))
    }

    /// `bytes` is the length of the section. `marks` say for each vector field which records have
    /// the vector.
    pub(crate) fn take_records(
        &self,
        schema: &Schema,
        rows: usize,
        marks: &[&[u8]],
        bytes: usize,
    ) -> Result<()> {
        self.take(rows.saturating_mul(schema.columns().len()).saturating_mul(COLUMN))?;
        self.take(rows.saturating_mul(schema.text_fields().len()).saturating_mul(TEXT))?;
        self.take(bytes)?;
        for (field, marks) in schema.definition().vectors.iter().zip(marks) {
            // A chunk allocates all its vectors as soon as it has one.
            let runs = marks.chunks(CHUNK_ROWS).filter(|run| run.contains(&1));
            let rows: usize = runs.map(<[u8]>::len).sum();
            self.take(rows.saturating_mul(field.dimensions).saturating_mul(ELEMENT))?;
        }
        Ok(())
    }

    pub(super) fn take(&self, bytes: usize) -> Result<()> {
        let left = self.left.get().checked_sub(bytes as u64);
        self.left.set(left.ok_or(Fault::TooLarge { limit: self.limit })?);
        Ok(())
    }
}
