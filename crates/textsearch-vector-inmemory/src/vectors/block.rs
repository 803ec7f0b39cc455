//! The vectors of one field in a run of rows.

use std::borrow::Cow;

use textsearch_core::Result;

use super::{
    codes::{CodeBlock, Scaling},
    vector::Vector,
};
use crate::{disk::StoredRows, rows::Bitmap, simd::Line};

/// The original vectors, row after row. May end before the chunk does: a field that no record has
/// takes no memory.
#[derive(Clone, Default)]
pub(crate) struct VectorBlock {
    /// Empty if the vectors are on disk.
    elements: Vec<f32>,
    stored: Option<StoredRows>,
    norms: Vec<f32>,
    present: Bitmap,
    /// Empty if the distance cannot use 8-bit copies.
    codes: CodeBlock,
}

/// Vectors and the buffers to read them into.
#[derive(Default)]
pub(crate) struct RowBuffer {
    elements: Vec<f32>,
    places: Vec<u16>,
}

impl VectorBlock {
    /// Joins what is kept in memory with the vectors on disk. `norms`, `scalings` and `lines` are
    /// of as many rows.
    pub(crate) fn from_parts(
        present: Bitmap,
        norms: Vec<f32>,
        scalings: Vec<Scaling>,
        lines: Vec<Line<u8>>,
        stored: StoredRows,
    ) -> Self {
        let codes = CodeBlock::from_parts(scalings, lines);
        Self { elements: Vec::new(), stored: Some(stored), norms, present, codes }
    }

    pub(crate) fn present(&self) -> Bitmap {
        self.present
    }

    pub(crate) fn codes(&self) -> &CodeBlock {
        &self.codes
    }

    /// Entries of rows without a vector are meaningless.
    pub(crate) fn norms(&self) -> &[f32] {
        &self.norms
    }

    pub(crate) fn row(&self, offset: usize, dimensions: usize) -> Result<Option<Cow<'_, [f32]>>> {
        if !self.present.contains(offset) {
            return Ok(None);
        }
        let Some(stored) = &self.stored else {
            return Ok(Some(Cow::Borrowed(self.elements_of(offset, dimensions))));
        };
        let mut elements = Vec::new();
        stored.read(&[offset as u16], &mut elements)?;
        Ok(Some(Cow::Owned(elements)))
    }

    /// Returns the memory that holds the rows at `offsets`, and the places of these rows in it.
    /// Reads them into `buffer` if they are on disk.
    pub(crate) fn rows<'a>(
        &'a self,
        offsets: &'a [u16],
        buffer: &'a mut RowBuffer,
    ) -> Result<(&'a [f32], &'a [u16])> {
        let Some(stored) = &self.stored else { return Ok((&self.elements, offsets)) };
        stored.read(offsets, &mut buffer.elements)?;
        buffer.places.clear();
        buffer.places.extend(0..offsets.len() as u16);
        Ok((&buffer.elements, &buffer.places))
    }

    /// The row must have a vector, in memory. Indexes fit 32 bits: there are at most `CHUNK_ROWS`
    /// rows of `MAX_DIMENSIONS`.
    #[inline(always)]
    pub(crate) fn elements_of(&self, offset: usize, dimensions: usize) -> &[f32] {
        row_of(&self.elements, offset, dimensions)
    }

    pub(crate) fn remove(&mut self, offset: usize) {
        self.present.remove(offset);
    }

    /// `expected_rows` is the least number of rows that will follow.
    pub(crate) fn set(&mut self, offset: usize, vector: Option<&Vector<'_>>, expected_rows: usize) {
        let Some(Vector { elements, norm, coding }) = vector else {
            return self.remove(offset);
        };
        if self.norms.is_empty() {
            self.norms.reserve_exact(expected_rows);
            self.elements.reserve_exact(expected_rows * elements.len());
            if coding.is_some() {
                self.codes.reserve(expected_rows, elements.len());
            }
        }
        self.present.insert(offset);
        if let Some(coding) = coding {
            self.codes.set(offset, elements, *norm, *coding);
        }
        if self.norms.len() < offset {
            self.norms.resize(offset, 0.0);
            self.elements.resize(offset * elements.len(), 0.0);
        }
        match self.norms.get_mut(offset) {
            None => {
                self.norms.push(*norm);
                self.elements.extend_from_slice(elements);
            }
            Some(old) => {
                *old = *norm;
                let place = offset * elements.len()..(offset + 1) * elements.len();
                if let Some(old) = self.elements.get_mut(place) {
                    old.copy_from_slice(elements);
                }
            }
        }
    }
}

#[inline(always)]
pub(super) fn row_of(elements: &[f32], place: usize, dimensions: usize) -> &[f32] {
    elements.get(place * dimensions..(place + 1) * dimensions).unwrap_or_default()
}
