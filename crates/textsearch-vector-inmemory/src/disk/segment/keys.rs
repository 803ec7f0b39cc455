//! The table that finds the row of a key.

use sha2::{Digest as _, Sha256};
use textsearch_core::{Result, vector::RecordKey};

use crate::disk::file::{Block, DataFile};

/// The bytes of a hash and a row.
const ENTRY: usize = 12;

/// Sorted by hash. The hash is the same on every machine, and nobody can choose many keys with the
/// same one.
#[derive(Debug)]
pub(super) struct KeyTable {
    hashes: Vec<u64>,
    rows: Vec<u32>,
}

impl KeyTable {
    /// `end` is behind the last row of the segment.
    pub(super) fn read(file: &DataFile, block: Block, end: u32) -> Result<Self> {
        let bytes = file.block(block)?;
        let (entries, _) = bytes.as_chunks::<ENTRY>();
        let entries = entries.iter().filter_map(|entry| {
            let (hash, row) = entry.split_first_chunk::<8>()?;
            Some((u64::from_le_bytes(*hash), u32::from_le_bytes(*row.first_chunk()?)))
        });
        let (hashes, rows): (_, Vec<u32>) = entries.unzip();
        if rows.iter().all(|row| *row < end) {
            Ok(Self { hashes, rows })
        } else {
            Err(file.damaged(block.at, "a key is of a row that does not exist"))
        }
    }

    pub(super) fn to_bytes(mut entries: Vec<(u64, u32)>) -> Vec<u8> {
        entries.sort_unstable();
        let entry = |(hash, row): (u64, u32)| {
            let mut bytes = [0; ENTRY];
            let (first, last) = bytes.split_at_mut(8);
            first.copy_from_slice(&hash.to_le_bytes());
            last.copy_from_slice(&row.to_le_bytes());
            bytes
        };
        entries.into_iter().flat_map(entry).collect()
    }

    pub(super) fn rows(&self, hash: u64) -> impl Iterator<Item = u32> {
        let first = self.hashes.partition_point(|other| *other < hash);
        let (hashes, rows) = (self.hashes.get(first..), self.rows.get(first..));
        let entries = hashes.unwrap_or_default().iter().zip(rows.unwrap_or_default());
        entries.take_while(move |(other, _)| **other == hash).map(|(_, row)| *row)
    }
}

pub(crate) fn key_hash(key: &RecordKey) -> u64 {
    let mut hasher = Sha256::new();
    match key {
        RecordKey::Integer(number) => hasher.update(number.to_le_bytes()),
        RecordKey::String(text) => {
            hasher.update([0]);
            hasher.update(text.as_bytes());
        }
    }
    let hash = hasher.finalize();
    hash.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}
