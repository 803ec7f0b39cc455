//! What an upsert did.

/// How many documents an upsert wrote, skipped and removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UpsertReport {
    /// Documents that were not there before.
    pub added: usize,
    /// Documents that replaced another version of themselves.
    pub changed: usize,
    /// Documents that were there just as they are, and were skipped.
    pub unchanged: usize,
    /// Documents that are no longer there: gone, or without text now.
    pub removed: usize,
    /// Documents without text, of which nothing is kept.
    pub empty: usize,
    /// The ids of the first documents without text, ten at most.
    pub first_empty: Vec<String>,
    /// Chunks that were written.
    pub chunks: usize,
}

/// How many ids of documents without text a report holds.
const MAX_EMPTY_IDS: usize = 10;

impl UpsertReport {
    pub(super) fn add_empty(&mut self, id: &str) {
        self.empty += 1;
        if self.first_empty.len() < MAX_EMPTY_IDS {
            self.first_empty.push(id.to_owned());
        }
    }
}
