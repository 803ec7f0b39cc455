//! The header and the directory of a segment.

use serde::{Deserialize, Serialize};
use textsearch_core::Result;

use crate::disk::file::{Block, DataFile};

pub(super) const MAGIC: [u8; 8] = *b"\x89TSDS\r\n\x1a";

pub(super) const VERSION: u32 = 1;

/// The magic number, the version and a checksum.
pub(super) const HEADER: u64 = 16;

/// The place of the directory at the end of the file, and a checksum.
const TRAILER: u64 = 20;

/// Where the parts of the file are.
#[derive(Serialize, Deserialize)]
pub(super) struct Directory {
    pub(super) chunks: Vec<ChunkEntry>,
    pub(super) keys: Block,
    /// The terms of each full-text field.
    pub(super) dictionaries: Vec<Block>,
}

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct ChunkEntry {
    pub(super) rows: usize,
    /// Where the first payload starts.
    pub(super) payloads: u64,
    /// Where each payload ends, relative to that.
    pub(super) ends: Block,
    /// How long the text of each row in each full-text field is.
    pub(super) lengths: Block,
    pub(super) columns: Vec<Block>,
    pub(super) vectors: Vec<VectorEntry>,
}

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct VectorEntry {
    /// Rows up to the last one with a vector.
    pub(super) rows: usize,
    /// Which rows have a vector, the norms, the scalings and the codes.
    pub(super) codes: Block,
    /// Where the first row of elements starts.
    pub(super) elements: u64,
}

impl Directory {
    /// The bytes of all parts that stay in memory once they were read.
    pub(super) fn total_length(&self) -> u64 {
        let chunks = self.chunks.iter().flat_map(|chunk| {
            let codes = chunk.vectors.iter().map(|vectors| &vectors.codes);
            chunk.columns.iter().chain(codes).chain([&chunk.ends, &chunk.lengths])
        });
        let blocks = chunks.chain(&self.dictionaries).chain([&self.keys]);
        blocks.fold(0, |total, block| total.saturating_add(block.length))
    }

    pub(super) fn read(file: &DataFile) -> Result<Directory> {
        let header = file.block(Block { at: 0, length: HEADER - 4 })?;
        if header.get(..MAGIC.len()) != Some(&MAGIC) {
            return Err(file.damaged(0, "it is not a segment of a store"));
        }
        if header.get(MAGIC.len()..) != Some(&VERSION.to_le_bytes()) {
            return Err(file.damaged(8, "it has another version of the format"));
        }
        let at = file.length().saturating_sub(TRAILER);
        let trailer = file.block(Block { at, length: TRAILER - 4 })?;
        let numbers = trailer.as_chunks::<8>().0;
        let [at, length] = numbers else { return Err(file.damaged(at, "it has no directory")) };
        let block = Block { at: u64::from_le_bytes(*at), length: u64::from_le_bytes(*length) };
        serde_json::from_slice(&file.block(block)?)
            .map_err(|error| file.damaged(block.at, &format!("its directory: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_named_twice_count_twice() {
        let block = Block { at: 16, length: 100 };
        let vectors = vec![VectorEntry { rows: 1, codes: block, elements: 16 }];
        let columns = vec![block];
        let entry =
            ChunkEntry { rows: 1, payloads: 16, ends: block, lengths: block, columns, vectors };
        let chunks = vec![entry.clone(), entry];
        let directory = Directory { chunks, keys: block, dictionaries: vec![block] };
        assert_eq!(directory.total_length(), 1000);
    }
}
