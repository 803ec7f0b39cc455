//! What an upsert did.

/// How many documents an upsert wrote, skipped and removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
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
    /// Chunks that were written.
    pub chunks: usize,
}
