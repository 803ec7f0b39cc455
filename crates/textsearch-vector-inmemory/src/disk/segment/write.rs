//! Writes a segment from chunks in memory.

use std::{
    fs::File,
    io::{self, BufWriter, Write as _},
    path::{Path, PathBuf},
};

use serde_json::Value;
use textsearch_core::{Result, vector::RecordDefinition};

use super::{
    dictionary::BESIDE,
    directory::{ChunkEntry, Directory, HEADER, MAGIC, VERSION, VectorEntry},
    keys::{KeyTable, key_hash},
};
use crate::{
    disk::file::{Block, unwritable},
    rows::CHUNK_ROWS,
    schema::Schema,
    state::Chunk,
    terms::{Posting, PostingList},
    vectors::VectorBlock,
};

/// Bytes of terms in a block, roughly.
const BLOCK: usize = 4096;

pub(in crate::disk) struct SegmentWriter<'a> {
    output: BufWriter<File>,
    path: PathBuf,
    at: u64,
    schema: &'a Schema,
    keys: Vec<(u64, u32)>,
    directory: Directory,
}

impl<'a> SegmentWriter<'a> {
    pub(in crate::disk) fn create(path: &Path, schema: &'a Schema) -> Result<Self> {
        let file = File::create_new(path).map_err(|error| unwritable(path, error))?;
        let keys = Block { at: 0, length: 0 };
        let mut writer = Self {
            output: BufWriter::with_capacity(1 << 20, file),
            path: path.to_owned(),
            at: 0,
            schema,
            keys: Vec::new(),
            directory: Directory { chunks: Vec::new(), keys, dictionaries: Vec::new() },
        };
        writer.block(&[MAGIC.as_slice(), &VERSION.to_le_bytes()].concat())?;
        debug_assert_eq!(writer.at, HEADER);
        Ok(writer)
    }

    /// Appends the rows of a chunk in memory. Free rows keep their places.
    pub(in crate::disk) fn chunk(&mut self, chunk: &Chunk) -> Result<()> {
        let first = (self.directory.chunks.len() * CHUNK_ROWS) as u32;
        let start = self.at;
        let mut ends = Vec::with_capacity(chunk.rows() * 8);
        for offset in 0..chunk.rows() {
            let payload = chunk.memory_payload(offset);
            let key = payload.map(|payload| serde_json::to_vec(payload.key()));
            let key = key.transpose().map_err(|error| self.unwritable(error.into()))?;
            let key = key.unwrap_or_default();
            let json = payload.map_or("", |payload| payload.json());
            self.block(
                &[&(key.len() as u32).to_le_bytes(), key.as_slice(), json.as_bytes()].concat(),
            )?;
            ends.extend_from_slice(&(self.at - start).to_le_bytes());
            self.keys
                .extend(payload.map(|payload| (key_hash(payload.key()), first + offset as u32)));
        }
        let ends = self.block(&ends)?;
        let rows = 0..chunk.rows();
        let texts = 0..self.schema.text_fields().len();
        let lengths = texts.flat_map(|place| rows.clone().map(move |row| chunk.text(place, row)));
        let lengths: Vec<u8> = lengths.flat_map(|text| text.to_bits().to_le_bytes()).collect();
        let lengths = self.block(&lengths)?;
        let columns = (0..self.schema.columns().len()).map(|place| self.column(chunk, place));
        let columns = columns.collect::<Result<_>>()?;
        let fields = self.schema.definition();
        let vectors = (0..fields.vectors.len()).map(|place| self.vectors(chunk, fields, place));
        let vectors = vectors.collect::<Result<_>>()?;
        let entry =
            ChunkEntry { rows: chunk.rows(), payloads: start, ends, lengths, columns, vectors };
        self.directory.chunks.push(entry);
        Ok(())
    }

    /// Writes the next full-text field. The terms are sorted; rows count from the start of the
    /// segment.
    pub(in crate::disk) fn dictionary(
        &mut self,
        terms: impl Iterator<Item = Result<(String, Vec<Posting>)>>,
    ) -> Result<()> {
        let mut index: Vec<(String, Block)> = Vec::new();
        let mut body = Vec::new();
        let mut first = String::new();
        for entry in terms {
            let (term, postings) = entry?;
            let mut list = PostingList::default();
            list.add(&postings);
            if list.is_empty() {
                continue;
            }
            let bytes = list.bytes();
            let place = if bytes.len() > BESIDE { Some(self.block(bytes)?) } else { None };
            body.extend_from_slice(&(term.len() as u32).to_le_bytes());
            body.extend_from_slice(term.as_bytes());
            body.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
            match place {
                Some(block) => body.extend_from_slice(&block.at.to_le_bytes()),
                None => body.extend_from_slice(bytes),
            }
            if first.is_empty() {
                first = term;
            }
            if body.len() >= BLOCK {
                index.push((std::mem::take(&mut first), self.block(&body)?));
                body.clear();
            }
        }
        if !body.is_empty() {
            index.push((first, self.block(&body)?));
        }
        let index = self.json(&index)?;
        self.directory.dictionaries.push(index);
        Ok(())
    }

    /// Flushes the file to disk.
    pub(in crate::disk) fn finish(mut self) -> Result<()> {
        let keys = KeyTable::to_bytes(std::mem::take(&mut self.keys));
        self.directory.keys = self.block(&keys)?;
        let directory = serde_json::to_vec(&self.directory);
        let directory = directory.map_err(|error| self.unwritable(error.into()))?;
        let place = self.block(&directory)?;
        self.block(&[place.at.to_le_bytes(), place.length.to_le_bytes()].concat())?;
        let flushed = self.output.flush().and_then(|()| self.output.get_ref().sync_all());
        flushed.map_err(|error| self.unwritable(error))
    }

    fn column(&mut self, chunk: &Chunk, place: usize) -> Result<Block> {
        let values = (0..chunk.rows()).map(|offset| chunk.value(place, offset));
        let values: Vec<&Value> = values.collect::<Result<_>>()?;
        self.json(&values)
    }

    fn vectors(
        &mut self,
        chunk: &Chunk,
        definition: &RecordDefinition,
        place: usize,
    ) -> Result<VectorEntry> {
        let empty = VectorBlock::default();
        let block = chunk.memory_block(place).unwrap_or(&empty);
        let dimensions = definition.vectors.get(place).map_or(0, |field| field.dimensions);
        let rows = block.norms().len();
        let mut codes = block.present().to_bytes();
        codes.extend(block.norms().iter().flat_map(|norm| norm.to_le_bytes()));
        for scaling in block.codes().scalings() {
            codes.extend(scaling.scale.to_le_bytes());
            codes.extend(scaling.loss.to_le_bytes());
        }
        block.codes().lines().iter().for_each(|line| codes.extend_from_slice(&line.0));
        let codes = self.block(&codes)?;
        let elements = self.at;
        let mut bytes = Vec::new();
        for row in 0..rows {
            bytes.clear();
            let row = block.elements_of(row, dimensions).iter();
            bytes.extend(row.flat_map(|element| element.to_le_bytes()));
            self.block(&bytes)?;
        }
        Ok(VectorEntry { rows, codes, elements })
    }

    fn json(&mut self, value: &impl serde::Serialize) -> Result<Block> {
        let bytes = serde_json::to_vec(value).map_err(|error| self.unwritable(error.into()))?;
        self.block(&bytes)
    }

    fn block(&mut self, bytes: &[u8]) -> Result<Block> {
        let block = Block { at: self.at, length: bytes.len() as u64 };
        let checksum = crc32fast::hash(bytes).to_le_bytes();
        let written = self.output.write_all(bytes).and_then(|()| self.output.write_all(&checksum));
        written.map_err(|error| self.unwritable(error))?;
        self.at += block.length + checksum.len() as u64;
        Ok(block)
    }

    fn unwritable(&self, error: io::Error) -> textsearch_core::Error {
        unwritable(&self.path, error)
    }
}
