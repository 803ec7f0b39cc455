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
    pub without_text: Tally,
    /// Written chunks.
    pub chunks: usize,
}

/// A number of documents, and the first ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tally {
    /// The total number.
    pub count: usize,
    /// The first ids, at most three.
    pub first: Vec<String>,
}

const FIRST_IDS: usize = 3;

impl Tally {
    pub(crate) fn add(&mut self, count: usize, ids: impl IntoIterator<Item = String>) {
        self.count += count;
        self.first.extend(ids.into_iter().take(FIRST_IDS - self.first.len()));
    }
}

impl UpsertReport {
    /// Moves the counts of written documents out of `other`.
    pub(super) fn append(&mut self, other: &mut Self) {
        let Self { added, changed, chunks, .. } = std::mem::take(other);
        self.added += added;
        self.changed += changed;
        self.chunks += chunks;
    }
}
