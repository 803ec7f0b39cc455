//! The number of a row.

/// The number of rows of a chunk: a write copies only the chunks that it touches while a reader still holds them.
pub(crate) const CHUNK_ROWS: usize = 1024;

/// Where a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Row(pub(crate) u32);

impl Row {
    /// The row at `offset` of the chunk at place `chunk`.
    pub(crate) fn new(chunk: usize, offset: usize) -> Self {
        // `State::check_room` keeps the number of rows within 32 bits.
        Self((chunk * CHUNK_ROWS + offset) as u32)
    }

    pub(crate) fn chunk(self) -> usize {
        self.0 as usize / CHUNK_ROWS
    }

    pub(crate) fn offset(self) -> usize {
        self.0 as usize % CHUNK_ROWS
    }
}
