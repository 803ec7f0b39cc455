//! An immutable file of records with their indexes. `DISK.md` of this crate describes it.

mod chunk;
mod dictionary;
mod directory;
mod keys;
mod rows;
mod write;

use std::{
    path::Path,
    sync::{Arc, OnceLock},
};

use textsearch_core::Result;

pub(super) use self::write::SegmentWriter;
pub(crate) use self::{chunk::StoredChunk, keys::key_hash, rows::StoredRows};
use self::{dictionary::Dictionary, directory::Directory, keys::KeyTable};
use super::file::{Block, DataFile, once};
use crate::{rows::CHUNK_ROWS, schema::Schema, terms::Posting};

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
        let directory = Directory::read(&file)?;
        // Otherwise one part that is named often would be read into memory as often.
        if directory.total_length() > file.length() {
            return Err(file.damaged(file.length(), "its parts are longer than itself"));
        }
        let chunks = directory.chunks.into_iter();
        let chunks = chunks.map(|entry| StoredChunk::new(&file, entry, schema).map(Arc::new));
        let chunks = chunks.collect::<Result<Vec<_>>>()?;
        if directory.dictionaries.len() != schema.text_fields().len() {
            return Err(file.damaged(file.length(), "its fields are not those of the definition"));
        }
        let dictionaries = directory.dictionaries.into_iter();
        let rows = end_of(&chunks);
        let dictionaries = dictionaries.map(|index| Dictionary::new(&file, index, rows)).collect();
        Ok(Self {
            name: name.to_owned(),
            file,
            chunks,
            key_block: directory.keys,
            keys: OnceLock::new(),
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
        let table =
            once(&self.keys, || KeyTable::read(&self.file, self.key_block, end_of(&self.chunks)))?;
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

/// Behind the last row. More rows are refused when the store is opened.
fn end_of(chunks: &[Arc<StoredChunk>]) -> u32 {
    u32::try_from(chunks.len() * CHUNK_ROWS).unwrap_or(u32::MAX)
}
