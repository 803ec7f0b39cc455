//! The inverted index of one full-text field: for each term the rows that hold it, and the figures of BM25.

use std::sync::Arc;

use foldhash::HashMap;

use crate::{state::Row, text::DocumentTerms};

/// The number of parts: a write copies only those that it touches while a reader still holds them.
const SHARDS: usize = 256;

/// Up to how many changes of one list are made one by one, and not by going through the whole list.
const FEW: usize = 8;

/// A row that holds a term, and how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Posting {
    pub(crate) row: Row,
    pub(crate) frequency: u32,
}

type Shard = HashMap<Arc<str>, Arc<Vec<Posting>>>;

/// The index of one field over all records of a collection.
#[derive(Clone)]
pub(crate) struct Postings {
    shards: Vec<Arc<Shard>>,
    documents: u64,
    total_length: u64,
}

impl Default for Postings {
    fn default() -> Self {
        Self { shards: vec![Arc::default(); SHARDS], documents: 0, total_length: 0 }
    }
}

/// The rows that lose a term and those that gain it.
#[derive(Default)]
struct Change {
    removed: Vec<Row>,
    added: Vec<Posting>,
}

impl Postings {
    /// The rows that hold `term`, in their order.
    pub(crate) fn of(&self, term: &str) -> &[Posting] {
        let shard = self.shards.get(shard_of(term));
        shard.and_then(|shard| shard.get(term)).map_or(&[], |postings| postings.as_slice())
    }

    /// The number of records that have any term in the field.
    pub(crate) fn documents(&self) -> u64 {
        self.documents
    }

    /// The mean number of terms of those records; at least a little more than nothing, so that it can divide.
    pub(crate) fn average_length(&self) -> f64 {
        (self.total_length as f64 / self.documents.max(1) as f64).max(f64::MIN_POSITIVE)
    }

    /// Takes the terms of the `removed` texts out and those of the `added` ones in.
    pub(crate) fn update<'a>(
        &mut self,
        removed: impl Iterator<Item = (Row, &'a DocumentTerms)>,
        added: impl Iterator<Item = (Row, &'a DocumentTerms)>,
    ) {
        let mut changes: HashMap<&'a Arc<str>, Change> = HashMap::default();
        for (row, terms) in removed {
            self.documents = self.documents.saturating_sub(u64::from(!terms.is_empty()));
            self.total_length = self.total_length.saturating_sub(u64::from(terms.length));
            for (term, _) in &terms.frequencies {
                changes.entry(term).or_default().removed.push(row);
            }
        }
        for (row, terms) in added {
            self.documents += u64::from(!terms.is_empty());
            self.total_length += u64::from(terms.length);
            for (term, frequency) in &terms.frequencies {
                changes.entry(term).or_default().added.push(Posting { row, frequency: *frequency });
            }
        }
        for (term, change) in changes {
            self.apply(term, change);
        }
    }

    fn apply(&mut self, term: &Arc<str>, change: Change) {
        let Some(shard) = self.shards.get_mut(shard_of(term)) else { return };
        let shard = Arc::make_mut(shard);
        if !shard.contains_key(term) {
            shard.insert(Arc::clone(term), Arc::default());
        }
        let Some(postings) = shard.get_mut(term) else { return };
        let postings = Arc::make_mut(postings);
        change.apply(postings);
        if postings.is_empty() {
            shard.remove(term);
        }
    }
}

impl Change {
    fn apply(mut self, postings: &mut Vec<Posting>) {
        self.added.sort_unstable_by_key(|posting| posting.row);
        let last = postings.last().map(|posting| posting.row);
        let first = self.added.first().map(|posting| posting.row);
        if self.removed.is_empty() && last < first {
            postings.extend(self.added);
        } else if self.removed.len() + self.added.len() <= FEW {
            self.apply_one_by_one(postings);
        } else {
            self.removed.sort_unstable();
            postings.retain(|posting| self.removed.binary_search(&posting.row).is_err());
            postings.extend(self.added);
            // Stable, since that sort finds the two runs and merges them.
            postings.sort_by_key(|posting| posting.row);
        }
    }

    fn apply_one_by_one(self, postings: &mut Vec<Posting>) {
        let find = |postings: &Vec<Posting>, row| {
            postings.binary_search_by_key(&row, |posting| posting.row)
        };
        for row in self.removed {
            if let Ok(place) = find(postings, row) {
                postings.remove(place);
            }
        }
        for posting in self.added {
            if let Err(place) = find(postings, posting.row) {
                postings.insert(place, posting);
            }
        }
    }
}

/// The part of a term: FNV-1a, which is fast on short texts. Terms that were chosen to meet in one part only make that
/// part larger; the map inside has a hash of its own.
fn shard_of(term: &str) -> usize {
    let hash = term.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash >> 32) as usize % SHARDS
}
