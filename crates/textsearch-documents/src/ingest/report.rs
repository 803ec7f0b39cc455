//! The outcome of an ingestion.

use super::skipped::Skipped;
use crate::{Tally, UpsertReport};

/// Counts of documents by outcome. A record of JSON Lines is a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct IngestReport {
    /// New documents.
    pub added: usize,
    /// Documents that replaced an earlier version.
    pub changed: usize,
    /// Unchanged documents.
    pub unchanged: usize,
    /// Removed documents.
    pub removed: usize,
    /// Files without text. They aren't stored.
    pub files_without_text: Tally,
    /// Records without text. A search finds them by name.
    pub records_without_text: Tally,
    /// Whether some nested fields didn't fit into the schema, so filters can't use them.
    pub has_dropped_fields: bool,
    /// Files that were left out, and why.
    pub skipped: Vec<Skipped>,
    pub(super) catalog_changed: bool,
}

impl IngestReport {
    /// Returns whether the store changed.
    pub fn is_changed(&self) -> bool {
        self.added + self.changed + self.removed > 0 || self.catalog_changed
    }

    /// Returns the files that couldn't be read or stored, and why. They are among
    /// [`skipped`](Self::skipped).
    pub fn failed(&self) -> impl Iterator<Item = &Skipped> {
        self.skipped.iter().filter(|skipped| skipped.reason.is_failure())
    }

    /// Returns the number of documents without text.
    pub fn without_text(&self) -> usize {
        self.files_without_text.count + self.records_without_text.count
    }

    pub(super) fn add_files(&mut self, report: UpsertReport) {
        self.add(&report);
        let Tally { count, first } = report.without_text;
        self.files_without_text.add(count, first);
    }

    /// Adds what a batch stored.
    pub(super) fn append(&mut self, batch: Self) {
        self.added += batch.added;
        self.changed += batch.changed;
        self.unchanged += batch.unchanged;
        self.removed += batch.removed;
        let Tally { count, first } = batch.files_without_text;
        self.files_without_text.add(count, first);
        for skipped in batch.skipped {
            // Several batches may hold records of a file.
            if !self.skipped.iter().any(|known| known.path == skipped.path) {
                self.skipped.push(skipped);
            }
        }
    }

    pub(super) fn add(&mut self, report: &UpsertReport) {
        self.added += report.added;
        self.changed += report.changed;
        self.unchanged += report.unchanged;
        self.removed += report.removed;
    }
}
