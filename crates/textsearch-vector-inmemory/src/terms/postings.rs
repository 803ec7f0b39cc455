//! The inverted index of one full-text field, with the statistics for BM25.

use std::{hash::BuildHasher as _, sync::Arc};

use foldhash::fast::RandomState;
use hashbrown::{HashTable, hash_table::Entry};
use serde::{Deserialize, Serialize};
use textsearch_core::text_analysis::DocumentTerms;

use super::{
    TextLength,
    posting_list::{Posting, PostingList},
};
use crate::rows::Row;

/// While a reader holds the index, a write copies only the shards it changes.
const SHARDS: usize = 256;

type Shard = HashTable<(Arc<str>, PostingList)>;

#[derive(Clone)]
pub(crate) struct Postings {
    hasher: RandomState,
    shards: Vec<Arc<Shard>>,
    statistics: Statistics,
}

/// The statistics of a field, over records in memory and on disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Statistics {
    documents: u64,
    total_length: u64,
}

impl Statistics {
    pub(crate) fn add(&mut self, text: TextLength) {
        self.documents = self.documents.saturating_add(u64::from(text.has_terms()));
        self.total_length = self.total_length.saturating_add(u64::from(text.length()));
    }

    fn subtract(&mut self, other: Self) {
        self.documents = self.documents.saturating_sub(other.documents);
        self.total_length = self.total_length.saturating_sub(other.total_length);
    }
}

impl Default for Postings {
    fn default() -> Self {
        Self::with_statistics(Statistics::default())
    }
}

/// The texts of one field. Their term numbers refer to `terms`.
pub(crate) struct Texts<'a> {
    terms: &'a [Arc<str>],
    documents: Vec<(Row, &'a DocumentTerms)>,
}

impl Postings {
    /// Creates an index without terms.
    pub(crate) fn with_statistics(statistics: Statistics) -> Self {
        let shards = vec![Arc::default(); SHARDS];
        Self { hasher: RandomState::default(), shards, statistics }
    }

    pub(crate) fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// All terms with their postings, sorted.
    pub(crate) fn sorted(&self) -> Vec<(&Arc<str>, &PostingList)> {
        let shards = self.shards.iter().flat_map(|shard| shard.iter());
        let mut terms: Vec<_> = shards.map(|(term, list)| (term, list)).collect();
        terms.sort_unstable_by_key(|(term, _)| *term);
        terms
    }

    pub(crate) fn list(&self, term: &str) -> Option<&PostingList> {
        let hash = self.hasher.hash_one(term);
        let entry = self.shards.get(shard_of(hash))?.find(hash, |(known, _)| **known == *term);
        entry.map(|(_, list)| list)
    }

    /// Counts terms without stop words, over the records that have any term in the field.
    pub(crate) fn mean_length(&self) -> f64 {
        self.statistics.total_length as f64 / self.statistics.documents.max(1) as f64
    }

    /// `outdated` are the statistics of all removed records, also of those on disk.
    pub(crate) fn update(&mut self, outdated: Statistics, removed: &Texts<'_>, added: &Texts<'_>) {
        self.statistics.subtract(outdated);
        added.documents.iter().for_each(|(_, terms)| self.statistics.add(TextLength::of(terms)));
        removed.for_each_term(|term, postings| {
            let rows: Vec<Row> = postings.iter().map(|posting| posting.row).collect();
            self.change(term, |list| list.remove(&rows));
        });
        added.for_each_term(|term, postings| self.change(term, |list| list.add(postings)));
    }

    fn change(&mut self, term: &Arc<str>, change: impl FnOnce(&mut PostingList)) {
        let Self { hasher, shards, .. } = self;
        // Hash once, for both the shard and the position in it.
        let hash = hasher.hash_one(&**term);
        let Some(shard) = shards.get_mut(shard_of(hash)) else { return };
        let is_it = |(known, _): &(Arc<str>, PostingList)| known == term;
        let rehash = |(known, _): &(Arc<str>, PostingList)| hasher.hash_one(&**known);
        match Arc::make_mut(shard).entry(hash, is_it, rehash) {
            Entry::Occupied(mut entry) => {
                let (_, list) = entry.get_mut();
                change(list);
                if list.is_empty() {
                    entry.remove();
                }
            }
            Entry::Vacant(place) => {
                let mut list = PostingList::default();
                change(&mut list);
                if !list.is_empty() {
                    place.insert((Arc::clone(term), list));
                }
            }
        }
    }
}

impl<'a> Texts<'a> {
    /// The `terms` of all fields.
    pub(crate) fn new(
        terms: &'a [Vec<Arc<str>>],
        place: usize,
        documents: Vec<(Row, &'a DocumentTerms)>,
    ) -> Self {
        Self { terms: terms.get(place).map_or(&[], Vec::as_slice), documents }
    }

    /// Calls `take` with each term and its rows, in order. All postings share one list: a list for
    /// each term would be allocated anew for every batch.
    fn for_each_term(&self, mut take: impl FnMut(&Arc<str>, &[Posting])) {
        let mut ends = vec![0_usize; self.terms.len()];
        let mut documents: Vec<_> = self.documents.iter().collect();
        documents.sort_by_key(|(row, _)| *row);
        let all = || {
            documents.iter().flat_map(|(row, document)| {
                document.frequencies.iter().map(|(term, frequency)| {
                    (*term as usize, Posting { row: *row, frequency: *frequency })
                })
            })
        };
        for (term, _) in all() {
            if let Some(count) = ends.get_mut(term) {
                *count += 1;
            }
        }
        let mut total = 0;
        for end in &mut ends {
            (*end, total) = (total, total + *end);
        }
        let mut postings = vec![Posting { row: Row(0), frequency: 0 }; total];
        for (term, posting) in all() {
            if let Some(end) = ends.get_mut(term) {
                if let Some(place) = postings.get_mut(*end) {
                    *place = posting;
                }
                *end += 1;
            }
        }
        let mut start = 0;
        for (term, end) in self.terms.iter().zip(ends) {
            if let Some(postings) = postings.get(start..end).filter(|postings| !postings.is_empty())
            {
                take(term, postings);
            }
            start = end;
        }
    }
}

/// Uses bits that hash tables do not: neither the lowest nor the highest.
fn shard_of(hash: u64) -> usize {
    (hash >> 32) as usize % SHARDS
}
