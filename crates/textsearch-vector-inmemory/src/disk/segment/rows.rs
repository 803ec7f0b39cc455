//! Vectors that stay on disk.

use std::sync::Arc;

use textsearch_core::Result;

use crate::disk::file::{CHECKSUM, DataFile, is_sound};

/// Rows of `f32`, each with its checksum.
#[derive(Debug, Clone)]
pub(crate) struct StoredRows {
    file: Arc<DataFile>,
    at: u64,
    dimensions: usize,
}

impl StoredRows {
    pub(super) fn new(file: &Arc<DataFile>, at: u64, dimensions: usize) -> Self {
        Self { file: Arc::clone(file), at, dimensions }
    }

    /// Replaces `elements` by those of the rows at `offsets`. Neighbours are read at once.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or a checksum does not match.
    pub(crate) fn read(&self, offsets: &[u16], elements: &mut Vec<f32>) -> Result<()> {
        elements.clear();
        let size = self.dimensions * 4;
        let stride = (size + CHECKSUM) as u64;
        for run in offsets.chunk_by(|left, right| left + 1 == *right) {
            let Some(first) = run.first() else { continue };
            let at = self.at.saturating_add(u64::from(*first) * stride);
            let bytes = self.file.bytes(at, stride * run.len() as u64)?;
            for row in bytes.chunks_exact(size + CHECKSUM) {
                let (row, checksum) = row.split_at(size);
                if !is_sound(row, checksum) {
                    return Err(self.file.damaged(at, "the checksum of a vector does not match"));
                }
                elements.extend(row.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)));
            }
        }
        Ok(())
    }
}
