//! What an upsert did.

/// Counts of documents that an upsert wrote, skipped and removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UpsertReport {
    /// Documents that were not there before.
    pub added: usize,
    /// Documents that replaced another version of themselves.
    pub changed: usize,
    /// Documents that were already stored unchanged, and were skipped.
    pub unchanged: usize,
    /// Documents no longer stored: removed, or without text now.
    pub removed: usize,
    /// Documents without text; the store keeps nothing for them.
    pub empty: usize,
    /// The ids of the first documents without text, ten at most.
    pub first_empty: Vec<String>,
    /// Chunks that were written.
    pub chunks: usize,
}

/// The maximum ids of documents without text in a report.
const MAX_EMPTY_IDS: usize = 10;

impl UpsertReport {
    pub(super) fn add_empty(&mut self, id: &str) {
        self.empty += 1;
        if self.first_empty.len() < MAX_EMPTY_IDS {
            self.first_empty.push(id.to_owned());
        }
    }
}
