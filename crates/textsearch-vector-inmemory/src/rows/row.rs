//! Row numbers.

/// While a reader holds a state, a write copies only the chunks it changes.
pub(crate) const CHUNK_ROWS: usize = 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Row(pub(crate) u32);

impl Row {
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
