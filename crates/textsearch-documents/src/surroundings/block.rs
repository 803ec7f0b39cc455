//! Reads the chunks around a block of results, and merges the results.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ops::RangeInclusive,
};

use textsearch_core::{
    Filter, Result, TextSearchRecord as _, results::AnyRecord, vector::RecordKey,
};

use super::{Around, Surroundings, record::Surrounded};
use crate::store::{ChunkText, fields, passage};

/// Chunks before and after a result. More would take the time of the search.
const MAX_REACH: usize = 32;

/// The chunks of a document that match the filter, by their index.
type Chunks = BTreeMap<usize, ChunkText>;

/// A result that is a chunk.
struct ResultChunk {
    /// Its place in the block.
    place: usize,
    /// The beginning of the keys of its document's chunks.
    document: String,
    chunk: ChunkText,
}

/// Results with one text.
struct Merged {
    /// The best result.
    place: usize,
    chunks: RangeInclusive<usize>,
}

impl Surroundings {
    pub(super) async fn expanded(
        &self,
        block: Vec<Result<AnyRecord>>,
        filter: Option<&Filter>,
    ) -> Result<Vec<Result<AnyRecord>>> {
        let records = block.iter().enumerate();
        let results =
            records.filter_map(|(place, record)| ResultChunk::new(place, record.as_ref().ok()?));
        let results: Vec<ResultChunk> = results.collect();
        let documents = self.chunks_around(&results, filter).await?;
        let mut texts: HashMap<usize, Option<String>> = HashMap::new();
        for (document, chunks) in &documents {
            let results = results.iter().filter(|result| result.document == *document);
            let results: Vec<&ResultChunk> =
                results.filter(|result| result.is_in(chunks)).collect();
            texts.extend(results.iter().map(|result| (result.place, None)));
            for Merged { place, chunks: range } in self.merged(&results, chunks) {
                let text = passage(chunks.range(range).map(|(_, chunk)| chunk));
                texts.insert(place, Some(text));
            }
        }
        let expanded = block.into_iter().enumerate().filter_map(|(place, record)| {
            match (record, texts.remove(&place)) {
                (Ok(record), Some(text)) => {
                    Some(Ok(Surrounded::new(record, text?).into_any_record()))
                }
                (record, _) => Some(record),
            }
        });
        Ok(expanded.collect())
    }

    /// Reads all chunks that may belong to the results, by document.
    async fn chunks_around(
        &self,
        results: &[ResultChunk],
        filter: Option<&Filter>,
    ) -> Result<HashMap<String, Chunks>> {
        let mut keys = BTreeSet::new();
        for result in results {
            let reach = self.reach(&result.chunk);
            let first = result.chunk.index.saturating_sub(reach);
            let end = result.chunk.index.saturating_add(reach + 1).min(result.chunk.count);
            keys.extend((first..end).map(|index| (result.document.as_str(), index)));
        }
        let keys = keys.into_iter().map(|(document, index)| format!("{document}#{index}"));
        let keys: Vec<RecordKey> = keys.map(RecordKey::from).collect();
        let mut documents: HashMap<String, Chunks> = HashMap::new();
        if keys.is_empty() {
            return Ok(documents);
        }
        for (key, chunk) in self.documents.visible_chunks(&keys, filter).await? {
            let RecordKey::String(key) = &key else { continue };
            let Some((document, _)) = key.rsplit_once('#') else { continue };
            if let Some(chunks) = documents.get_mut(document) {
                chunks.insert(chunk.index, chunk);
            } else {
                documents.insert(document.to_owned(), Chunks::from([(chunk.index, chunk)]));
            }
        }
        Ok(documents)
    }

    fn reach(&self, chunk: &ChunkText) -> usize {
        match self.around {
            Around::Neighbours(number) => number.min(MAX_REACH),
            // Neighbours may be shorter.
            _ => (self.max_characters / chunk.characters().max(1))
                .saturating_mul(2)
                .clamp(1, MAX_REACH),
        }
    }

    /// Merges the results of one document whose chunks overlap or follow each other.
    fn merged(&self, results: &[&ResultChunk], chunks: &Chunks) -> Vec<Merged> {
        let ranges = results.iter().map(|result| Merged {
            place: result.place,
            chunks: self.range(&result.chunk, chunks),
        });
        let mut ranges: Vec<Merged> = ranges.collect();
        ranges.sort_by_key(|result| *result.chunks.start());
        let mut merged: Vec<Merged> = Vec::new();
        for next in ranges {
            match merged.last_mut() {
                Some(last) if *next.chunks.start() <= last.chunks.end() + 1 => {
                    let end = *last.chunks.end().max(next.chunks.end());
                    last.place = last.place.min(next.place);
                    last.chunks = *last.chunks.start()..=end;
                }
                _ => merged.push(next),
            }
        }
        merged
    }

    /// Extends a result in both directions by turns, as far as its document, the limit and the kind of
    /// surroundings allow.
    fn range(&self, result: &ChunkText, chunks: &Chunks) -> RangeInclusive<usize> {
        let reach = self.reach(result);
        let mut characters = result.characters();
        let mut fits = |index: Option<usize>| {
            let index = index.filter(|index| index.abs_diff(result.index) <= reach)?;
            let chunk = chunks.get(&index)?;
            let is_other = self.around == Around::Section && chunk.headings != result.headings;
            let total = characters + chunk.characters();
            if is_other || total > self.max_characters {
                return None;
            }
            characters = total;
            Some(index)
        };
        let mut first = result.index;
        let mut last = result.index;
        let mut before = true;
        let mut after = true;
        while before || after {
            if after {
                let next = fits(Some(last + 1));
                after = next.is_some();
                last = next.unwrap_or(last);
            }
            if before {
                let next = fits(first.checked_sub(1));
                before = next.is_some();
                first = next.unwrap_or(first);
            }
        }
        first..=last
    }
}

impl ResultChunk {
    /// Returns `None` if the record isn't of a chunk.
    fn new(place: usize, record: &AnyRecord) -> Option<Self> {
        let value = record.to_value().ok()?;
        let data = value.as_object()?;
        let chunk = ChunkText::from_fields(data)?;
        let key = data.get(fields::KEY)?.as_str()?;
        let document = key.strip_suffix(&format!("#{}", chunk.index))?.to_owned();
        Some(Self { place, document, chunk })
    }

    /// Returns false for a chunk that changed since the search, or of another store.
    fn is_in(&self, chunks: &Chunks) -> bool {
        chunks.get(&self.chunk.index).is_some_and(|chunk| chunk.text == self.chunk.text)
    }
}
