//! An immutable file of records with their indexes. `DISK.md` of this crate describes it.

mod chunk;
mod dictionary;
mod keys;
mod rows;
mod write;

use std::{
    path::Path,
    sync::{Arc, OnceLock},
};

use serde::{Deserialize, Serialize};
use textsearch_core::{Result, text_analysis::DocumentTerms};

pub(super) use self::write::SegmentWriter;
pub(crate) use self::{chunk::StoredChunk, keys::key_hash, rows::StoredRows};
use self::{dictionary::Dictionary, keys::KeyTable};
use super::file::{Block, DataFile};
use crate::{rows::CHUNK_ROWS, schema::Schema, terms::Posting};

const MAGIC: [u8; 8] = *b"\x89TSDS\r\n\x1a";

const VERSION: u32 = 1;

/// The magic number, the version and a checksum.
const HEADER: u64 = 16;

/// The place of the directory at the end of the file, and a checksum.
const TRAILER: u64 = 20;

/// Where the parts of the file are.
#[derive(Serialize, Deserialize)]
struct Directory {
    chunks: Vec<ChunkEntry>,
    keys: Block,
    /// The terms of each full-text field.
    dictionaries: Vec<Block>,
}

#[derive(Clone, Serialize, Deserialize)]
struct ChunkEntry {
    rows: usize,
    /// Where the first payload starts.
    payloads: u64,
    /// Where each payload ends, relative to that.
    ends: Block,
    /// The number of terms of each row in each full-text field.
    lengths: Block,
    columns: Vec<Block>,
    vectors: Vec<VectorEntry>,
}

#[derive(Clone, Serialize, Deserialize)]
struct VectorEntry {
    /// Rows up to the last one with a vector.
    rows: usize,
    /// Which rows have a vector, the norms, the scalings and the codes.
    codes: Block,
    /// Where the first row of elements starts.
    elements: u64,
}

pub(crate) struct Segment {
    name: String,
    file: Arc<DataFile>,
    chunks: Vec<Arc<StoredChunk>>,
    key_block: Block,
    keys: OnceLock<KeyTable>,
    dictionaries: Vec<Dictionary>,
}

impl Segment {
    /// Reads the directory only.
    ///
    /// # Errors
    ///
    /// Returns `Backend` if the file cannot be read, `Undecodable` if it is damaged or does not fit
    /// the schema.
    pub(super) fn open(folder: &Path, name: &str, schema: &Schema) -> Result<Self> {
        let file = Arc::new(DataFile::open(&folder.join(name))?);
        let directory = directory(&file)?;
        let chunks = directory.chunks.into_iter();
        let chunks = chunks.map(|entry| StoredChunk::new(&file, entry, schema).map(Arc::new));
        let chunks = chunks.collect::<Result<Vec<_>>>()?;
        if directory.dictionaries.len() != schema.text_fields().len() {
            return Err(file.damaged(file.length(), "its fields are not those of the definition"));
        }
        let dictionaries = directory.dictionaries.into_iter();
        let rows = (chunks.len() * CHUNK_ROWS) as u32;
        let dictionaries = dictionaries.map(|index| Dictionary::new(&file, index, rows)).collect();
        let keys = OnceLock::new();
        Ok(Self {
            name: name.to_owned(),
            file,
            chunks,
            key_block: directory.keys,
            keys,
            dictionaries,
        })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn length(&self) -> u64 {
        self.file.length()
    }

    pub(crate) fn chunks(&self) -> &[Arc<StoredChunk>] {
        &self.chunks
    }

    /// Returns rows whose keys probably have this hash.
    pub(crate) fn rows_with_hash(&self, hash: u64) -> Result<impl Iterator<Item = u32>> {
        let table = read_once(&self.keys, || KeyTable::read(&self.file, self.key_block))?;
        Ok(table.rows(hash))
    }

    /// Returns the rows with `term` in the full-text field at `place`, including removed records.
    pub(crate) fn postings(&self, place: usize, term: &str) -> Result<Option<Vec<Posting>>> {
        self.dictionaries.get(place).map_or(Ok(None), |dictionary| dictionary.postings(term))
    }

    /// Returns the terms of the full-text field at `place`, in order.
    pub(super) fn terms(
        &self,
        place: usize,
    ) -> impl Iterator<Item = Result<(String, Vec<Posting>)>> {
        self.dictionaries.get(place).into_iter().flat_map(Dictionary::terms)
    }
}

fn directory(file: &DataFile) -> Result<Directory> {
    let header = file.bytes(0, HEADER)?;
    let (bytes, checksum) = header.split_at(header.len().saturating_sub(4));
    if bytes.get(..MAGIC.len()) != Some(&MAGIC) || crc32fast::hash(bytes).to_le_bytes() != *checksum
    {
        return Err(file.damaged(0, "it is not a segment of a store"));
    }
    if bytes.get(MAGIC.len()..) != Some(&VERSION.to_le_bytes()) {
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

/// A record whose terms are in the dictionaries already.
fn counted(length: u32) -> DocumentTerms {
    let mut terms = DocumentTerms::default();
    terms.length = length;
    terms
}

/// Reads a part the first time that it is used. Two threads may read it at once.
fn read_once<T>(cell: &OnceLock<T>, read: impl FnOnce() -> Result<T>) -> Result<&T> {
    if let Some(value) = cell.get() {
        return Ok(value);
    }
    let value = read()?;
    Ok(cell.get_or_init(|| value))
}
