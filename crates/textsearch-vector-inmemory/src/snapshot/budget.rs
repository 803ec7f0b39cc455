//! How much memory a file may open to: a few bytes of it can ask for gigabytes.

use std::sync::atomic::{AtomicU64, Ordering};

use super::fault::{Fault, Result};
use crate::{rows::CHUNK_ROWS, schema::Schema};

/// What a small file may open to, in bytes.
const SMALL: u64 = 256 << 20;

/// How many times its own size a file may open to beyond that. Files that this store writes stay far below.
const GROWTH: u64 = 16;

/// A vector's element and its 8-bit copy.
const ELEMENT: usize = 5;

/// A value of a filterable field: as it is read, and its place in the column.
const COLUMN: usize = 34;

/// The length of a text, and what is kept of the text until its words are indexed.
const TEXT: usize = 28;

/// What is left of the memory that a file may open to.
pub(super) struct Budget {
    limit: u64,
    left: AtomicU64,
}

impl Budget {
    pub(super) fn new(limit: u64) -> Self {
        Self { limit, left: AtomicU64::new(limit) }
    }

    /// The budget of a file of `length` bytes for which no limit was set.
    pub(super) fn of_file(length: u64) -> Self {
        Self::new(length.saturating_mul(GROWTH).saturating_add(SMALL))
    }

    /// Takes what `rows` records of `schema` need, whose section has `bytes`. For each vector field, `marks` say which records
    /// have the vector.
    pub(super) fn take_records(
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
            // A run of rows has room for all its vectors as soon as it has one.
            let runs = marks.chunks(CHUNK_ROWS).filter(|run| run.contains(&1));
            let rows: usize = runs.map(<[u8]>::len).sum();
            self.take(rows.saturating_mul(field.dimensions).saturating_mul(ELEMENT))?;
        }
        Ok(())
    }

    /// Takes `bytes`.
    pub(super) fn take(&self, bytes: usize) -> Result<()> {
        let bytes = bytes as u64;
        let taken = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes));
        taken.map(drop).map_err(|_| Fault::TooLarge { limit: self.limit })
    }
}
