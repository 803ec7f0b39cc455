//! The headers of the file and its sections.

/// The first bytes of every snapshot.
pub(super) const MAGIC: [u8; 8] = *b"\x89TSVS\r\n\x1a";

/// The version that this crate writes, and the only one that it reads.
pub(super) const VERSION: u32 = 1;

/// The length of the file's header in bytes.
pub(super) const HEADER: usize = 16;

/// The length of a section's header in bytes.
pub(super) const SECTION_HEADER: usize = 20;

/// Starts a collection.
pub(super) const COLLECTION: u32 = 1;

/// Records of the collection that started last.
pub(super) const RECORDS: u32 = 2;

/// The end of the file.
pub(super) const END: u32 = 3;

/// The graph of one vector field of the collection that started last, after all its records.
#[cfg(feature = "hnsw")]
pub(super) const GRAPH: u32 = 4;

/// Returns the header of a file.
pub(super) fn header() -> Vec<u8> {
    sealed([MAGIC.as_slice(), &VERSION.to_le_bytes()].concat())
}

/// Returns the header of a section.
pub(super) fn section_header(kind: u32, body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u64).to_le_bytes();
    let checksum = crc32fast::hash(body).to_le_bytes();
    sealed([kind.to_le_bytes().as_slice(), &length, &checksum].concat())
}

/// Appends the checksum of the bytes.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let checksum = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes
}
