//! The terms of a full-text field in order, with the rows that have them.
//!
//! Terms are in blocks with an index of the first term of each block. A short list of rows is
//! beside its term.

use std::sync::{Arc, OnceLock};

use textsearch_core::Result;

use crate::{
    disk::file::{Block, DataFile, once},
    snapshot::Bytes,
    terms::{Iter, Posting},
};

/// The bytes of the longest list beside its term.
pub(super) const BESIDE: usize = 64;

pub(super) struct Dictionary {
    file: Arc<DataFile>,
    index: Block,
    /// The first term of each block.
    blocks: OnceLock<Vec<(String, Block)>>,
    rows: u32,
}

impl Dictionary {
    pub(super) fn new(file: &Arc<DataFile>, index: Block, rows: u32) -> Self {
        Self { file: Arc::clone(file), index, blocks: OnceLock::new(), rows }
    }

    pub(super) fn postings(&self, term: &str) -> Result<Option<Vec<Posting>>> {
        let blocks = self.blocks()?;
        let place = blocks.partition_point(|(first, _)| first.as_str() <= term);
        let Some((_, block)) = place.checked_sub(1).and_then(|place| blocks.get(place)) else {
            return Ok(None);
        };
        let bytes = self.file.block(*block)?;
        let mut rest = Bytes(&bytes);
        while let Some((known, list)) = self.entry(&mut rest, *block)? {
            if known == term.as_bytes() {
                return self.list(list, *block).map(Some);
            }
        }
        Ok(None)
    }

    pub(super) fn terms(&self) -> impl Iterator<Item = Result<(String, Vec<Posting>)>> {
        let (blocks, fault) = match self.blocks() {
            Ok(blocks) => (blocks.as_slice(), None),
            Err(error) => (&[][..], Some(Err(error))),
        };
        let terms = blocks.iter().flat_map(|(_, block)| match self.terms_of(*block) {
            Ok(terms) => terms.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        });
        fault.into_iter().chain(terms)
    }

    fn terms_of(&self, block: Block) -> Result<Vec<(String, Vec<Posting>)>> {
        let bytes = self.file.block(block)?;
        let mut rest = Bytes(&bytes);
        let mut terms = Vec::new();
        while let Some((term, list)) = self.entry(&mut rest, block)? {
            terms.push((String::from_utf8_lossy(term).into_owned(), self.list(list, block)?));
        }
        Ok(terms)
    }

    fn blocks(&self) -> Result<&Vec<(String, Block)>> {
        once(&self.blocks, || {
            serde_json::from_slice(&self.file.block(self.index)?)
                .map_err(|error| self.file.damaged(self.index.at, &error.to_string()))
        })
    }

    fn entry<'a>(
        &self,
        rest: &mut Bytes<'a>,
        block: Block,
    ) -> Result<Option<(&'a [u8], List<'a>)>> {
        if rest.0.is_empty() {
            return Ok(None);
        }
        let entry = List::entry(rest);
        entry.map(Some).ok_or_else(|| self.file.damaged(block.at, "a term is cut off"))
    }

    fn list(&self, list: List<'_>, block: Block) -> Result<Vec<Posting>> {
        let bytes = match list {
            List::Beside(bytes) => return self.decoded(bytes, block.at),
            List::At(block) => self.file.block(block)?,
        };
        self.decoded(&bytes, block.at)
    }

    fn decoded(&self, bytes: &[u8], at: u64) -> Result<Vec<Posting>> {
        let mut postings: Vec<Posting> = Vec::new();
        let mut list = Iter::new(bytes);
        for posting in list.by_ref() {
            let follows = postings.last().is_none_or(|last| last.row < posting.row);
            if !follows || posting.row.0 >= self.rows {
                return Err(self.file.damaged(at, "the rows of a term are not in order"));
            }
            postings.push(posting);
        }
        if list.is_at_end() {
            Ok(postings)
        } else {
            Err(self.file.damaged(at, "the rows of a term are cut off"))
        }
    }
}

/// The rows of a term.
enum List<'a> {
    Beside(&'a [u8]),
    At(Block),
}

impl<'a> List<'a> {
    fn entry(rest: &mut Bytes<'a>) -> Option<(&'a [u8], Self)> {
        let length = rest.u32().ok()?;
        let term = rest.take(length as usize).ok()?;
        let length = rest.u32().ok()?;
        let list = if length as usize <= BESIDE {
            Self::Beside(rest.take(length as usize).ok()?)
        } else {
            Self::At(Block { at: rest.u64().ok()?, length: length.into() })
        };
        Some((term, list))
    }
}
