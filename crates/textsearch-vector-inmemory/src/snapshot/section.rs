//! The parts of the file that say what comes after them.

/// The first bytes of every snapshot.
pub(super) const MAGIC: [u8; 8] = *b"\x89TSVS\r\n\x1a";

/// The version that this crate writes, and the only one that it reads.
pub(super) const VERSION: u32 = 1;

/// The bytes of the header of the file.
pub(super) const HEADER: usize = 16;

/// The bytes before the body of a section.
pub(super) const SECTION_HEADER: usize = 20;

/// A collection begins.
pub(super) const COLLECTION: u32 = 1;

/// Records of the collection that began last.
pub(super) const RECORDS: u32 = 2;

/// Nothing comes after.
pub(super) const END: u32 = 3;

/// The graph of one vector field of the collection that began last, behind all of its records.
#[cfg(feature = "hnsw")]
pub(super) const GRAPH: u32 = 4;

/// The header of a file.
pub(super) fn header() -> Vec<u8> {
    sealed([MAGIC.as_slice(), &VERSION.to_le_bytes()].concat())
}

/// What stands before the `body` of a section.
pub(super) fn section_header(kind: u32, body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u64).to_le_bytes();
    let checksum = crc32fast::hash(body).to_le_bytes();
    sealed([kind.to_le_bytes().as_slice(), &length, &checksum].concat())
}

/// The bytes with their checksum behind.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let checksum = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes
}
