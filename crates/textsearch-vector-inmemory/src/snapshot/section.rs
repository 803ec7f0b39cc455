//! The headers of the file and its sections.

use std::{
    fs::File,
    io::{self, Read as _},
};

pub(super) const MAGIC: [u8; 8] = *b"\x89TSVS\r\n\x1a";

/// The only version that this crate writes and reads.
pub(super) const VERSION: u32 = 1;

pub(super) const HEADER: usize = 16;

pub(crate) const SECTION_HEADER: usize = 20;

pub(super) const COLLECTION: u32 = 1;

pub(crate) const RECORDS: u32 = 2;

pub(super) const END: u32 = 3;

#[cfg(feature = "hnsw")]
pub(super) const GRAPH: u32 = 4;

/// Returns whether the file is empty or starts like a snapshot, as far as it goes.
pub(super) fn begins_a_snapshot(file: &File) -> io::Result<bool> {
    let mut start = Vec::with_capacity(MAGIC.len());
    file.take(MAGIC.len() as u64).read_to_end(&mut start)?;
    Ok(MAGIC.starts_with(&start))
}

pub(super) fn header() -> Vec<u8> {
    sealed([MAGIC.as_slice(), &VERSION.to_le_bytes()].concat())
}

pub(crate) fn section_header(kind: u32, body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u64).to_le_bytes();
    let checksum = crc32fast::hash(body).to_le_bytes();
    sealed([kind.to_le_bytes().as_slice(), &length, &checksum].concat())
}

fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let checksum = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes
}
