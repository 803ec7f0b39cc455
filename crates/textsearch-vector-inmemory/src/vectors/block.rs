//! The vectors of one field in a run of rows.

use super::{codes::CodeBlock, vector::Vector};
use crate::rows::Bitmap;

/// The original vectors, row after row. May end before the chunk does: a field that no record has
/// takes no memory.
#[derive(Clone, Default)]
pub(crate) struct VectorBlock {
    elements: Vec<f32>,
    norms: Vec<f32>,
    present: Bitmap,
    /// Empty if the distance cannot use 8-bit copies.
    codes: CodeBlock,
}

impl VectorBlock {
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

    pub(crate) fn row(&self, offset: usize, dimensions: usize) -> Option<&[f32]> {
        self.present.contains(offset).then(|| self.elements_of(offset, dimensions))
    }

    /// The row must have a vector. Indexes fit 32 bits: there are at most `CHUNK_ROWS` rows of
    /// `MAX_DIMENSIONS`.
    #[inline(always)]
    pub(crate) fn elements_of(&self, offset: usize, dimensions: usize) -> &[f32] {
        let place = offset * dimensions..(offset + 1) * dimensions;
        self.elements.get(place).unwrap_or_default()
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
