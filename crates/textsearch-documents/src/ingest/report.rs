//! What an ingestion did.

use super::files::Skipped;
use crate::UpsertReport;

/// The maximum number of ids in a tally.
const FIRST_IDS: usize = 3;

/// Counts of the documents an ingestion touched, by outcome. A record of JSON Lines is a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct IngestReport {
    /// Documents that are new.
    pub added: usize,
    /// Documents that replaced another version of themselves.
    pub changed: usize,
    /// Documents that are as they were.
    pub unchanged: usize,
    /// Documents that were removed.
    pub removed: usize,
    /// Files without text. Nothing is stored of them.
    pub files_without_text: Tally,
    /// Records without text. A search finds them by their names.
    pub records_without_text: Tally,
    /// Whether some fields inside objects did not fit into the schema, so that filters can't name
    /// them.
    pub has_dropped_fields: bool,
    /// The files that were left out, and why.
    pub skipped: Vec<Skipped>,
    pub(super) is_catalog_changed: bool,
}

/// A number of documents, and the ids of the first three.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tally {
    /// The total number.
    pub count: usize,
    /// The first ids, three at most.
    pub first: Vec<String>,
}

impl Tally {
    pub(super) fn add(&mut self, count: usize, ids: impl IntoIterator<Item = String>) {
        self.count += count;
        self.first.extend(ids.into_iter().take(FIRST_IDS - self.first.len()));
    }
}

impl IngestReport {
    /// Returns whether the store differs from the one before.
    pub fn is_changed(&self) -> bool {
        self.added + self.changed + self.removed > 0 || self.is_catalog_changed
    }

    /// Returns the number of documents without text.
    pub fn without_text(&self) -> usize {
        self.files_without_text.count + self.records_without_text.count
    }

    pub(super) fn add_files(&mut self, report: UpsertReport) {
        self.add(&report);
        self.files_without_text.add(report.empty, report.first_empty);
    }

    pub(super) fn add(&mut self, report: &UpsertReport) {
        self.added += report.added;
        self.changed += report.changed;
        self.unchanged += report.unchanged;
        self.removed += report.removed;
    }
}
