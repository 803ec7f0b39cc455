//! The outcome of an upsert.

/// Counts of documents by outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UpsertReport {
    /// New documents.
    pub added: usize,
    /// Documents that replaced an earlier version.
    pub changed: usize,
    /// Documents that were skipped because they didn't change.
    pub unchanged: usize,
    /// Removed documents, and those without text now.
    pub removed: usize,
    /// Documents without text. They aren't stored.
    pub empty: usize,
    /// The first ids of documents without text, at most ten.
    pub first_empty: Vec<String>,
    /// Written chunks.
    pub chunks: usize,
}

const MAX_EMPTY_IDS: usize = 10;

impl UpsertReport {
    /// Moves the counts of written documents out of `other`.
    pub(super) fn append(&mut self, other: &mut Self) {
        let Self { added, changed, chunks, .. } = std::mem::take(other);
        self.added += added;
        self.changed += changed;
        self.chunks += chunks;
    }

    pub(super) fn add_empty(&mut self, id: &str) {
        self.empty += 1;
        if self.first_empty.len() < MAX_EMPTY_IDS {
            self.first_empty.push(id.to_owned());
        }
    }
}
