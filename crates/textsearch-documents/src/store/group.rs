//! Batches of documents for lookups and writes.

use std::collections::HashSet;

use super::size;
use crate::Document;

const MAX_DOCUMENTS: usize = 256;

/// Text and metadata held at once, except for a single larger document.
const MAX_BYTES: usize = 1 << 20;

/// Documents with different ids.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) documents: Vec<Document>,
    ids: HashSet<String>,
    bytes: usize,
}

impl Group {
    /// A second version of a document must go into a later group.
    pub(super) fn has_room_for(&self, document: &Document) -> bool {
        let is_full = self.documents.len() >= MAX_DOCUMENTS
            || self.bytes.saturating_add(size_of(document)) > MAX_BYTES;
        self.documents.is_empty() || !(is_full || self.ids.contains(&document.id))
    }

    pub(super) fn push(&mut self, document: Document) {
        self.bytes = self.bytes.saturating_add(size_of(&document));
        self.ids.insert(document.id.clone());
        self.documents.push(document);
    }
}

fn size_of(document: &Document) -> usize {
    document.text.len().saturating_add(size::of_fields(&document.metadata))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has_room_for_two(document: impl Fn(&str) -> Document) -> bool {
        let mut group = Group::default();
        group.push(document("a"));
        group.has_room_for(&document("b"))
    }

    #[test]
    fn metadata_counts_against_the_group_size() {
        let half = || "x".repeat(MAX_BYTES / 2 + 1);
        assert!(has_room_for_two(|id| Document::plain_text(id, "text")));
        assert!(!has_room_for_two(|id| Document::plain_text(id, half())));
        assert!(!has_room_for_two(|id| {
            Document::plain_text(id, "text").with_metadata("notes", serde_json::json!([half()]))
        }));
    }
}
